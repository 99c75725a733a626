/** The places of a document's members on the page: what they are called, and how the focus goes there. */
import { type Language, useLanguage, useWords } from "../../app/language";
import { toPath, wordOfMember } from "./members";
import { words } from "./words";

/**
 * Names the place of a pointer as the form does: `Price, line 1`. What is unknown here keeps the name that it has in the request, in backticks.
 * Undefined: it is no member of a document.
 */
export function usePlaceName(): (pointer: string) => string | undefined {
	const t = useWords(words);
	const language = useLanguage();
	return (pointer) => {
		if (!pointer.startsWith("/")) return undefined;
		const [, at, cell] = /^\/lines\/(\d+)(?:\/(.+))?$/.exec(pointer) ?? [];
		const name = findWord(toPath(pointer), language) ?? `\`${(cell ?? pointer.slice(1)).replaceAll("/", ".")}\``;
		if (at === undefined) return name;
		const line = t("line", { n: Number(at) + 1 });
		return cell === undefined ? line : `${name}, ${line}`;
	};
}

/** Of the member, or of the nearest one around it. */
function findWord(path: string, language: Language): string | undefined {
	for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) {
		// A line is named by its number.
		const word = at === "lines" && at !== path ? undefined : wordOfMember(at, language);
		if (word) return word;
	}
	return undefined;
}

/** With a capital letter, but not for e-NCF. */
export const beginSentence = (text: string) => text.replace(/^\p{Ll}(?=\p{Ll})/u, (letter) => letter.toUpperCase());

type Correction = {
	readonly fix: readonly { readonly path: string; readonly value: string }[];
	readonly advice: readonly { readonly pointer: string; readonly detail: string; readonly detailEs: string }[];
};

/** What the service advises after a rejection, a sentence for each place. */
export function useCorrections(): (correction: Correction) => readonly string[] {
	const t = useWords(words);
	const isSpanish = useLanguage() === "es";
	const nameOf = usePlaceName();
	const placeOf = (pointer: string) => beginSentence(nameOf(pointer) ?? pointer);
	return ({ fix, advice }) => [
		...fix.map(({ path, value }) => t("correction", { place: placeOf(path), value })),
		...advice.map(({ pointer, detail, detailEs }) => `${placeOf(pointer)}: ${isSpanish ? detailEs : detail}`),
	];
}

/** Sums follow from the lines, so nothing can be typed there. */
export const hasPlace = (pointer: string) => pointer !== "" && !/^\/(?:totals|rates|company)\b|^#/.test(pointer);

/** Puts the focus on the field of a pointer, or of its nearest parent or child that has one. */
export function focusPlace(pointer: string): void {
	for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
		const quoted = CSS.escape(at);
		const found =
			document.querySelector<HTMLElement>(`[data-pointer="${quoted}"]`) ??
			document.querySelector<HTMLElement>(`[data-pointer^="${quoted}/"]`);
		if (!found) continue;
		found.closest("details")?.setAttribute("open", "");
		found.focus();
		return;
	}
}
