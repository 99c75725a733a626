/**
 * Caches rows of the database, so that a known caller costs no query, and never serves a row that changed more than a second ago.
 *
 *   the row was read less than 900 ms ago .................................. served
 *   all changes until less than 900 ms ago have been received .............. served: a change would have dropped it
 *   neither ................................................................ read again; callers wait
 *   the same while the database is away .................................... served in grace: grace.ts
 *
 * A row in use that is unconfirmed for 450 ms is read again while it is still served. So no caller waits for a database that answers within
 * 450 ms, even when notifications are late, and no revoked key works for longer than a second. Callers wait for a slower database.
 *
 * Quirks: a row that changes while it is being read goes to those who wait for it and is not cached. An absent row is cached for the same
 * time and in small numbers, since an attacker can invent absent keys. Time here is real elapsed time, not the program's clock, which a
 * test or an operator may set.
 */
import { withTimeout } from "../../platform/concurrency";
import { retryOnFailure } from "../../platform/database";
import { type Grace, NO_GRACE } from "./grace";
import { isUnavailable, orUnavailable, unavailable } from "./refusal";

export type LookupCache<V> = {
	/** The row if it is cached and may be served. `at` is now, for a caller that has read the clock already. */
	readonly peek: (key: string, at?: number) => V | undefined;
	/** The row, read if necessary; simultaneous reads of one row share one query. Throws: service-unavailable. */
	readonly get: (key: string) => Promise<V | undefined>;
	readonly drop: (key: string) => void;
	/** Changes may have been missed: every row is read again before it is served, unless the database goes away first. */
	readonly distrust: () => void;
	readonly size: () => number;
};

type LookupCacheOptions<V> = {
	readonly read: (key: string) => Promise<V | undefined>;
	/** The time until which all changes have been received. Units: milliseconds of `now`. */
	readonly currentUntil: () => number;
	/** Absent: nothing is served while the database is away. */
	readonly grace?: Grace;
	/** Most cached rows; the one read longest ago goes first. */
	readonly rowsMax: number;
	readonly now?: () => number;
	readonly readTimeoutMs?: number;
};

/** A second, less the time from a request's guard to its answer. */
const FRESH_MS = 900;
/** Longer than the gap between two heartbeats, so nothing is read while notifications arrive in time. */
const RENEW_AFTER_MS = 450;
/** Most early reads at a time: they must not delay reads that callers wait for. */
const RENEWALS_MAX = 100;
const ABSENT_MAX = 1_000;
/** Most different rows read at a time; beyond that the database does not keep up, and waiting would only pile up. */
const READS_MAX = 1_000;
const READ_TIMEOUT_MS = 3_000;

/** In grace each process tries the database with one read a second. */
const TRY_EVERY_MS = 1_000;

/** `isDistrusted`: changes since `readAt` may have been missed. */
type Kept<V> = { readonly row: V; readonly readAt: number; readonly isDistrusted?: true };

export function createLookupCache<V>(options: LookupCacheOptions<V>): LookupCache<V> {
	const { read, currentUntil, rowsMax, now = () => performance.now(), readTimeoutMs = READ_TIMEOUT_MS } = options;
	const { grace = NO_GRACE } = options;
	let triedAt = Number.NEGATIVE_INFINITY;
	const known = new Map<string, Kept<V>>();
	const absent = new Map<string, number>();
	const reading = new Map<string, Promise<V | undefined>>();

	const peek = (key: string, at = now()): V | undefined => {
		const kept = known.get(key);
		if (!kept) return undefined;
		const confirmedAt = kept.isDistrusted ? kept.readAt : Math.max(kept.readAt, currentUntil());
		const unsureMs = at - confirmedAt;
		if (unsureMs >= FRESH_MS || kept.isDistrusted) {
			if (!grace.covers(confirmedAt, at)) return undefined;
			if (at - triedAt >= TRY_EVERY_MS && !reading.has(key)) {
				triedAt = at;
				renew(key, at);
			}
			return kept.row;
		}
		if (unsureMs >= RENEW_AFTER_MS && !reading.has(key) && reading.size < RENEWALS_MAX) renew(key, at);
		return kept.row;
	};

	/** Not awaited: after a failure the row becomes stale, and the next caller reads it and gets the error. */
	const renew = (key: string, at: number): void => {
		begin(key, at).catch(() => undefined);
	};

	const get = async (key: string): Promise<V | undefined> => {
		const row = peek(key);
		if (row !== undefined) return row;
		const at = now();
		const absentSince = absent.get(key);
		if (absentSince !== undefined && at - absentSince < FRESH_MS) return undefined;
		try {
			return await (reading.get(key) ?? begin(key, at));
		} catch (error) {
			// The database has just gone away.
			const known = peek(key);
			if (known === undefined) throw error;
			return known;
		}
	};

	const begin = (key: string, at: number): Promise<V | undefined> => {
		if (reading.size >= READS_MAX) throw unavailable();
		const answer = orUnavailable(() =>
			withTimeout(
				retryOnFailure(() => read(key)),
				readTimeoutMs,
				() => {
					throw unavailable(new Error(`no answer within ${readTimeoutMs} ms`));
				},
			),
		).then(
			(row) => {
				grace.noteAnswer();
				if (reading.get(key) === answer) keep(key, row, at);
				return row;
			},
			(error: unknown) => {
				if (isUnavailable(error)) grace.noteFailure();
				if (reading.get(key) === answer) reading.delete(key);
				throw error;
			},
		);
		reading.set(key, answer);
		return answer;
	};

	const keep = (key: string, row: V | undefined, readAt: number): void => {
		drop(key);
		if (row === undefined) insert(absent, key, readAt, ABSENT_MAX);
		else insert(known, key, { row, readAt }, rowsMax);
	};

	const drop = (key: string): void => {
		known.delete(key);
		absent.delete(key);
		reading.delete(key);
	};

	const distrust = (): void => {
		const until = currentUntil();
		for (const [key, { row, readAt, isDistrusted }] of known) {
			// A row that was distrusted before has been confirmed by nothing since.
			known.set(key, { row, readAt: isDistrusted ? readAt : Math.max(readAt, until), isDistrusted: true });
		}
		absent.clear();
		reading.clear();
	};

	return { peek, get, drop, distrust, size: () => known.size };
}

function insert<T>(map: Map<string, T>, key: string, value: T, sizeMax: number): void {
	map.set(key, value);
	if (map.size <= sizeMax) return;
	const oldest = map.keys().next();
	if (!oldest.done) map.delete(oldest.value);
}
