/** The data in use: one variable, replaced as a whole, so that an answer's run and its data always belong together. */
import { Problem } from "../../platform/problem";
import type { TaxpayerDocument } from "../../platform/values";
import type { RegistryEntry, RegistrySearchItem } from "../entry";
import type { Tombstones } from "../erasure";
import type { HistoryFile } from "../history";
import {
	copyItem,
	digitsOf,
	entryBytesAt,
	findAddressOfKey,
	findWords,
	type HitPosition,
	type IsErased,
	itemSizeAt,
	keyOf,
	type LengthCheck,
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
	watchLength,
} from "../index/index";
import type { RunRow } from "./store";

/** What a view needs of the tombstones; a thread has a copy of them. */
type ErasedNumbers = Pick<Tombstones, "isErased" | "fingerprint">;

export type Loaded = {
	readonly run: RunRow;
	readonly snapshot: Snapshot;
	/** Whether the whole file was checked against its checksums, by this process or by the one that built it. */
	readonly isVerified: boolean;
	/** Absent while it is built. */
	readonly history?: HistoryFile;
};

export type Current = {
	/** Undefined until something is loaded, and while there is only a damaged file. */
	readonly get: () => Loaded | undefined;
	/** The same with its history; undefined while there is none. */
	readonly getHistory: () => (Loaded & { readonly history: HistoryFile }) | undefined;
	readonly swap: (loaded: Loaded) => void;
	/** Removes a damaged file from service; false if another one is in use. */
	readonly drop: (fileId: string) => boolean;
	/** Closes the file in use, which stays mapped. */
	readonly close: () => void;
};

/**
 * `onCutOff` is called once for a file that was truncated while in use; it is out of service by then. Reading a mapping behind its file's end would
 * end the process, so the length is checked before each use.
 */
export function createCurrent(onCutOff: (snapshot: Snapshot) => void = () => undefined): Current {
	let loaded: Loaded | undefined;
	let check: LengthCheck | undefined;
	let historyCheck: LengthCheck | undefined;
	const replace = (next: Loaded | undefined) => {
		if (next?.snapshot !== loaded?.snapshot) {
			check?.stop();
			check = next && watchLength(next.snapshot);
		}
		if (next?.history !== loaded?.history) {
			historyCheck?.stop();
			historyCheck = next?.history && watchLength(next.history);
		}
		loaded = next;
	};
	const get = () => {
		if (loaded && check?.isCutOff()) {
			const { snapshot } = loaded;
			replace(undefined);
			onCutOff(snapshot);
		}
		return loaded;
	};
	return {
		get,
		getHistory: () => {
			const found = get();
			if (!found?.history) return undefined;
			if (!historyCheck?.isCutOff()) return found as Loaded & { readonly history: HistoryFile };
			const { history: _, ...others } = found;
			replace(others);
			return undefined;
		},
		swap: replace,
		drop: (fileId) => {
			if (loaded?.snapshot.fileId !== fileId) return false;
			replace(undefined);
			return true;
		},
		close: () => {
			check?.stop();
			historyCheck?.stop();
		},
	};
}

/** The tombstones are checked first, for every number or for none, so that an erased number takes as long as an unknown one. */
export function findEntry(
	loaded: Loaded | undefined,
	tombstones: ErasedNumbers,
	document: TaxpayerDocument,
): RegistryEntry | undefined {
	if (!loaded || isErasedIn(loaded, tombstones, document.digits)) return undefined;
	return lookupEntry(loaded.snapshot, document.digits);
}

/** A snapshot that was built without exactly the numbers that are erased now needs no check. */
function isErasedIn(loaded: Loaded, tombstones: ErasedNumbers, digits: string): boolean {
	return erasedCheckFor(loaded, tombstones)?.(digits) ?? false;
}

/** The check for each number, valid until the caller awaits something; undefined if none is needed. */
function erasedCheckFor(loaded: Loaded, tombstones: ErasedNumbers): ((digits: string) => boolean) | undefined {
	return isClear(loaded, tombstones) ? undefined : tombstones.isErased;
}

