/** SQL on held numbers, of documents and leases, and on leases. Moving numbers needs the lock of their type. */
import type { Sql, Tx } from "../../platform/database";
import { formatRanges, type NumberRange } from "./number-ranges";
import type { TypeKey } from "./store";

export type Hold = TypeKey & {
	readonly id: string;
	readonly sequenceId: string;
	readonly ranges: readonly NumberRange[];
	readonly place: string | null;
	readonly seconds: number;
	/** The day on which they count as used. */
	readonly givenOn: string;
};

export async function insertHolds(tx: Tx, holds: readonly Hold[]): Promise<void> {
	if (holds.length === 0) return;
	const column = <T>(pick: (hold: Hold) => T): T[] => holds.map(pick);
	await tx`
		insert into sequence_holds (id, sequence_id, tenant_id, type, numbers, place, expires_at, given_on)
		select id, sequence_id, tenant_id, type, numbers::int8multirange, place, now() + make_interval(secs => seconds), given_on
		from unnest(${column((h) => h.id)}::uuid[], ${column((h) => h.sequenceId)}::uuid[], ${column((h) => h.tenantId)}::uuid[],
			${column((h) => h.type)}::text[], ${column((h) => formatRanges(h.ranges))}::text[], ${column((h) => h.place)}::text[],
			${column((h) => h.seconds)}::float8[], ${column((h) => h.givenOn)}::date[])
			as n(id, sequence_id, tenant_id, type, numbers, place, seconds, given_on)`;
}

export type PlacedHold = {
	readonly place: string;
	readonly id: string;
	readonly number: number;
	readonly expiresOn: string | null;
};

/**
 * Extends the holds that these requests have already, so that a repeated request keeps its number. They are locked in the same order as by a storing
 * transaction, since the first request may be storing its document now.
 */
export async function extendPlacedHolds(
	tx: Tx,
	tenantId: string,
	places: readonly string[],
	seconds: number,
): Promise<PlacedHold[]> {
	return tx<PlacedHold[]>`
		with kept as materialized (
			select id, sequence_id from sequence_holds
			where tenant_id = ${tenantId} and place = any(${[...places]}::text[]) order by id for update
		)
		update sequence_holds h set expires_at = now() + make_interval(secs => ${seconds})
		from kept k join sequences s on s.tenant_id = ${tenantId} and s.id = k.sequence_id
		where h.tenant_id = ${tenantId} and h.id = any(array(select id from kept)) and h.id = k.id and h.sequence_id = k.sequence_id
		returning h.place, h.id, lower(h.numbers)::float8 as number, s.expires_on::text as "expiresOn"`;
}

/**
 * Ends expired holds, or the one with this id. Unused numbers are free again and no longer count as used. Rows that a storing transaction has locked
 * are skipped.
 */
export async function endHolds(tx: Tx, key: TypeKey, id?: string): Promise<void> {
	await tx`
		with over as materialized (
			select id, sequence_id from sequence_holds
			where tenant_id = ${key.tenantId} and type = ${key.type} and ${id === undefined ? tx`expires_at <= now()` : tx`id = ${id}`}
			for update skip locked
		), ended as (
			delete from sequence_holds h using over o
			where h.tenant_id = ${key.tenantId} and h.id = o.id and h.sequence_id = o.sequence_id
			returning h.sequence_id, h.given_on, h.numbers - used_numbers(h.tenant_id, h.type, h.numbers) as unused
		), back as (
			select sequence_id, range_agg(unused) as unused from ended where not isempty(unused) group by sequence_id
		), recounted as (
			update sequence_usage u set given = greatest(0, u.given - unused.count) from (
				select given_on, sum(upper(r) - lower(r)) as count from ended, unnest(ended.unused) r group by given_on
			) unused
			where u.tenant_id = ${key.tenantId} and u.type = ${key.type} and u.day = unused.given_on
		)
		update sequences s set free = s.free + back.unused from back
		where s.tenant_id = ${key.tenantId} and s.id = back.sequence_id`;
}

