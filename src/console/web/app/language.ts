/** The language of the console, and the texts of a page in it: `const t = useWords({ es, en })`, then `t("title")`. */
import { useSyncExternalStore } from "react";

export type Language = "es" | "en";
/** The texts of a page. Spanish has all keys; English `satisfies Record<keyof typeof es, string>`. */
export type Words<Key extends string> = {
	readonly es: Readonly<Record<Key, string>>;
	readonly en: Readonly<Record<Key, string>>;
};
/** Fills `{name}` with the value of that name. */
export type Translate<Key extends string> = (key: Key, values?: Readonly<Record<string, string | number>>) => string;

const STORED = "sello-language";
const listeners = new Set<() => void>();
let current: Language = readLanguage();
document.documentElement.lang = current;

function readLanguage(): Language {
	const stored = localStorage.getItem(STORED);
	if (stored === "es" || stored === "en") return stored;
	return navigator.language.toLowerCase().startsWith("en") ? "en" : "es";
}

export function language(): Language {
	return current;
}

export function setLanguage(next: Language): void {
	current = next;
	localStorage.setItem(STORED, next);
	document.documentElement.lang = next;
	for (const listener of listeners) listener();
}

export function useLanguage(): Language {
	return useSyncExternalStore((listener) => {
		listeners.add(listener);
		return () => listeners.delete(listener);
	}, language);
}

export function useWords<Key extends string>(words: Words<Key>): Translate<Key> {
	const chosen = words[useLanguage()];
	return (key, values = {}) => chosen[key].replace(/\{(\w+)\}/g, (whole, name: string) => `${values[name] ?? whole}`);
}
