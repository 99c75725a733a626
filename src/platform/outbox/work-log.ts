/**
 * Documents that a lane carries from their log entry to the end without a message's row.
 *
 *   work_log ──read──▶ open: first kind ──verdict──▶ what follows ──▶ finished, behind `done_before`
 *                        │  ▲                          │
 *                        │  └── left, found again ─────┤
 *                        └──── takes long, or dies ────┴──▶ a message with a row
 *
 * Model: an entry is new to the lane until it has read it once. Of a shard that the lane has just got, entries after the mark may have been begun:
 * what is left of them is found by what is stored. A document in no queue, because an attempt was lost, is looked up like that too.
 *
 * Trust: ids of entries are not in commit order, so reads reach back: often a little, now and then to the beginning of the oldest transaction that may
 * still write an entry. The mark never passes an open entry, nor what such a read has covered. It moves only while the shard is the lane's.
 *
 * Failures: whatever the memory held is found again by the next owner of the shard.
 */
import type { Sql } from "../database";
import type { OwnHold } from "../lanes";
import { newId, timeOfId } from "../values";
import {
	type LoggedKey,
	type LogRow,
	listLogged,
	listLoggedSince,
	moveMarks,
	readHorizon,
	type Since,
} from "./log-store";
import type { NewMessage } from "./message";
import type { DueRow } from "./store";

export type LoggedWork = {
	/** What an entry asks for, once for each of its documents. */
	readonly first: string;
	/** What follows from every verdict, in its transaction. */
	readonly last: string;
	/** What else may follow from a step of the document, in its transaction. */
	readonly besides: readonly string[];
	/** What is left to do of these documents, in order: nothing that is finished, or that has a message with a row. */
	readonly findLeft: (sql: Sql, documents: readonly LoggedKey[]) => Promise<readonly NewMessage[]>;
};

type Entry = {
	readonly id: string;
	readonly shard: number;
	readonly term: number;
	/** By the steady clock. */
	readonly readAtMs: number;
	/** Documents that are not finished. */
	open: number;
};

export type LoggedDocument = LoggedKey & {
	readonly entry: Entry;
	/** Messages in the queue, running, or about to be there. */
	live: number;
	/** Nothing more follows from it here: it is decided, or its first message goes on with a row. */
	isPast: boolean;
	/** A message left without an end since the document was looked up. */
	isTorn: boolean;
};

type WorkLogOptions = {
	readonly sql: Sql;
	readonly work: LoggedWork;
	readonly findHold: (tenantId: string) => OwnHold | undefined;
	/** False for a message that is not taken. */
	readonly offer: (row: DueRow, document: LoggedDocument, openedAtMs: number, isRepeat: boolean) => boolean;
};

/** No more are kept in memory; the rest is read when half of them are finished. */
const OPEN_MAX = 100_000;
/** Entries and documents in one statement. */
const PAGE = 500;
/** Time between two reads of all that may have been committed meanwhile. */
const FAR_EVERY_MS = 5_000;
const MARK_ALL_EVERY_MS = 60_000;

export type WorkLog = ReturnType<typeof createWorkLog>;

