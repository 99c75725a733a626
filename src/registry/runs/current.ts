/** The data in use: one variable, swapped as a whole, so that an answer's run and its data always belong together. */
import { Problem } from "../../platform/problem";
import type { TaxpayerDocument } from "../../platform/values";
import { type RegistryEntry, type RegistrySearchItem, toSearchItem } from "../entry";
import type { Tombstones } from "../erasure";
import {
	copyItem,
	digitsOf,
	entryBytesAt,
	findAddressOfKey,
	findWords,
	type IsErased,
	itemSizeAt,
	listWords,
	lookupEntry,
	type ResponseBuffer,
	type RowHits,
	type SearchHits,
	type SearchQuery,
	type Snapshot,
	searchRows,
	searchSnapshot,
	TEXT_FIELDS,
} from "../index/index";
import type { RunRow } from "./store";

export type Loaded = {
	readonly run: RunRow;
	readonly snapshot: Snapshot;
	/** Whether all of the file was read against its checksums, by this process or by the one that has just built it. */
	readonly isVerified: boolean;
};

export type Current = {
	/** Undefined until something was loaded, and while there is nothing but a damaged file. */
	readonly get: () => Loaded | undefined;
	readonly swap: (loaded: Loaded) => void;
	/** Takes a damaged file out of service; false when another one is in use. */
	readonly drop: (fileId: string) => boolean;
};

export function createCurrent(): Current {
	let loaded: Loaded | undefined;
	return {
		get: () => loaded,
		swap: (next) => {
			loaded = next;
		},
		drop: (fileId) => {
			if (loaded?.snapshot.fileId !== fileId) return false;
			loaded = undefined;
			return true;
		},
	};
}

/** The tombstones are asked first, for every number or for none: one that was erased takes as long as one that never existed. */
export function findEntry(
	loaded: Loaded | undefined,
	tombstones: Tombstones,
	document: TaxpayerDocument,
): RegistryEntry | undefined {
	if (!loaded || isErasedIn(loaded, tombstones, document.digits)) return undefined;
	return lookupEntry(loaded.snapshot, document.digits);
}

/** A snapshot that was made without the very numbers that are erased now need not be doubted; any other is, number by number. */
export function isErasedIn(loaded: Loaded, tombstones: Tombstones, digits: string): boolean {
	return erasedCheckFor(loaded, tombstones)?.(digits) ?? false;
}

/** The question for each number, good until the caller waits for something; undefined where nothing need be asked. */
export function erasedCheckFor(loaded: Loaded, tombstones: Tombstones): ((digits: string) => boolean) | undefined {
	return isClear(loaded, tombstones) ? undefined : tombstones.isErased;
}

function isClear({ snapshot }: Loaded, tombstones: Tombstones): boolean {
	return snapshot.manifest.clearedOf === tombstones.fingerprint();
}

/** The entry of a document key as the JSON that is answered; written into `room` where it is given. */
export function findEntryBytes(
	loaded: Loaded,
	tombstones: Tombstones,
	key: number,
	buffer?: ResponseBuffer,
): Uint8Array<ArrayBuffer> | undefined {
	const { snapshot } = loaded;
	if (!isClear(loaded, tombstones) && tombstones.isErased(digitsOf(key))) return undefined;
	const address = findAddressOfKey(snapshot, key);
	return address === undefined ? undefined : entryBytesAt(snapshot, address, buffer);
}

/** Source: the specification, Registry status: stale when older than 36 hours, strictly. */
const STALE_AFTER_SECONDS = 129_600;

export function ageSeconds(run: RunRow, now: Date): number {
	return Math.max(0, Math.floor((now.getTime() - run.confirmedAt.getTime()) / 1000));
}

export function isStale(run: RunRow, now: Date): boolean {
	return ageSeconds(run, now) > STALE_AFTER_SECONDS;
}

/**
 * The data of one ingest run, as operations that answer many things at once use it: taken once for an answer, so that no
 * answer mixes two runs. Whatever was erased is left out by the functions themselves.
 */

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
	readonly writePage: (behind: object, buffer: ResponseBuffer) => Buffer<ArrayBuffer>;
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
	const ask = () => erasedCheckFor(loaded, tombstones);
	return {
		run: loaded.run,
		dataId: `${snapshot.path} ${snapshot.fileId} ${snapshot.manifest.clearedOf}`,
		lookup: (document) => findEntry(loaded, tombstones, document),
		search: (query) => searchSnapshot(snapshot, query, ask()),
		searchItems: (query) => {
			const { rows, ...rest } = searchRows(snapshot, query, ask());
			return { ...rest, count: rows.length, writePage: (behind, buffer) => writePage(snapshot, rows, behind, buffer) };
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

/** Writes a page of search hits as JSON, of what is ready in the snapshot: an entry is neither parsed nor written again. */

const pageStart = Buffer.from('{"items":[');
const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;

/** The rows' items in this order, and behind them the members of `rest`, which is not empty. */
export function writePage(
	snapshot: Snapshot,
	rows: readonly number[],
	rest: object,
	buffer: ResponseBuffer,
): Buffer<ArrayBuffer> {
	const ending = `],${JSON.stringify(rest).slice(1)}`;
	let size = pageStart.length + Buffer.byteLength(ending);
	// Each item is followed by its closing brace, and by a comma where another one follows.
	for (const row of rows) size += itemSizeAt(snapshot, row) + 2;
	if (rows.length > 0) size--;
	const page = buffer.take(size);
	let length = pageStart.copy(page);
	rows.forEach((row, i) => {
		length = copyItem(snapshot, row, page, length);
		page[length++] = CLOSING_BRACE;
		if (i < rows.length - 1) page[length++] = COMMA;
	});
	page.write(ending, length);
	return page;
}
