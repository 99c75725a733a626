/** All SQL of usage. */
import type { Sql, Tx } from "../../platform/database";
import { isOwned, type Owned } from "../audit-log";

/**
 * Adds what a process has counted; a repeat under the same id adds nothing. A wiped company has no clients, and its usage is not written,
 * since it would not be wiped again; a database without companies has clients anyway. Rows are locked in a fixed order to avoid deadlocks.
 */
export async function writeUsage(sql: Sql | Tx, id: string, counted: readonly Counted[]): Promise<void> {
	const sum = (member: keyof Tally) => counted.map(({ tally }) => tally[member]);
	await sql`
		with first as (
			insert into usage_writes (id) values (${id}) on conflict (id) do nothing returning id
		)
		insert into usage_days as u (
			day, key_id, tenant_id, operation, owner_id, succeeded, unmodified, refused, limited, failed, items, billable
		)
		select t.* from first, unnest(
			${counted.map(({ day }) => day)}::date[], ${counted.map(({ keyId }) => keyId)}::uuid[],
			${counted.map(({ tenantId }) => tenantId)}::uuid[], ${counted.map(({ operation }) => operation)}::text[],
			${counted.map(({ ownerId }) => ownerId)}::uuid[], ${sum("succeeded")}::bigint[], ${sum("unmodified")}::bigint[],
			${sum("refused")}::bigint[], ${sum("limited")}::bigint[], ${sum("failed")}::bigint[], ${sum("items")}::bigint[],
			${sum("billable")}::bigint[]
		) as t(
			day, key_id, tenant_id, operation, owner_id, succeeded, unmodified, refused, limited, failed, items, billable
		)
		where t.tenant_id = ${NO_ID}
			or exists (select from companies c where c.tenant_id = t.tenant_id)
			or exists (select from oauth_clients o where o.tenant_id = t.tenant_id)
		order by t.day, t.key_id, t.tenant_id, t.operation
		on conflict (day, key_id, tenant_id, operation) do update set
			succeeded = u.succeeded + excluded.succeeded, unmodified = u.unmodified + excluded.unmodified,
			refused = u.refused + excluded.refused, limited = u.limited + excluded.limited,
			failed = u.failed + excluded.failed, items = u.items + excluded.items, billable = u.billable + excluded.billable`;
}

/** Adds billed items that are known only after the answer. */
export async function writeBillable(
	tx: Tx,
	id: string,
	{
		billable,
		keyId,
		tenantId,
		...rest
	}: Omit<Counted, "tally" | "keyId" | "tenantId"> & {
		readonly keyId: string | null;
		readonly tenantId: string | null;
		readonly billable: number;
	},
): Promise<void> {
	const tally = { ...newTally(), billable };
	await writeUsage(tx, id, [{ ...rest, keyId: keyId ?? NO_ID, tenantId: tenantId ?? NO_ID, tally }]);
}

/** Removes usage that a process still counted for a company while it was being wiped. */
export async function removeUnownedUsage(sql: Sql): Promise<void> {
	await sql`
		delete from usage_days u
		where u.tenant_id <> ${NO_ID} and not exists (select from companies c where c.tenant_id = u.tenant_id)
			and not exists (select from oauth_clients o where o.tenant_id = u.tenant_id)`;
}

export type UsageOf = Owned | { readonly tenantId: string };

export type UsageFilter = {
	readonly from: string;
	readonly to: string;
	readonly keyId: string | undefined;
	readonly operation: string | undefined;
};

/** The row after which a page begins. */
export type UsageCursor = { readonly day: string; readonly keyId: string; readonly operation: string };

export type UsageRow = UsageCursor & Tally;

/** A key's usage by day and operation, in the order of day, key and operation. */
export async function selectUsage(
	sql: Sql,
	of: UsageOf,
	filter: UsageFilter,
	page: { readonly after: UsageCursor | undefined; readonly limit: number },
): Promise<UsageRow[]> {
	const { after } = page;
	return sql<UsageRow[]>`
		select to_char(day, 'YYYY-MM-DD') as day, key_id as "keyId", operation, ${sums(sql)}
		from usage_days
		where ${isOf(sql, of, filter)}
			and ${after ? sql`(day, key_id, operation) > (${after.day}::date, ${after.keyId}::uuid, ${after.operation})` : sql`true`}
		group by day, key_id, operation
		order by usage_days.day, key_id, operation
		limit ${page.limit}`;
}

