/** Light or dark, as the system has it or as the person chose. The style sheet reads `data-theme` of the document. */
import { useSyncExternalStore } from "react";
import { readStored, store } from "./language";

type Theme = "system" | "light" | "dark";

const STORED = "sello-theme";
const listeners = new Set<() => void>();
let current: Theme = readTheme();
show();

function readTheme(): Theme {
	const stored = readStored(STORED);
	return stored === "light" || stored === "dark" ? stored : "system";
}

function show(): void {
	if (current === "system") delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = current;
}

export function setTheme(next: Theme): void {
	current = next;
	store(STORED, next);
	show();
	for (const listener of listeners) listener();
}

export function useTheme(): Theme {
	return useSyncExternalStore(
		(listener) => {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		() => current,
	);
}
