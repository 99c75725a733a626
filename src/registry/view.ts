/**
 * The data of one ingest run, as operations that answer many things at once use it: taken once for an answer, so that no
 * answer mixes two runs. Whatever was erased is left out by the functions themselves.
 */
import { Problem } from "../platform/problem";
import type { TaxpayerDocument } from "../platform/values";
import { askErased, findEntry, isErasedIn, type Loaded } from "./current";
import { type RegistryEntry, type RegistrySearchItem, toSearchItem } from "./entry";
import type { Tombstones } from "./erasure/tombstones";
import { findWords, listWords } from "./index/dictionary";
import { digitsOf } from "./index/document-key";
import { TEXT_FIELDS } from "./index/format";
import type { Snapshot } from "./index/open";
import {
	type IsErased,
	type RowHits,
	type SearchHits,
	type SearchQuery,
	searchRows,
	searchSnapshot,
} from "./index/search";
import type { Room } from "./response-buffer";
import type { RunRow } from "./store";
import { writePage } from "./write-page";

export type RegistryView = {
	readonly run: RunRow;
	/** Differs wherever the data do: the same run has other data once something was erased. */
	readonly dataId: string;
	readonly lookup: (document: TaxpayerDocument) => RegistryEntry | undefined;
	readonly search: (query: SearchQuery) => SearchHits;
	/** The same page as JSON. */
	readonly searchItems: (query: SearchQuery) => PageHits;
	/** Asked again for what was found a while before it is answered. */
	readonly isErased: (digits: string) => boolean;
	/** The distinct folded words of all text fields, each once, and how often each stands in one; those of erased entries too, as long as the file holds them. */
	readonly words: () => Iterable<readonly [word: string, rows: number]>;
	/** How many of a word's times are in entries that are erased by now: nothing else tells until the file is cleared. Asks for each entry with the word. */
	readonly countErased: (word: string) => number;
};

export type PageHits = Omit<RowHits, "rows"> & {
	readonly count: number;
	/** The page's JSON: `items`, and behind them the other members, given as an object. It may stand in the room. */
	readonly writePage: (behind: object, room: Room) => Buffer<ArrayBuffer>;
};

/** `shown` makes the items of the answer; the entries' own unless told otherwise. */
export function toPageHits(
	{ entries, ...rest }: SearchHits,
	shown: (item: RegistrySearchItem) => RegistrySearchItem = (item) => item,
): PageHits {
	const items = entries.map((entry) => shown(toSearchItem(entry)));
	return {
		...rest,
		count: items.length,
		writePage: (behind) => Buffer.from(JSON.stringify({ items, ...behind })),
	};
}

/** Undefined until something was loaded. */
export type TakeView = () => RegistryView | undefined;

export function viewOf(loaded: Loaded, tombstones: Tombstones): RegistryView {
	const { snapshot } = loaded;
	const ask = () => askErased(loaded, tombstones);
	return {
		run: loaded.run,
		dataId: `${snapshot.path} ${snapshot.fileId} ${snapshot.manifest.clearedOf}`,
		lookup: (document) => findEntry(loaded, tombstones, document),
		search: (query) => searchSnapshot(snapshot, query, ask()),
		searchItems: (query) => {
			const { rows, ...rest } = searchRows(snapshot, query, ask());
			return { ...rest, count: rows.length, writePage: (behind, room) => writePage(snapshot, rows, behind, room) };
		},
		isErased: (digits) => isErasedIn(loaded, tombstones, digits),
		words: () => countWords(snapshot),
		countErased: (word) => {
			const isErased = ask();
			return isErased ? countErased(snapshot, word, isErased) : 0;
		},
	};
}

function countWords(snapshot: Snapshot): Map<string, number> {
	const rows = new Map<string, number>();
	for (const field of TEXT_FIELDS) {
		for (const { word, count } of listWords(snapshot.fields[field])) rows.set(word, (rows.get(word) ?? 0) + count);
	}
	return rows;
}

function countErased(snapshot: Snapshot, word: string, isErased: IsErased): number {
	let count = 0;
	for (const name of TEXT_FIELDS) {
		const field = snapshot.fields[name];
		const { exact } = findWords(field, word);
		if (exact === undefined) continue;
		const end = field.postingStarts[exact + 1] ?? 0;
		for (let i = field.postingStarts[exact] ?? 0; i < end; i++) {
			const row = field.rows[field.postings[i] ?? 0] ?? 0;
			if (isErased(digitsOf(snapshot.keys[row] ?? 0))) count++;
		}
	}
	return count;
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