function isClear({ snapshot }: Loaded, tombstones: ErasedNumbers): boolean {
	return snapshot.manifest.clearedOf === tombstones.fingerprint();
}

/** The entry of a document key as JSON; written into `buffer` if given. */
export function findEntryBytes(
	loaded: Loaded,
	tombstones: ErasedNumbers,
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

/** The data of one ingest run, taken once per answer so that no answer mixes two runs. Its functions omit erased entries. */

export type RegistryView = {
	readonly run: RunRow;
	/** Changes whenever the data change; an erasure changes the data of a run. */
	readonly dataId: string;
	readonly lookup: (document: TaxpayerDocument) => RegistryEntry | undefined;
	readonly search: (query: SearchQuery) => SearchHits;
	readonly searchItems: (query: SearchQuery) => PageHits;
	/** For results that were found some time before they are answered. */
	readonly isErased: (digits: string) => boolean;
	/** Whether a text field has exactly this word, in an entry that may be erased. */
	readonly isWord: (word: string) => boolean;
	/** The distinct folded words of all text fields with their number of occurrences, including those of erased entries that the file still holds. */
	readonly words: () => Iterable<readonly [word: string, rows: number]>;
	/** The number of a word's occurrences in erased entries that the file still holds. Checks each entry with the word. */
	readonly countErased: (word: string) => number;
};

export type PageHits = Omit<RowHits, "rows"> & {
	readonly count: number;
	/** Calls `use` with the document key of each entry. */
	readonly eachKey: (use: (key: number) => void) => void;
	/** The page's JSON: `items`, followed by the members of `behind`. It may be in the buffer. */
	readonly writePage: (behind: object, buffer: ResponseBuffer) => Buffer<ArrayBuffer>;
};

export function toPageHits(items: readonly RegistrySearchItem[], more: boolean, last?: HitPosition): PageHits {
	return {
		...{ more, count: items.length, ...(last ? { last } : {}) },
		eachKey: (use) => {
			for (const { rnc } of items) use(keyOf(rnc));
		},
		writePage: (behind) => Buffer.from(JSON.stringify({ items, ...behind })),
	};
}

/** Undefined until something is loaded. */
export type TakeView = () => RegistryView | undefined;

export function viewOf(loaded: Loaded, tombstones: ErasedNumbers): RegistryView {
	const { snapshot } = loaded;
	const ask = () => erasedCheckFor(loaded, tombstones);
	return {
		run: loaded.run,
		dataId: `${snapshot.path} ${snapshot.fileId} ${snapshot.manifest.clearedOf}`,
		lookup: (document) => findEntry(loaded, tombstones, document),
		search: (query) => searchSnapshot(snapshot, query, ask()),
		searchItems: (query) => {
			const { rows, ...rest } = searchRows(snapshot, query, ask());
			return {
				...rest,
				count: rows.length,
				eachKey: (use) => {
					for (const row of rows) use(snapshot.keys[row] ?? 0);
				},
				writePage: (behind, buffer) => writePage(snapshot, rows, behind, buffer),
			};
		},
		isErased: (digits) => isErasedIn(loaded, tombstones, digits),
		isWord: (word) => TEXT_FIELDS.some((field) => findWords(snapshot.fields[field], word).exact !== undefined),
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

/** Writes a page of search hits as JSON from the bytes of the snapshot, without parsing an entry. */

const pageStart = Buffer.from('{"items":[');
const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;

/** The items of the rows in this order, followed by the members of `rest`, which must not be empty. */
export function writePage(
	snapshot: Snapshot,
	rows: readonly number[],
	rest: object,
	buffer: ResponseBuffer,
): Buffer<ArrayBuffer> {
	const ending = `],${JSON.stringify(rest).slice(1)}`;
	let size = pageStart.length + Buffer.byteLength(ending);
	// Each item is followed by a closing brace, and by a comma if another item follows.
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
