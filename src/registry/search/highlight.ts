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
/** Folds to itself. */
const plainLetter = /^[A-Z0-9]$/;

/**
 * Finds the words of the query in an entry's searched field. If the query has several readings (`mode=smart`), the first one that matches
 * completely counts. Units: UTF-16 code units. Order: as in the value, without overlaps.
 */
export function findHighlights(
	field: SearchQuery["field"],
	texts: readonly string[],
	item: RegistrySearchItem,
): Highlight[] {
	if (field === "document") return [{ start: 0, end: texts[0]?.length ?? 0 }];
	const words = splitWords(item[field === "any" ? "name" : field]);
	const readings = texts.map((text) => text.split(" "));
	const isComplete = (beginnings: readonly string[]) =>
		beginnings.every((one) => words.some((_, at) => countMarked(words, at, one) > 0));
	// Links and initials may be written differently, so a hit need not have every word.
	const beginnings = readings.find(isComplete) ?? readings[0] ?? [];
	const found: Highlight[] = [];
	for (let at = 0; at < words.length; ) {
		const marked = beginnings.map((one) => ({ one, held: countMarked(words, at, one) })).filter(({ held }) => held > 0);
		const longest = marked.reduce((best, { one }) => (one.length > best.length ? one : best), "");
		const held = Math.max(1, ...marked.map((mark) => mark.held));
		const letters = words.slice(at, at + held).flatMap((word) => word.letters);
		const first = letters[0];
		const last = letters[longest.length - 1];
		if (first && last) found.push({ start: first.start, end: last.end });
		at += held;
	}
	return found;
}

/** How many words from this one on a beginning covers: one, several if single letters make it up, or none. */
function countMarked(words: readonly Word[], at: number, beginning: string): number {
	let text = "";
	for (let held = 1; at + held <= words.length; held++) {
		const { folded } = words[at + held - 1] ?? { folded: "" };
		text += folded;
		if (held > 1 && folded.length !== 1) return 0;
		if (text.startsWith(beginning)) return held;
		if (folded.length !== 1 || !beginning.startsWith(text)) return 0;
	}
	return 0;
}

/** The words of a value as `normaliseText` folds them, with their positions in the value. */
function splitWords(value: string): Word[] {
	const words: Word[] = [];
	let word: Word | undefined;
	let end = 0;
	for (const letter of value) {
		const start = end;
		end += letter.length;
		if (letter > "\x7f" && mark.test(letter)) {
			const last = word?.letters.at(-1);
			if (last) last.end = end;
			continue;
		}
		const folded = plainLetter.test(letter) ? letter : normaliseText(letter);
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
