/** All SQL of the watchlists. */
import type { Sql, Tx } from "../../platform/database";
import { findLastOrdinal, type WatchedField } from "../changes";

export type WatchlistRow = {
	readonly id: string;
	readonly name: string;
	readonly fields: readonly WatchedField[];
	readonly count: number;
	readonly createdAt: Date;
	readonly updatedAt: Date;
};

/** Whose list it is: an owner's, or a company's of this owner. */
export type Holder = { readonly ownerId: string; readonly tenantId: string | null };

const columns = (sql: Sql | Tx) => sql`
	id, name, fields, number_count as count, created_at as "createdAt", updated_at as "updatedAt"`;

const heldBy = (sql: Sql | Tx, { ownerId, tenantId }: Holder) =>
	sql`owner_id = ${ownerId} and subject_id = ${tenantId ?? ownerId}`;

/** Locks the owner until the transaction ends, so that its limits hold. Returns the lists and numbers of all its companies. */
export async function lockAndCount(tx: Tx, ownerId: string): Promise<{ lists: number; numbers: number }> {
	await tx`select 1 from owners where id = ${ownerId} for no key update`;
	const [row] = await tx<{ lists: number; numbers: number }[]>`
		select count(*)::int as lists, coalesce(sum(number_count), 0)::int as numbers from watchlists where owner_id = ${ownerId}`;
	return row ?? { lists: 0, numbers: 0 };
}

/** Its events begin with the next run. */
export async function insertWatchlist(
	tx: Tx,
	{ ownerId, tenantId }: Holder,
	list: Pick<WatchlistRow, "id" | "name" | "fields">,
): Promise<WatchlistRow> {
	const [row] = await tx<WatchlistRow[]>`
		insert into watchlists (id, owner_id, tenant_id, name, fields, joined_ordinal)
		values (${list.id}, ${ownerId}, ${tenantId}, ${list.name}, ${[...list.fields]}, ${await findLastOrdinal(tx)})
		returning ${columns(tx)}`;
	if (!row) throw new Error("an inserted row was not returned");
	return row;
}

export function listWatchlists(sql: Sql, holder: Holder, after: string, limit: number): Promise<WatchlistRow[]> {
	return sql<WatchlistRow[]>`
		select ${columns(sql)} from watchlists where ${heldBy(sql, holder)}
			${after === "" ? sql`` : sql`and id > ${after}`} order by id limit ${limit}`;
}

export async function findWatchlist(sql: Sql | Tx, holder: Holder, id: string): Promise<WatchlistRow | undefined> {
	const [row] = await sql<
		WatchlistRow[]
	>`select ${columns(sql)} from watchlists where id = ${id} and ${heldBy(sql, holder)}`;
	return row;
}

export type NumbersRow = { readonly numbers: Uint8Array; readonly labels: string };

export async function findNumbers(sql: Sql | Tx, id: string): Promise<NumbersRow> {
	const [row] = await sql<NumbersRow[]>`select numbers, labels from watchlists where id = ${id}`;
	return row ?? { numbers: new Uint8Array(0), labels: "" };
}

/** Call it under the owner's lock, or for a list that nothing else writes. */
export async function writeNumbers(
	tx: Tx,
	id: string,
	{ numbers, labels, count }: NumbersRow & { readonly count: number },
): Promise<void> {
	await tx`
		update watchlists set numbers = ${numbers}, labels = ${labels}, number_count = ${count}, version = version + 1, updated_at = now()
		where id = ${id}`;
}

export async function changeWatchlist(
	tx: Tx,
	holder: Holder,
	id: string,
	{ name = null, fields = null }: { readonly name?: string | null; readonly fields?: readonly string[] | null },
): Promise<WatchlistRow | undefined> {
	const [row] = await tx<WatchlistRow[]>`
		update watchlists set name = coalesce(${name}, name), fields = coalesce(${fields && [...fields]}::text[], fields),
			version = version + 1, updated_at = now()
		where id = ${id} and ${heldBy(tx, holder)} returning ${columns(tx)}`;
	return row;
}

export async function deleteWatchlist(tx: Tx, holder: Holder, id: string): Promise<boolean> {
	return (await tx`delete from watchlists where id = ${id} and ${heldBy(tx, holder)}`).count === 1;
}

export async function hasWatchlists(tx: Tx): Promise<boolean> {
	return (await tx`select 1 from watchlists limit 1`).length === 1;
}

/** Ids and numbers of all lists, a few at a time. */
export async function* readAllNumbers(tx: Tx): AsyncGenerator<{ readonly id: string; readonly numbers: Uint8Array }> {
	for await (const rows of tx<
		{ id: string; numbers: Uint8Array }[]
	>`select id, numbers from watchlists order by id`.cursor(16)) {
		yield* rows;
	}
}

export async function findHolder(tx: Tx, id: string): Promise<(Holder & { readonly name: string }) | undefined> {
	const [row] = await tx<(Holder & { readonly name: string })[]>`
		select owner_id as "ownerId", tenant_id as "tenantId", name from watchlists where id = ${id}`;
	return row;
}

/** The list, locked until the transaction ends. */
export async function lockNumbers(tx: Tx, id: string): Promise<NumbersRow | undefined> {
	const [row] = await tx<NumbersRow[]>`select numbers, labels from watchlists where id = ${id} for update`;
	return row;
}

/** Whose lists lack the events of a set of changes, and the least set that one of them is at. */
export async function findBehind(sql: Sql, ordinal: number): Promise<{ subjects: string[]; least: number }> {
	const rows = await sql<{ subjectId: string; least: number }[]>`
		select subject_id as "subjectId", min(joined_ordinal) as least from watchlists
		where joined_ordinal < ${ordinal} group by subject_id order by subject_id`;
	return {
		subjects: rows.map(({ subjectId }) => subjectId),
		least: rows.reduce((least, row) => Math.min(least, row.least), ordinal),
	};
}

export type JoinedRow = {
	readonly id: string;
	readonly fields: readonly string[];
	readonly numbers: Uint8Array;
	readonly joinedOrdinal: number;
};

/** The lists of a subject that lack the events of a set, locked until the transaction ends. */
export function lockBehind(tx: Tx, subjectId: string, ordinal: number): Promise<JoinedRow[]> {
	return tx<JoinedRow[]>`
		select id, fields, numbers, joined_ordinal as "joinedOrdinal" from watchlists
		where subject_id = ${subjectId} and joined_ordinal < ${ordinal} order by id for update`;
}

export async function markJoined(tx: Tx, ids: readonly string[], ordinal: number): Promise<void> {
	await tx`update watchlists set joined_ordinal = ${ordinal} where id = any(${[...ids]}::uuid[])`;
}