export function createWorkLog({ sql, work, findHold, offer }: WorkLogOptions) {
	const entries = new Map<string, Entry>();
	const documents = new Map<string, LoggedDocument>();
	/** Documents that no message is about, for whatever reason. */
	const strays = new Set<LoggedDocument>();
	/** By shard, the term in which its older entries have been read, and the time before which no further ones come. */
	const covered = new Map<number, { readonly term: number; readonly beforeMs: number }>();
	let isBehind = false;
	let readFarAtMs = Number.NEGATIVE_INFINITY;
	let markedAllAtMs = Number.NEGATIVE_INFINITY;

	function open(row: LogRow, hold: OwnHold): Entry {
		const { id } = row;
		const entry = {
			...{ id, shard: hold.shard, term: hold.term, readAtMs: performance.now() },
			open: row.docIds.length,
		};
		entries.set(id, entry);
		return entry;
	}

	function add(entry: Entry, { tenantId, docId }: LoggedKey): LoggedDocument {
		const document = { entry, tenantId, docId, live: 0, isPast: false, isTorn: false };
		documents.set(docId, document);
		return document;
	}

	/** Offers a message that `live` counts already. */
	function run(document: LoggedDocument, message: NewMessage, openedAtMs: number, nowMs: number, isRepeat: boolean) {
		const ageSeconds = Math.max(0, nowMs - timeOf(document.entry)) / 1000;
		if (!offer(toRow(message, document, ageSeconds), document, openedAtMs, isRepeat)) lose(document);
	}

	/** Carries on with what was found, or with nothing. */
	function resume(document: LoggedDocument, left: readonly NewMessage[], openedAtMs: number, nowMs: number): void {
		document.isTorn = false;
		if (left.length === 0) {
			finish(document);
			return;
		}
		document.isPast = left.every(({ kind }) => kind !== work.first);
		document.live += left.length;
		for (const message of left) run(document, message, openedAtMs, nowMs, true);
	}

	/** The first message of a document has its id, and one with a subject of its own has that, so that none is there twice. */
	function toRow({ kind, tenantId, subject, payload = {} }: NewMessage, { docId }: LoggedDocument, ageSeconds: number) {
		const id = kind === work.first || subject !== docId ? subject : newId();
		return { id, kind, tenantId, subject, payload, failures: 0, ageSeconds, isMoved: false };
	}

	function finish(document: LoggedDocument): void {
		documents.delete(document.docId);
		strays.delete(document);
		document.entry.open--;
	}

	/** A message has left the queue without an end. */
	function lose(document: LoggedDocument): void {
		document.isTorn = true;
		leave(document);
	}

	function leave(document: LoggedDocument): void {
		document.live--;
		if (document.live > 0 || documents.get(document.docId) !== document) return;
		if (document.isPast && !document.isTorn) finish(document);
		else strays.add(document);
	}

	const isFull = () => documents.size >= OPEN_MAX;
	const isCurrent = ({ entry, tenantId }: LoggedDocument) => findHold(tenantId)?.term === entry.term;

	/** The time before which the lane has read all that the shard will have; undefined for one whose older entries it has not read. */
	function coveredOf({ shard, term }: Pick<OwnHold, "shard" | "term">): number | undefined {
		const known = covered.get(shard);
		return known?.term === term ? known.beforeMs : undefined;
	}

	function cover({ shard, term }: Pick<OwnHold, "shard" | "term">, beforeMs: number): void {
		const known = coveredOf({ shard, term }) ?? Number.NEGATIVE_INFINITY;
		covered.set(shard, { term, beforeMs: Math.max(known, beforeMs) });
	}

	async function read(seconds: number, holds: readonly OwnHold[]): Promise<void> {
		const shards = holds.map(({ shard }) => shard);
		if (performance.now() - readFarAtMs < FAR_EVERY_MS || isBehind) {
			await readSince(shards, { seconds });
			return;
		}
		const known = holds.filter((hold) => coveredOf(hold) !== undefined);
		const beforeMs = await readHorizon(sql);
		await readSince(shards, { fromMs: Math.min(beforeMs, ...known.map((hold) => coveredOf(hold) ?? Infinity)) });
		readFarAtMs = performance.now();
		if (isBehind) return;
		for (const hold of known) cover(hold, beforeMs);
	}

	async function readSince(shards: readonly number[], since: Since): Promise<void> {
		const openedAtMs = performance.now();
		for (const row of await listLogged(sql, shards, since)) {
			const hold = findHold(row.tenantId);
			if (!hold || entries.has(row.id) || timeOf(row) < (coveredOf(hold) ?? Infinity)) continue;
			if (isFull()) {
				isBehind = true;
				continue;
			}
			const entry = open(row, hold);
			for (const docId of row.docIds) {
				const document = add(entry, { tenantId: row.tenantId, docId });
				const message = { kind: work.first, tenantId: row.tenantId, subject: docId };
				document.live++;
				run(document, message, openedAtMs, row.nowMs, false);
			}
		}
	}

	/** Reads what lies behind the marks of these shards. */
	async function recover(terms: ReadonlyMap<number, number>): Promise<void> {
		let after: string | undefined;
		isBehind = false;
		const beforeMs = await readHorizon(sql);
		for (let isLast = false; !isLast; ) {
			if (isFull()) {
				isBehind = true;
				break;
			}
			const openedAtMs = performance.now();
			const rows = await listLoggedSince(sql, [...terms.keys()], after, PAGE);
			isLast = rows.length < PAGE;
			after = rows.at(-1)?.id;
			const fresh = rows.filter(({ id }) => !entries.has(id));
			const keys = fresh.flatMap(({ tenantId, docIds }) => docIds.map((docId) => ({ tenantId, docId })));
			const left = await findLeft(keys);
			for (const row of fresh) {
				const hold = findHold(row.tenantId);
				if (!hold || hold.term !== terms.get(hold.shard) || entries.has(row.id)) continue;
				const entry = open(row, hold);
				for (const docId of row.docIds) {
					const document = add(entry, { tenantId: row.tenantId, docId });
					resume(document, left.get(docId) ?? [], openedAtMs, row.nowMs);
				}
			}
		}
		for (const [shard, term] of terms) cover({ shard, term }, beforeMs);
	}

	/** By document. */
	async function findLeft(keys: readonly LoggedKey[]): Promise<Map<string, NewMessage[]>> {
		const left: NewMessage[] = [];
		for (let from = 0; from < keys.length; from += PAGE)
			left.push(...(await work.findLeft(sql, keys.slice(from, from + PAGE))));
		return Map.groupBy(left, ({ docId, subject }) => docId ?? subject);
	}

	async function runStrays(): Promise<void> {
		const some = [...strays].slice(0, PAGE).filter(isCurrent);
		if (some.length === 0) return;
		const openedAtMs = performance.now();
		const left = await findLeft(some);
		for (const document of some) {
			if (!strays.delete(document)) continue;
			resume(document, left.get(document.docId) ?? [], openedAtMs, Date.now());
		}
	}

	async function mark(holds: readonly OwnHold[]): Promise<void> {
		if (isBehind) return;
		const nowMs = performance.now();
		const isAll = nowMs - markedAllAtMs > MARK_ALL_EVERY_MS;
		const oldest = new Map<number, number>();
		const used = new Set<number>();
		for (const [id, entry] of entries) {
			used.add(entry.shard);
			if (entry.open > 0) oldest.set(entry.shard, Math.min(oldest.get(entry.shard) ?? Infinity, timeOf(entry)));
			else if (timeOf(entry) < (coveredOf(entry) ?? Infinity)) entries.delete(id);
		}
		const marks = holds.flatMap((hold) => {
			const beforeMs = coveredOf(hold);
			if (beforeMs === undefined || !(isAll || used.has(hold.shard))) return [];
			return [{ ...hold, beforeMs: Math.min(beforeMs, oldest.get(hold.shard) ?? Infinity) }];
		});
		if (marks.length > 0) await moveMarks(sql, marks);
		if (isAll) markedAllAtMs = nowMs;
	}

	return {
		/** Reads new entries of the shards, and what is left of those that the lane has just got. */
		async read(holds: readonly OwnHold[], seconds: number): Promise<void> {
			const wanted = holds.filter((hold) => isBehind || coveredOf(hold) === undefined);
			const isRoomy = documents.size < OPEN_MAX / 2;
			if (wanted.length > 0 && isRoomy) await recover(new Map(wanted.map(({ shard, term }) => [shard, term])));
			await read(seconds, holds);
		},
		/** What follows from a document that is being carried; undefined if the message needs a row. Its `live` counts it from here on. */
		take(message: NewMessage): { readonly row: DueRow; readonly document: LoggedDocument } | undefined {
			const { kind, docId, subject, availableInSeconds } = message;
			const isOfDocument = kind === work.last || work.besides.includes(kind);
			const document = isOfDocument && !availableInSeconds ? documents.get(docId ?? subject) : undefined;
			if (!document || document.live === 0 || !isCurrent(document)) return undefined;
			if (kind === work.last) document.isPast = true;
			document.live++;
			return { document, row: toRow(message, document, 0) };
		},
		lose,
		/** A message has ended. `hasRow`: it goes on with a row. */
		end(document: LoggedDocument, kind: string, hasRow: boolean): void {
			if (kind === work.first && hasRow) document.isPast = true;
			leave(document);
		},
		/** Call it when the lane has lost shards. */
		forget(): void {
			for (const document of documents.values()) {
				if (isCurrent(document)) continue;
				documents.delete(document.docId);
				strays.delete(document);
				entries.delete(document.entry.id);
				covered.delete(document.entry.shard);
			}
		},
		/** Call it every few seconds: runs what no message is about, and moves the marks. */
		async tend(holds: readonly OwnHold[]): Promise<void> {
			await runStrays();
			await mark(holds);
		},
		/** Seconds since the oldest open entry was read; 0 without one. */
		oldestSeconds(): number {
			for (const { open, readAtMs } of entries.values()) if (open > 0) return (performance.now() - readAtMs) / 1000;
			return 0;
		},
	};
}

/** Milliseconds since 1970, by the database's clock. */
function timeOf({ id }: Pick<Entry, "id">): number {
	return timeOfId(id).getTime();
}
