/** SQL on sequences and their free numbers; `hold-store.ts` has holds and leases. Moving numbers needs the lock of their type. */
import { dayOfTenant } from "../../companies";
import type { Sql, Tx } from "../../platform/database";
import { formatRanges, type NumberRange, parseRanges } from "./number-ranges";

export type TypeKey = { readonly tenantId: string; readonly type: string };

/** Locks a type until the transaction ends. Undefined if it was never registered. */
export async function lockType(
	tx: Tx,
	{ tenantId, type }: TypeKey,
): Promise<{ capacity: number; lowNotified: number | null } | undefined> {
	const [row] = await tx<{ capacity: number; lowNotified: number | null }[]>`
		select capacity::float8 as capacity, low_told as "lowNotified" from sequence_types
		where tenant_id = ${tenantId} and type = ${type} for update`;
	return row;
}

/** The same, creating the type if needed. */
export async function lockNewType(tx: Tx, key: TypeKey): Promise<void> {
	await tx`insert into sequence_types (tenant_id, type) values (${key.tenantId}, ${key.type}) on conflict do nothing`;
	await lockType(tx, key);
}

/** Waits for the lock of a type without keeping it, for callers that must not wait for it later under other locks. */
export async function waitForType(tx: Tx, key: TypeKey): Promise<void> {
	const had = Symbol("had");
	await tx
		.savepoint(async (inner) => {
			await lockType(inner, key);
			// Rolling back to the savepoint releases the lock.
			throw had;
		})
		.catch((error: unknown) => {
			if (error !== had) throw error;
		});
}

export type NewSequence = TypeKey & {
	readonly id: string;
	readonly range: NumberRange;
	readonly expiresOn: string | null;
};

/** Inserts a sequence. Its free numbers are those without a document or a void. */
export async function insertSequence(tx: Tx, s: NewSequence): Promise<void> {
	await tx`
		insert into sequences (id, tenant_id, type, numbers, free, expires_on)
		select ${s.id}, ${s.tenantId}, ${s.type}, int8range(${s.range.first}, ${s.range.last}, '[]'),
			${numbersLeft(tx, s, s.range)}, ${s.expiresOn}::date`;
}

/** SQL of the numbers of a range without a document or a void. */
export function numbersLeft(sql: Sql | Tx, { tenantId, type }: TypeKey, range: NumberRange): ReturnType<Sql> {
	const all = formatRanges([range]);
	return sql`(${all}::int8multirange - used_numbers(${tenantId}, ${type}, ${all}::int8multirange) - coalesce((
		select range_agg(v.numbers) from sequence_voids v
		where v.tenant_id = ${tenantId} and v.type = ${type} and v.elsewhere is null and v.status not in ('rejected', 'failed')
	), '{}'))`;
}

export async function hasSequence(sql: Sql | Tx, { tenantId, type }: TypeKey): Promise<boolean> {
	const rows = await sql`select 1 from sequences where tenant_id = ${tenantId} and type = ${type} limit 1`;
	return rows.length > 0;
}

export async function findTypeOf(sql: Sql | Tx, tenantId: string, id: string): Promise<string | undefined> {
	const [row] = await sql<{ type: string }[]>`select type from sequences where id = ${id} and tenant_id = ${tenantId}`;
	return row?.type;
}

/** False if it does not exist any more. */
export async function deleteSequence(tx: Tx, tenantId: string, id: string): Promise<boolean> {
	const { count } = await tx`delete from sequences where tenant_id = ${tenantId} and id = ${id}`;
	return count > 0;
}

export async function findOverlap(tx: Tx, key: TypeKey, { first, last }: NumberRange): Promise<string | undefined> {
	const [row] = await tx<{ id: string }[]>`
		select id from sequences
		where tenant_id = ${key.tenantId} and type = ${key.type} and numbers && int8range(${first}, ${last}, '[]') limit 1`;
	return row?.id;
}

export async function noteCapacity(tx: Tx, key: TypeKey, capacity: number): Promise<void> {
	await tx`
		update sequence_types set capacity = ${capacity}, low_told = null
		where tenant_id = ${key.tenantId} and type = ${key.type}`;
}

/** Records the notified threshold. The transaction then waits for the disk, so that the event survives a crash of the server. */
export async function noteLow(tx: Tx, key: TypeKey, percent: number): Promise<void> {
	await tx`set local synchronous_commit to default`;
	await tx`
		update sequence_types set low_told = ${percent} where tenant_id = ${key.tenantId} and type = ${key.type}`;
}

