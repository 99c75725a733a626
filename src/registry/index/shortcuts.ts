/** Builds what a search needs besides a field's own sections, so that its cost hardly grows with the number of entries. */
import type { FieldSections } from "./field-index";
import { leastOfBlocks } from "./least";
import { buildPairs, NO_PAIRS, type PairSections } from "./pair-index";
import { findRuns } from "./value-runs";

export type ShortcutSections = PairSections & {
	readonly "value-least": Uint32Array;
	readonly "value-starts": Uint32Array;
};

export function buildShortcuts(sections: FieldSections): ShortcutSections {
	const { words, "word-starts": wordStarts, "by-value": byValue, "posting-starts": postingStarts } = sections;
	const runs = findRuns({ words, wordStarts, byValue });
	// Where the runs of equal values are listed, pairs of their words would only repeat them, at great length.
	const pairs = runs.length > 0 ? NO_PAIRS : buildPairs(wordStarts, words, postingStarts);
	return { "value-least": leastOfBlocks(byValue), "value-starts": runs, ...pairs };
}
