/** Where in a value the words of a query were found, so that a caller can mark them without folding letters himself. */

import { type Static, Type } from "@sinclair/typebox";
import type { RegistrySearchItem } from "../entry";
import { normaliseText, type SearchQuery } from "../index/index";

/** Places, not marked-up text: what a value says is never mixed with markup that a page would have to trust. */
export const Highlight = Type.Object({
	start: Type.Integer({ description: "Position of the first character." }),
	end: Type.Integer({ description: "Position behind the last one." }),
});
export type Highlight = Static<typeof Highlight>;

type Word = {
	folded: string;
	/** For each of the folded letters, the places in the value of the letter that it comes from. */
	readonly letters: Highlight[];
};

const mark = /^\p{M}$/u;

/**
 * Finds the words of the query in an entry's searched field; of several readings of the query (`mode=fuzzy`) the first that matches
 * as a whole. Units: UTF-16 code units. Order: as in the value, without overlaps.
 */
export function findHighlights(
	field: SearchQuery["field"],
	texts: readonly string[],
	item: RegistrySearchItem,
): Highlight[] {
	if (field === "document") return [{ start: 0, end: texts[0]?.length ?? 0 }];
	const words = splitWords(item[field]);
	for (const text of texts) {
		const beginnings = text.split(" ");
		const isFound = beginnings.every((one) => words.some(({ folded }) => folded.startsWith(one)));
		if (isFound) return words.flatMap((word) => markBeginning(word, beginnings));
	}
	return [];
}

/** The longest beginning of the word that was asked for. */
function markBeginning({ folded, letters }: Word, beginnings: readonly string[]): Highlight[] {
	const length = Math.max(0, ...beginnings.filter((one) => folded.startsWith(one)).map((one) => one.length));
	const first = letters[0];
	const last = letters[length - 1];
	return first && last ? [{ start: first.start, end: last.end }] : [];
}

/** The words of a value as `normaliseText` folds them, with the places they come from. */
function splitWords(value: string): Word[] {
	const words: Word[] = [];
	let word: Word | undefined;
	let end = 0;
	for (const letter of value) {
		const start = end;
		end += letter.length;
		if (mark.test(letter)) {
			const last = word?.letters.at(-1);
			if (last) last.end = end;
			continue;
		}
		const folded = normaliseText(letter);
		if (folded === "") {
			word = undefined;
			continue;
		}
		if (!word) {
			word = { folded: "", letters: [] };
			words.push(word);
		}
		word.folded += folded;
		for (let i = 0; i < folded.length; i++) word.letters.push({ start, end });
	}
	return words;
}
