/**
 * Suggests taxpayers for a text that may be unfinished.
 *
 *   three digits or more   numbers that start with them; if there are none, names
 *   else                   names that have the words as beginnings, then with two words joined or one split
 *   if nothing is found    names that have the real words closest to misspelt ones
 *
 * All but the last are found at once. There is no personal ranking, because it would end caching.
 */
import type { RegistryEntry, RegistrySearchItem } from "../entry";
import { findPlace, type SearchQuery } from "../index/index";
import type { Slices } from "../match";
import type { RegistryView } from "../runs";
import { expandInSteps, findHighlights, joinOrSplit, type Vocabulary } from "../search";
import { canonicalWords, normaliseText } from "../words";

export type Suggestion = Omit<RegistrySearchItem, "economic_activity"> & {
	/** Where the text was found. */
	readonly field: "name" | "trade_name" | "document";
	/** The places of the text's words in that field. Units: UTF-16 code units. */
	readonly highlight: readonly (readonly [start: number, end: number])[];
};

export type Suggestions = { readonly suggestions: readonly Suggestion[]; readonly more: boolean };

type Options = Pick<SearchQuery, "kind" | "status" | "limit">;
/** Undefined for a text of fewer than two letters or digits. Calls `throwIfAbandoned` while it compares misspelt words. */
export type Suggest = (
	view: RegistryView,
	text: string,
	options: Options,
	throwIfAbandoned: () => void,
) => Promise<Suggestions | undefined>;

type SuggestDeps = {
	readonly vocabularyFor: (view: RegistryView) => Promise<Vocabulary>;
	readonly slices: Slices;
};

const LENGTH_MIN = 2;
const DIGITS_MIN = 3;

export function createSuggest({ vocabularyFor, slices }: SuggestDeps): Suggest {
	return async (view, text, options, throwIfAbandoned) => {
		if (normaliseText(text).length < LENGTH_MIN) return undefined;
		const found = suggestAtOnce(view, text, options);
		if (found.suggestions.length > 0) return found;
		const vocabulary = await vocabularyFor(view);
		const misspelt = await slices.run(() => suggestSpelled(view, vocabulary, text, options), throwIfAbandoned);
		// Entries may have been erased since they were found.
		return { ...misspelt, suggestions: misspelt.suggestions.filter(({ rnc }) => !view.isErased(rnc)) };
	};
}

/** What needs no vocabulary. */
export function suggestAtOnce(
	view: Pick<RegistryView, "search" | "isWord">,
	text: string,
	options: Options,
): Suggestions {
	const digits = text.replace(/[- ]/g, "");
	if (digits.length >= DIGITS_MIN && /^[0-9]+$/.test(digits)) {
		const { entries, more } = view.search({ ...options, field: "document", text: digits });
		if (entries.length > 0)
			return { suggestions: entries.map((entry) => toSuggestion(entry, digits, "document")), more };
	}
	const { words, form } = canonicalWords(text);
	const written = words.join(" ");
	const collector = createCollector(view, options, form);
	if (!collector.add(written)) for (const other of joinOrSplit(view, written)) if (collector.add(other)) break;
	return collector.finish();
}

function* suggestSpelled(
	view: Pick<RegistryView, "search">,
	vocabulary: Vocabulary,
	text: string,
	options: Options,
): Generator<void, Suggestions> {
	const { words, form } = canonicalWords(text);
	const collector = createCollector(view, options, form);
	for (const spelled of yield* expandInSteps(vocabulary, words.join(" "))) {
		if (collector.add(spelled)) break;
		yield;
	}
	return collector.finish();
}

/** Collects what several texts find in names, each entry once; `add` returns whether there are enough. */
function createCollector({ search }: Pick<RegistryView, "search">, options: Options, form: string | undefined) {
	const found = new Map<string, Suggestion>();
	let more = false;
	return {
		add: (text: string): boolean => {
			const hits = search({ ...options, ...(form === undefined ? {} : { form }), field: "any", text });
			for (const entry of hits.entries) {
				if (!found.has(entry.rnc)) found.set(entry.rnc, toSuggestion(entry, text, fieldOf(entry, text)));
			}
			more ||= hits.more || found.size > options.limit;
			return more || found.size === options.limit;
		},
		finish: (): Suggestions => ({ suggestions: [...found.values()].slice(0, options.limit), more }),
	};
}

/** The name that the text finds at the better place; the legal one of two equal ones. */
function fieldOf({ name, trade_name }: RegistryEntry, text: string): "name" | "trade_name" {
	const place = findPlace(name, { text });
	if (place?.hitClass === 0) return "name";
	const other = findPlace(trade_name, { text });
	return other && (!place || other.hitClass < place.hitClass) ? "trade_name" : "name";
}

function toSuggestion(entry: RegistryEntry, text: string, field: Suggestion["field"]): Suggestion {
	const { rnc, name, trade_name, status } = entry;
	const highlight = findHighlights(field, [text], entry).map(({ start, end }) => [start, end] as const);
	return { ...{ rnc, name, trade_name, status, field }, highlight };
}
