/**
 * The data of one ingest run, as operations that answer many things at once use it: taken once for an answer, so that no
 * answer mixes two runs. Whatever was erased is left out by the functions themselves.
 */
import { Problem } from "../problem";
import type { TaxpayerDocument } from "../values";
import { findEntry, isErasedIn, type Loaded } from "./current";
import { type RegistryEntry, toSearchItem } from "./entry";
import type { Tombstones } from "./purge/tombstones";
import { itemBytesAt } from "./snapshot/decode";
import { listWords } from "./snapshot/dictionary";
import { TEXT_FIELDS } from "./snapshot/format";
import type { Snapshot } from "./snapshot/open";
import { type RowHits, type SearchHits, type SearchQuery, searchRows, searchSnapshot } from "./snapshot/search";
import type { RunRow } from "./store";

export type RegistryView = {
	readonly run: RunRow;
	readonly lookup: (document: TaxpayerDocument) => RegistryEntry | undefined;
	readonly search: (query: SearchQuery) => SearchHits;
	/** The same page as JSON of its items, each without its closing brace. */
	readonly searchItems: (query: SearchQuery) => ItemHits;
	/** Asked again for what was found a while before it is answered. */
	readonly isErased: (digits: string) => boolean;
	/** The distinct folded words of all text fields, each once, and how often each stands in one. */
	readonly words: () => Iterable<readonly [word: string, rows: number]>;
};

export type ItemHits = Omit<RowHits, "rows"> & { readonly items: readonly Uint8Array[] };

export function toItemHits({ entries, ...rest }: SearchHits): ItemHits {
	return { ...rest, items: entries.map((entry) => Buffer.from(JSON.stringify(toSearchItem(entry)).slice(0, -1))) };
}

/** Undefined until something was loaded. */
export type TakeView = () => RegistryView | undefined;

export function viewOf(loaded: Loaded, tombstones: Tombstones): RegistryView {
	const isErased = (digits: string) => isErasedIn(loaded, tombstones, digits);
	return {
		run: loaded.run,
		lookup: (document) => findEntry(loaded, tombstones, document),
		search: (query) => searchSnapshot(loaded.snapshot, query, isErased),
		searchItems: (query) => {
			const { rows, more, last } = searchRows(loaded.snapshot, query, isErased);
			return { items: rows.map((row) => itemBytesAt(loaded.snapshot, row)), more, ...(last ? { last } : {}) };
		},
		isErased,
		words: () => countWords(loaded.snapshot),
	};
}

function countWords(snapshot: Snapshot): Map<string, number> {
	const rows = new Map<string, number>();
	for (const field of TEXT_FIELDS) {
		for (const { word, count } of listWords(snapshot.fields[field])) rows.set(word, (rows.get(word) ?? 0) + count);
	}
	return rows;
}

const RETRY_AFTER_SECONDS = 5;

/** An unknown answer must not look like an empty one. */
export function registryUnavailable(): Problem {
	return new Problem("registry-unavailable", { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } });
}

/** The view to answer from. Throws: registry-unavailable. */
export function viewOrProblem(takeView: TakeView): RegistryView {
	const view = takeView();
	if (!view) throw registryUnavailable();
	return view;
}
