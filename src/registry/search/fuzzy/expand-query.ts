/** Turns a query with misspelt words into queries of real words, which the exact index then answers. */
import { normaliseText } from "../../normalise";
import type { Vocabulary } from "./vocabulary";

/** Real words considered for each word of a query, itself aside. */
const SUGGESTIONS_A_WORD = 3;

type Guess = { readonly words: readonly string[]; readonly cost: number };

/**
 * Up to `max` queries of real words, the one nearest to `q` first; `q` itself, folded, when all its words begin real ones.
 * Empty when some word is near to none.
 */
export function expandQuery(vocabulary: Vocabulary, q: string, max = 8): string[] {
	// Costs add up, so the best queries of n words begin with some of the best of n - 1: no more need to be kept on the way.
	let best: Guess[] = [{ words: [], cost: 0 }];
	for (const word of normaliseText(q).split(" ")) {
		const options = optionsFor(vocabulary, word);
		best = best
			.flatMap(({ words, cost }) => options.map((o) => ({ words: [...words, o.word], cost: cost + o.cost })))
			.sort((a, b) => a.cost - b.cost)
			.slice(0, max);
	}
	return best.map(({ words }) => words.join(" "));
}

function optionsFor(vocabulary: Vocabulary, word: string): { readonly word: string; readonly cost: number }[] {
	const near = vocabulary
		.suggest(word, SUGGESTIONS_A_WORD + 1)
		.filter((suggestion) => suggestion.word !== word)
		.slice(0, SUGGESTIONS_A_WORD);
	return vocabulary.beginsWord(word) ? [{ word, cost: 0 }, ...near] : near;
}
