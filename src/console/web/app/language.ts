/** The language of the console, and the texts of a page in it: `const t = useWords({ es, en })`, then `t("title")`. */
import { useSyncExternalStore } from "react";

export type Language = "es" | "en";
/** The texts of a page. Spanish has all keys; English `satisfies Record<keyof typeof es, string>`. */
export type Words<Key extends string> = {
	readonly es: Readonly<Record<Key, string>>;
	readonly en: Readonly<Record<Key, string>>;
};
/** Fills `{name}` with the value of that name; `{name|one|many}` with one text for the value 1, with the other for all others. */
export type Translate<Key extends string> = (key: Key, values?: Values) => string;
type Values = Readonly<Record<string, string | number>>;

/** Undefined where the browser keeps nothing, as in a page of another site. */
export function readStored(name: string): string | undefined {
	try {
		return localStorage.getItem(name) ?? undefined;
	} catch {
		return undefined;
	}
}

export function store(name: string, value: string): void {
	try {
		localStorage.setItem(name, value);
	} catch {
		// Then it holds for this page alone.
	}
}

const STORED = "sello-language";
const listeners = new Set<() => void>();
let current: Language = readLanguage();
document.documentElement.lang = current;

function readLanguage(): Language {
	const stored = readStored(STORED);
	if (stored === "es" || stored === "en") return stored;
	return navigator.language.toLowerCase().startsWith("en") ? "en" : "es";
}

export function language(): Language {
	return current;
}

/** The address of a guide, such as `certification`. */
export const toGuide = (name: string) => `/docs/${current}/${name}`;

export function setLanguage(next: Language): void {
	current = next;
	store(STORED, next);
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
	return (key, values = {}) => fill(chosen[key], values);
}

function fill(text: string, values: Values): string {
	return text.replace(
		/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}(\.?)/g,
		(whole, name: string, one: string | undefined, many: string | undefined, stop: string) => {
			if (values[name] === undefined) return whole;
			const value = `${values[name]}`;
			const word = (value === "1" ? one : many) ?? value;
			// A time has a full stop of its own: "9:30 a. m."
			return word.endsWith(".") ? word : word + stop;
		},
	);
}
