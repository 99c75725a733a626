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

/** Those with which initials written in a row may end; no shorter ones, for `T.E.S.A.` is a name. */
const FORMS_IN_A_ROW = [...FORMS].filter((form) => form.length > 2);

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
	return words.flatMap((w) => (w.kind === "joined" ? splitForm(w) : w));
}

/** `J. M., S.R.L.` is five letters in a row: two of a name and three of a form. */
function splitForm(joined: NameWord): NameWord[] {
	const { word } = joined;
	if (FORMS.has(word)) return [{ word, kind: "form" }];
	const form = FORMS_IN_A_ROW.find((one) => word.endsWith(one));
	if (form === undefined) return [joined];
	const initials = word.slice(0, -form.length);
	const first: NameWord =
		initials.length > 1 ? { word: initials, kind: "joined" } : { word: initials, kind: kindOf(initials) };
	return [first, { word: form, kind: "form" }];
}

function kindOf(word: string): NameWord["kind"] {
	if (FORMS.has(word)) return "form";
	return LINKS.has(word) ? "link" : "proper";
}
