/**
 * Chooses what a search walks: the runs of equal values in a field that has few distinct ones, else the rarest query word, or two query
 * words at once where the field's pairs have them.
 *
 * Every walk meets the same hits in the same order, so the one that has less to walk gets to each of them in fewer steps; a walk that merges
 * many lists pays for looking at each of them first. How far a walk goes is guessed as if words stood together by chance.
 */
import { countPostings, type QueryWord } from "./dictionary";
import type { Visit } from "./merge-lists";
import type { FieldIndex } from "./open";
import { findPairs, type PairLists, walkPairs } from "./pairs";
import { hasRuns, walkRuns } from "./value-runs";
import { walkPositions } from "./walk";

type ChosenWalk = {
	/** Calls `visit` with ascending positions from `first` on, until it answers false. */
	readonly walk: (first: number, visit: Visit) => void;
	/** The words that a position which is met may lack. */
	readonly unproven: readonly QueryWord[];
};

/** So few positions are walked without looking for something better. */
const FEW = 256;
/** What a position costs that is walked, where a list that is merged costs 1. It is high because chance guesses too few. */
const VISIT_COST = 4;
/** Merging more lists than these costs more than it saves. */
const LISTS_MAX = 1_024;

/** `words` are the query's without those that others imply, at least one; `wanted` is how many hits are enough. */
export function chooseWalk(field: FieldIndex, words: readonly QueryWord[], wanted: number): ChosenWalk {
	if (hasRuns(field)) return { walk: (first, visit) => walkRuns(field, words, first, visit), unproven: [] };
	const rarest = words.reduce((best, word) => (countPostings(field, word) < countPostings(field, best) ? word : best));
	const positions = countPostings(field, rarest);
	const pair = words.length > 1 && positions > FEW ? fewestPairs(field, words) : undefined;
	if (pair) {
		const share = (word: QueryWord) => Math.min(1, countPostings(field, word) / field.rows.length);
		const others = words.filter((word) => word !== pair.one && word !== pair.other);
		const hits = others.reduce((product, word) => product * share(word), pair.positions);
		const shareWalked = Math.min(1, wanted / Math.max(1, hits));
		const costOf = (walked: number, lists: number) => VISIT_COST * shareWalked * walked + lists;
		if (costOf(pair.positions, pair.lists) < costOf(positions, rarest.to - rarest.from)) {
			return { walk: (first, visit) => walkPairs(field, pair, first, visit), unproven: words };
		}
	}
	return {
		walk: (first, visit) => walkPositions(field, rarest, first, visit),
		unproven: words.filter((word) => word !== rarest),
	};
}

type QueryPair = PairLists & { readonly one: QueryWord; readonly other: QueryWord };

function fewestPairs(field: FieldIndex, words: readonly QueryWord[]): QueryPair | undefined {
	let fewest: QueryPair | undefined;
	words.forEach((one, i) => {
		for (const other of words.slice(i + 1)) {
			const pair = findPairs(field, one, other);
			if (!pair || pair.lists > LISTS_MAX) continue;
			if (!fewest || pair.positions + pair.lists < fewest.positions + fewest.lists) fewest = { ...pair, one, other };
		}
	});
	return fewest;
}