export type LimitedRow = {
	readonly tenantId: string | null;
	/** Of the company. */
	readonly name: string | null;
	readonly ownerId: string | null;
	readonly keyId: string | null;
	readonly operation: string;
	readonly limited: number;
	readonly requests: number;
};

/** Who was refused by limits on a day, the most refused first. */
export async function selectLimited(sql: Sql, day: string, limit: number): Promise<LimitedRow[]> {
	return sql<LimitedRow[]>`
		select nullif(u.tenant_id, ${NO_ID}::uuid) as "tenantId", c.name, u.owner_id as "ownerId", nullif(u.key_id, ${NO_ID}::uuid) as "keyId",
			u.operation, u.limited::float8 as limited, (u.succeeded + u.unmodified + u.refused + u.limited + u.failed)::float8 as requests
		from usage_days u left join companies c on c.tenant_id = u.tenant_id
		where u.day = ${day}::date and u.limited > 0
		order by u.limited desc, u.tenant_id, u.key_id, u.operation limit ${limit}`;
}

/** The sum of each operation. */
export async function sumUsage(
	sql: Sql,
	of: UsageOf,
	filter: UsageFilter,
): Promise<(Tally & { readonly operation: string })[]> {
	return sql<(Tally & { readonly operation: string })[]>`
		select operation, ${sums(sql)} from usage_days where ${isOf(sql, of, filter)} group by operation`;
}

function sums(sql: Sql) {
	const members: readonly (keyof Tally)[] = [
		"succeeded",
		"unmodified",
		"refused",
		"limited",
		"failed",
		"items",
		"billable",
	];
	return members
		.map((member) => sql`coalesce(sum(${sql(member)}), 0)::bigint as ${sql(member)}`)
		.reduce((all, one) => sql`${all}, ${one}`);
}

function isOf(sql: Sql, of: UsageOf, { from, to, keyId, operation }: UsageFilter) {
	const whose = "ownerId" in of ? isOwned(sql, of) : sql`owner_id is null and tenant_id = ${of.tenantId}`;
	return sql`${whose} and day between ${from}::date and ${to}::date
		and ${keyId === undefined ? sql`true` : sql`key_id = ${keyId}`}
		and ${operation === undefined ? sql`true` : sql`operation = ${operation}`}`;
}

/** Callers of an operation. Without a key, the caller sent only a bearer token, of a company that the owner's keys have created. */
type OperationCaller = { readonly keyId: string | null; readonly ownerId: string | null };

export async function findOperationCallers(sql: Sql, operation: string, fromDay: string): Promise<OperationCaller[]> {
	return sql<OperationCaller[]>`
		select distinct nullif(key_id, ${NO_ID}) as "keyId", owner_id as "ownerId" from usage_days
		where operation = ${operation} and day >= ${fromDay}::date`;
}

/** Removes ids of writes that are never repeated. */
export async function sweepWrites(sql: Sql): Promise<number> {
	const deleted = await sql`delete from usage_writes where written_at < now() - interval '1 day'`;
	return deleted.count;
}

export type Tally = {
	/** 2xx. */
	succeeded: number;
	/** 304: the caller's copy is still valid. */
	unmodified: number;
	/** 4xx other than 429. */
	refused: number;
	/** 429. Not billed. */
	limited: number;
	/** 5xx. Not billed. */
	failed: number;
	/** Items of batches that were answered with 2xx. */
	items: number;
	/** Those of them that are billed. */
	billable: number;
};

export function newTally(): Tally {
	return { succeeded: 0, unmodified: 0, refused: 0, limited: 0, failed: 0, items: 0, billable: 0 };
}

export type Counted = {
	readonly day: string;
	readonly keyId: string;
	readonly tenantId: string;
	readonly ownerId: string | null;
	readonly operation: string;
	readonly tally: Tally;
};

/** Stands for no key and for no tenant. */
export const NO_ID = "00000000-0000-0000-0000-000000000000";
