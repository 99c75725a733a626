/** Finds where the words of a query are in a value, so that a client can mark them without folding letters itself. */

import { type Static, Type } from "@sinclair/typebox";
import type { RegistrySearchItem } from "../entry";
import { normaliseText, type SearchQuery } from "../index/index";

/** Positions instead of markup: a value is never mixed with markup that a page would have to trust. */
export const Highlight = Type.Object({
	start: Type.Integer({ description: "Position of the first character." }),
	end: Type.Integer({ description: "Position after the last character." }),
});
export type Highlight = Static<typeof Highlight>;

type Word = {
	folded: string;
	/** For each folded letter, the position in the value of the letter that it comes from. */
	readonly letters: Highlight[];
};

const mark = /^\p{M}$/u;

/**
 * Finds the words of the query in an entry's searched field. If the query has several readings (`mode=fuzzy`), the first one that matches
 * completely counts. Units: UTF-16 code units. Order: as in the value, without overlaps.
 */
export function findHighlights(
	field: SearchQuery["field"],
	texts: readonly string[],
	item: RegistrySearchItem,
): Highlight[] {
	if (field === "document") return [{ start: 0, end: texts[0]?.length ?? 0 }];
	const words = splitWords(item[field === "any" ? "name" : field]);
	for (const text of texts) {
		const beginnings = text.split(" ");
		const isFound = beginnings.every((one) => words.some(({ folded }) => folded.startsWith(one)));
		if (isFound) return words.flatMap((word) => markBeginning(word, beginnings));
	}
	return [];
}

function markBeginning({ folded, letters }: Word, beginnings: readonly string[]): Highlight[] {
	const length = Math.max(0, ...beginnings.filter((one) => folded.startsWith(one)).map((one) => one.length));
	const first = letters[0];
	const last = letters[length - 1];
	return first && last ? [{ start: first.start, end: last.end }] : [];
}

/** The words of a value as `normaliseText` folds them, with their positions in the value. */
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