export type UsableSequence = {
	readonly id: string;
	readonly free: readonly NumberRange[];
	readonly expiresOn: string | null;
};

/** Unexpired sequences with free numbers, by the tenant's day, in the order of use: the first to expire comes first. */
export async function findUsable(sql: Sql | Tx, key: TypeKey, now: Date): Promise<UsableSequence[]> {
	const rows = await sql<{ id: string; free: string; expiresOn: string | null }[]>`
		select id, free::text as free, expires_on::text as "expiresOn" from sequences
		where tenant_id = ${key.tenantId} and type = ${key.type} and not isempty(free)
			and (expires_on is null or expires_on >= ${dayOfTenant(sql, key.tenantId, now)})
		order by expires_on nulls last, numbers`;
	return rows.map((row) => ({ ...row, free: parseRanges(row.free) }));
}

export async function removeFree(
	tx: Tx,
	tenantId: string,
	sequenceId: string,
	ranges: readonly NumberRange[],
): Promise<void> {
	await tx`
		update sequences set free = free - ${formatRanges(ranges)}::int8multirange
		where tenant_id = ${tenantId} and id = ${sequenceId}`;
}

/** Removes a range from the free numbers of all sequences. Returns one of them. */
export async function removeRange(tx: Tx, key: TypeKey, { first, last }: NumberRange): Promise<string | undefined> {
	const [row] = await tx<{ id: string }[]>`
		update sequences set free = free - int8multirange(int8range(${first}, ${last}, '[]'))
		where tenant_id = ${key.tenantId} and type = ${key.type} and numbers && int8range(${first}, ${last}, '[]')
		returning id`;
	return row?.id;
}

/** Returns a range to its sequences, except numbers of documents. */
export async function restoreRange(tx: Tx, key: TypeKey, { first, last }: NumberRange): Promise<void> {
	const range = formatRanges([{ first, last }]);
	await tx`
		update sequences set free = free + (${range}::int8multirange * int8multirange(numbers)
			- used_numbers(${key.tenantId}, ${key.type}, ${range}::int8multirange))
		where tenant_id = ${key.tenantId} and type = ${key.type} and numbers && int8range(${first}, ${last}, '[]')`;
}

export async function addUsage(tx: Tx, key: TypeKey, day: string, given: number): Promise<void> {
	await tx`
		insert into sequence_usage as u (tenant_id, type, day, given) values (${key.tenantId}, ${key.type}, ${day}::date, ${given})
		on conflict (tenant_id, type, day) do update set given = u.given + excluded.given`;
}

/** SQL of the last day of the sequence of a number, for a row `w` with `tenant_id`, `type` and `number`. */
function sequenceExpiry(sql: Sql): ReturnType<Sql> {
	return sql`(
		select s.expires_on::text from sequences s
		where s.tenant_id = w.tenant_id and s.type = w.type and s.numbers @> w.number and s.expires_on is not null limit 1
	)`;
}

/** SQL that is true for a row `w` whose type has sequences, none of which has its number. */
function isOutsideSequences(sql: Sql): ReturnType<Sql> {
	return sql`coalesce(not (
		select bool_or(s.numbers @> w.number) from sequences s where s.tenant_id = w.tenant_id and s.type = w.type
	), false)`;
}

/** What the registered sequences say of a number. */
export type NumberStanding = { readonly expiresOn: string | undefined; readonly isOutsideRanges: boolean };

/** The standing of each number, in their order. */
export async function findStandings(
	sql: Sql,
	asked: readonly (TypeKey & { readonly number: number })[],
): Promise<NumberStanding[]> {
	const rows = await sql<{ n: number; expiresOn: string | null; isOutsideRanges: boolean }[]>`
		select w.n::int as n, ${sequenceExpiry(sql)} as "expiresOn", ${isOutsideSequences(sql)} as "isOutsideRanges"
		from unnest(${asked.map((a) => a.tenantId)}::uuid[], ${asked.map((a) => a.type)}::text[],
			${asked.map((a) => a.number)}::bigint[]) with ordinality w(tenant_id, type, number, n)`;
	const found = new Map(rows.map(({ n, expiresOn, ...row }) => [n - 1, { ...row, expiresOn: expiresOn ?? undefined }]));
	return asked.map((_, i) => found.get(i) ?? { expiresOn: undefined, isOutsideRanges: false });
}
