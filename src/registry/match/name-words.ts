/** The words of a name as they are compared with those of another. */
import { normaliseText } from "../normalise";

export type NameWord = {
	readonly word: string;
	/** `form` is a legal form such as SRL, `link` a word such as DE, `joined` was written as single letters. */
	readonly kind: "proper" | "form" | "link" | "joined";
};

/** Legal forms of the country's companies. Source: Ley 479-08, and what the registry's names show. */
const FORMS = new Set(["SRL", "SA", "SAS", "EIRL", "CXA", "LTD", "INC", "CORP", "LLC"]);
const LINKS = new Set(["EL", "LA", "LOS", "LAS", "DE", "DEL", "Y", "E", "EN", "A", "AL", "THE", "AND", "OF"]);

/** Splits a name: folded, and single letters in a row taken as one word, so that `S.R.L.` is `SRL` and `C. por A.` is `CXA`. */
export function toNameWords(name: string): NameWord[] {
	const words: NameWord[] = [];
	for (const word of normaliseText(name)
		.replace(/\bC POR A\b/g, "CXA")
		.split(" ")) {
		if (word === "") continue;
		const last = words[words.length - 1];
		// Y stands between two words far more often than it is an initial.
		const isLetter = /^[A-XZ]$/.test(word);
		if (isLetter && last && (last.kind === "joined" || /^[A-XZ]$/.test(last.word))) {
			const joined = last.word + word;
			words[words.length - 1] = { word: joined, kind: "joined" };
		} else words.push({ word, kind: kindOf(word) });
	}
	return words.map((w) => (w.kind === "joined" && FORMS.has(w.word) ? { word: w.word, kind: "form" } : w));
}

function kindOf(word: string): NameWord["kind"] {
	if (FORMS.has(word)) return "form";
	return LINKS.has(word) ? "link" : "proper";
}
