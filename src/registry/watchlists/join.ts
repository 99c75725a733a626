/**
 * Writes the events of a run: the changes of each set are joined with all watchlists in memory.
 *
 *     run's transaction ─▶ message ─▶ for each subject one transaction: its lists locked, its events written, its lists marked with the set
 *
 * A process that dies leaves some subjects marked and the message unsettled. The next attempt continues with the rest, so each subject gets
 * the events of each set once. Sets are joined in order, whichever message comes first.
 */
import type { Sql, Tx } from "../../platform/database";
import { append, done, type Handler, OUTBOX_KINDS } from "../../platform/outbox";
import type { Clock } from "../../platform/values";
import { findLastOrdinal, findNextSet, type KeptChange, lockChanges, type SetOfChanges } from "../changes";
import { keyOf } from "../index/index";
import { ACTIVE_STATUS } from "../known-values";
import { joinNumbers } from "./numbers";
import { findBehind, findNumbers, hasWatchlists, type JoinedRow, lockBehind, markJoined } from "./store";

/** The member `registry` of an event about one number. */
export type RecordChanged = {
	readonly document: string;
	readonly change: "added" | "changed" | "removed";
	/** It was ACTIVO and is no longer, or is removed. */
	readonly risk: boolean;
	readonly fields: readonly { readonly field: string; readonly was: string; readonly is: string }[];
	readonly run_id: string;
	readonly watchlists: readonly { readonly id: string; readonly reference?: string }[];
	readonly watchlistsOmitted: number;
};

/** The member `registry` of the event that stands for the changes of a run that are too many. */
export type WatchlistChanged = {
	readonly run_id: string;
	readonly counts: {
		readonly added: number;
		readonly changed: number;
		readonly removed: number;
		readonly risk: number;
	};
	readonly watchlists: readonly { readonly id: string; readonly changes: number; readonly link: string }[];
	readonly watchlistsOmitted: number;
};

/** Writes events of one subject in the transaction. */
export type WriteWatchEvents = (
	tx: Tx,
	subjectId: string,
	occurredAt: Date,
	events: readonly (
		| { readonly event: "registry.record_changed"; readonly registry: RecordChanged }
		| { readonly event: "registry.watchlist_changed"; readonly registry: WatchlistChanged }
	)[],
) => Promise<void>;

export type WatchJoin = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly writeEvents: WriteWatchEvents;
	/** Wakes dispatchers for the deliveries. */
	readonly wake: () => void;
};

/** More changes of a run than these become one event. */
export const EVENTS_MAX = 1_000;
const LISTS_MAX = 20;
/** A value longer than this is cut, so that an event fits its limit. Units: characters. */
const VALUE_MAX = 150;
/** Takes the place of a tenant in the outbox: the message is about lists of many subjects. */
export const ALL_LISTS = "00000000-0000-7000-8000-00000000000b";

/** Queues the join of a run, in the run's transaction. */
export async function queueJoin(tx: Tx, runId: string): Promise<void> {
	if (await hasWatchlists(tx)) {
		await append(tx, { kind: OUTBOX_KINDS.joinWatchlists, tenantId: ALL_LISTS, subject: runId });
	}
}

/** Handler of `registry.join`. */
export function createJoinWatchlists(deps: WatchJoin): Handler {
	return async () => {
		await joinAll(deps);
		return done;
	};
}

/** Writes all events that watchlists lack. */
export async function joinAll(deps: WatchJoin): Promise<void> {
	const last = await findLastOrdinal(deps.sql);
	const { subjects, least } = await findBehind(deps.sql, last);
	const sets = await readSets(deps.sql, least, last);
	for (const subjectId of subjects) {
		await deps.sql.begin((tx) => joinSubject(tx, deps, subjectId, sets, last));
		deps.wake();
	}
}

export type JoinedSet = SetOfChanges & { readonly keys: Float64Array };

/** The sets of changes after one and up to another. */
export async function readSets(sql: Sql | Tx, after: number, upTo: number): Promise<JoinedSet[]> {
	const sets: JoinedSet[] = [];
	for (let set = await findNextSet(sql, after); set && set.ordinal <= upTo; ) {
		sets.push({ ...set, keys: Float64Array.from(set.documents, keyOf) });
		set = await findNextSet(sql, set.ordinal);
	}
	return sets;
}

