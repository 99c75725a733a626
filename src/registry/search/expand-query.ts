/** The real words that a misspelt query may mean. */

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { normaliseText, type SearchQuery } from "../index/index";
import type { RegistryView } from "../runs";
import type { Vocabulary } from "./vocabulary";

/** For a query without hits, the closest text that has some; undefined if there is none. */
export async function suggestText(
	{ search }: Pick<RegistryView, "search">,
	vocabulary: Vocabulary,
	query: SearchQuery,
): Promise<string | undefined> {
	for (const text of expandQuery(vocabulary, query.text)) {
		if (text !== query.text && search({ ...query, text, limit: 1 }).entries.length > 0) return text;
		await yieldToEventLoop();
	}
	return undefined;
}

/** Real words considered for each word of a query, in addition to itself. */
const SUGGESTIONS_A_WORD = 3;

type Guess = { readonly words: readonly string[]; readonly cost: number };

/**
 * Up to `max` queries of real words, the closest to `q` first. Includes the folded `q` itself if all its words are prefixes of real ones.
 * Empty if some word is close to none.
 */
export function expandQuery(vocabulary: Vocabulary, q: string, max?: number): string[] {
	const steps = expandInSteps(vocabulary, q, max);
	for (;;) {
		const step = steps.next();
		if (step.done) return step.value;
	}
}

/** The same in steps of one word, because a misspelt word takes a millisecond or two. */
export function* expandInSteps(vocabulary: Vocabulary, q: string, max = 8): Generator<void, string[]> {
	// Costs add up, so the best queries of n words start with some of the best of n - 1; the others need not be kept.
	let best: Guess[] = [{ words: [], cost: 0 }];
	for (const word of normaliseText(q).split(" ")) {
		const options = optionsFor(vocabulary, word);
		best = best
			.flatMap(({ words, cost }) => options.map((o) => ({ words: [...words, o.word], cost: cost + o.cost })))
			.sort((a, b) => a.cost - b.cost)
			.slice(0, max);
		yield;
	}
	return best.map(({ words }) => words.join(" "));
}

function optionsFor(vocabulary: Vocabulary, word: string): { readonly word: string; readonly cost: number }[] {
	const near = vocabulary
		.suggest(word, SUGGESTIONS_A_WORD + 1)
		.filter((suggestion) => suggestion.word !== word)
		.slice(0, SUGGESTIONS_A_WORD);
	return vocabulary.isWordPrefix(word) ? [{ word, cost: 0 }, ...near] : near;
}