/** Ends the time of all holds of documents, so that `endHolds` frees their numbers. */
export async function expirePlacedHolds(tx: Tx, { tenantId, type }: TypeKey): Promise<void> {
	await tx`
		update sequence_holds set expires_at = now() where tenant_id = ${tenantId} and type = ${type} and place is not null`;
}

/** Which of these holds still exist. */
export async function findHeld(sql: Sql, tenantId: string, ids: readonly string[]): Promise<Set<string>> {
	if (ids.length === 0) return new Set();
	const rows = await sql<{ id: string }[]>`
		select id from sequence_holds where tenant_id = ${tenantId} and id = any(${[...ids]}::uuid[])`;
	return new Set(rows.map((row) => row.id));
}

export async function isHeld(tx: Tx, key: TypeKey, { first, last }: NumberRange): Promise<boolean> {
	const rows = await tx`
		select 1 from sequence_holds
		where tenant_id = ${key.tenantId} and type = ${key.type} and numbers && int8range(${first}, ${last}, '[]') limit 1`;
	return rows.length > 0;
}

/** Whether a lease or a document in progress has numbers of a sequence. */
export async function isSequenceHeld(tx: Tx, { tenantId, type }: TypeKey, sequenceId: string): Promise<boolean> {
	const rows = await tx`
		select 1 from sequence_holds where tenant_id = ${tenantId} and type = ${type} and sequence_id = ${sequenceId} limit 1`;
	return rows.length > 0;
}

export type LeaseRow = {
	readonly id: string;
	readonly type: string;
	readonly count: number;
	readonly ranges: readonly (NumberRange & { readonly expiresOn: string | null })[];
	readonly createdAt: Date;
	readonly expiresAt: Date;
	readonly returnedAt: Date | null;
	readonly isOver: boolean;
};

export async function insertLease(
	tx: Tx,
	lease: TypeKey & {
		readonly id: string;
		readonly ranges: LeaseRow["ranges"];
		readonly count: number;
		readonly seconds: number;
	},
): Promise<void> {
	await tx`
		insert into sequence_leases (id, tenant_id, type, count, ranges, expires_at)
		values (${lease.id}, ${lease.tenantId}, ${lease.type}, ${lease.count}, ${tx.json(lease.ranges.map((r) => ({ ...r })))},
			now() + make_interval(secs => ${lease.seconds}))`;
}

const leaseColumns = (sql: Sql | Tx) => sql`
	id, type, count, ranges, created_at as "createdAt", expires_at as "expiresAt", returned_at as "returnedAt", expires_at <= now() as "isOver"`;

export async function findLease(sql: Sql | Tx, tenantId: string, id: string): Promise<LeaseRow | undefined> {
	const [row] = await sql<LeaseRow[]>`
		select ${leaseColumns(sql)} from sequence_leases where tenant_id = ${tenantId} and id = ${id}`;
	return row;
}

export const LEASE_STATUSES = ["active", "returned", "expired"] as const;

/** Newest first, after a cursor; one more than `limit` shows that there are more. */
export async function listLeases(
	sql: Sql,
	tenantId: string,
	{ status, after }: { readonly status?: string | undefined; readonly after?: string | undefined },
	limit: number,
): Promise<LeaseRow[]> {
	const isActive = sql`returned_at is null and expires_at > now()`;
	const isOver = sql`returned_at is null and expires_at <= now()`;
	const isReturned = sql`returned_at is not null`;
	const isWanted = { active: isActive, returned: isReturned, expired: isOver }[status ?? ""];
	return sql<LeaseRow[]>`
		select ${leaseColumns(sql)} from sequence_leases
		where tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and id < ${after}`} ${isWanted ? sql`and ${isWanted}` : sql``}
		order by id desc limit ${limit + 1}`;
}

export async function markReturned(tx: Tx, tenantId: string, id: string): Promise<void> {
	await tx`
		update sequence_leases set returned_at = now()
		where tenant_id = ${tenantId} and id = ${id} and returned_at is null and expires_at > now()`;
}