async function joinSubject(
	tx: Tx,
	{ clock, writeEvents }: WatchJoin,
	subjectId: string,
	sets: readonly JoinedSet[],
	last: number,
): Promise<void> {
	const lists = await lockBehind(tx, subjectId, last);
	for (const set of sets) {
		const hits = findHits(set, lists);
		if (hits.size === 0) continue;
		const changes = await lockChanges(tx, [...hits.keys()]);
		const matches = changes.flatMap((change) => toMatch(change, hits.get(change.number) ?? []));
		if (matches.length > EVENTS_MAX) {
			const registry = toSummary(set.runId, matches);
			await writeEvents(tx, subjectId, clock.now(), [{ event: "registry.watchlist_changed", registry }]);
		} else if (matches.length > 0) {
			const referenceOf = await readReferences(tx, matches);
			const events = matches.map((match) => {
				return { event: "registry.record_changed" as const, registry: toRecordChanged(set.runId, match, referenceOf) };
			});
			await writeEvents(tx, subjectId, clock.now(), events);
		}
	}
	await markJoined(
		tx,
		lists.map(({ id }) => id),
		last,
	);
}

type Hit = { readonly list: JoinedRow; readonly place: number };

/** By the change's number, the lists that have its document. */
function findHits(set: JoinedSet, lists: readonly JoinedRow[]): Map<number, Hit[]> {
	const hits = new Map<number, Hit[]>();
	for (const list of lists) {
		if (list.joinedOrdinal >= set.ordinal) continue;
		for (const [place, at] of joinNumbers(list.numbers, set.keys)) {
			const number = set.numbers[at] ?? 0;
			const ofNumber = hits.get(number);
			if (ofNumber) ofNumber.push({ list, place });
			else hits.set(number, [{ list, place }]);
		}
	}
	return hits;
}

type Match = KeptChange & { readonly risk: boolean; readonly hits: readonly Hit[] };

/** Whether a list watches a value that changed. A change without known values is reported to all. */
export function isWatched({ kind, fields }: Pick<KeptChange, "kind" | "fields">, watched: readonly string[]): boolean {
	return kind !== "changed" || fields === null || fields.some(({ field }) => watched.includes(field));
}

/** Empty if no list watches the change. */
function toMatch(change: KeptChange, hits: readonly Hit[]): Match[] {
	const { fields } = change;
	const wanting = hits.filter(({ list }) => isWatched(change, list.fields));
	if (wanting.length === 0) return [];
	const shown = fields?.filter(({ field }) => wanting.some(({ list }) => list.fields.includes(field)));
	return [{ ...change, fields: shown ?? null, risk: isRisk(change), hits: wanting }];
}

export function isRisk({ kind, fields }: Pick<KeptChange, "kind" | "fields">): boolean {
	return kind === "removed" || (fields?.some(({ field, was }) => field === "status" && was === ACTIVE_STATUS) ?? false);
}

/** The references of the lists that matched. */
async function readReferences(tx: Tx, matches: readonly Match[]): Promise<(hit: Hit) => string> {
	const ids = new Set(matches.flatMap(({ hits }) => hits.map(({ list }) => list.id)));
	const byList = new Map<string, string[]>();
	for (const id of ids) byList.set(id, (await findNumbers(tx, id)).labels.split("\n"));
	return ({ list, place }) => byList.get(list.id)?.[place] ?? "";
}

function toRecordChanged(
	runId: string,
	{ kind, document, risk, fields, hits }: Match,
	referenceOf: (hit: Hit) => string,
) {
	const shown = hits.slice(0, LISTS_MAX);
	return {
		document,
		change: kind,
		risk,
		fields: (fields ?? []).map(({ field, was, is }) => ({ field, was: cut(was), is: cut(is) })),
		run_id: runId,
		watchlists: shown.map((hit) => {
			const reference = referenceOf(hit);
			return { id: hit.list.id, ...(reference === "" ? {} : { reference }) };
		}),
		watchlistsOmitted: hits.length - shown.length,
	};
}

function cut(value: string): string {
	return value.length > VALUE_MAX ? `${value.slice(0, VALUE_MAX - 1)}…` : value;
}

function toSummary(runId: string, matches: readonly Match[]): WatchlistChanged {
	const counts = { added: 0, changed: 0, removed: 0, risk: 0 };
	const byList = new Map<string, number>();
	for (const { kind, risk, hits } of matches) {
		counts[kind]++;
		if (risk) counts.risk++;
		for (const { list } of hits) byList.set(list.id, (byList.get(list.id) ?? 0) + 1);
	}
	const lists = [...byList].map(([id, changes]) => ({
		id,
		changes,
		link: `/v1/watchlists/${id}/changes?run_id=${runId}`,
	}));
	return {
		run_id: runId,
		counts,
		watchlists: lists.slice(0, LISTS_MAX),
		watchlistsOmitted: Math.max(0, lists.length - LISTS_MAX),
	};
}
