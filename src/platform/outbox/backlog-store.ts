/** SQL on messages that wait or are dead: expedite, revive, age, count and remove them. */
import type { Sql, Tx } from "../database";
import { firstIdAt } from "../values";
import type { NewMessage } from "./message";
import type { KindFigure } from "./store";

/** A tenant's document, delivery or the like that messages are about. */
type Subject = { readonly tenantId: string; readonly subject: string };

/** Makes waiting messages of these subjects due now. Those that are running stay as they are. */
export async function expediteMessages(tx: Tx, kind: string, subjects: readonly Subject[]): Promise<void> {
	const wanted = tx`${subjects.map(({ subject }) => subject)}::uuid[]`;
	// With a constant state, a server whose statistics say that nothing waits would read the whole queue.
	await tx`
		with asked as materialized (
			select *, 'ready'::text as ready_state
			from unnest(${wanted}, ${subjects.map(({ tenantId }) => tenantId)}::uuid[]) as u(subject, tenant_id)
		)
		update outbox o set available_at = now() from asked a
		where o.subject = any(${wanted}) and o.subject = a.subject and o.tenant_id = a.tenant_id and o.state = a.ready_state
			and o.kind = ${kind} and o.available_at > now()`;
}

/** Those of these messages whose kind and subject no row has, in their order. */
export async function withoutRows(sql: Sql | Tx, messages: readonly NewMessage[]): Promise<NewMessage[]> {
	const wanted = sql`${messages.map(({ subject }) => subject)}::uuid[]`;
	const rows = await sql<{ n: number }[]>`
		select a.n::int from unnest(
			${wanted}, ${messages.map(({ tenantId }) => tenantId)}::uuid[], ${messages.map(({ kind }) => kind)}::text[]
		) with ordinality as a(subject, tenant_id, kind, n)
		join outbox o on o.subject = any(${wanted}) and o.subject = a.subject and o.tenant_id = a.tenant_id and o.kind = a.kind`;
	const stored = new Set(rows.map(({ n }) => n - 1));
	return messages.filter((_, i) => !stored.has(i));
}

/** A query of the subjects of a tenant's waiting messages of a kind, for statements of other folders. */
export const waitingSubjects = (sql: Sql | Tx, tenantId: string, kind: string) => sql`
	select subject from outbox
	where shard = shard_of(${tenantId}) and tenant_id = ${tenantId} and state = 'ready' and kind = ${kind}`;

/** Makes the dead messages of these subjects of a tenant ready again, as new ones and due in this order. Returns the subjects that had one. */
export async function reviveMessages(
	sql: Sql | Tx,
	kind: string,
	tenantId: string,
	subjects: readonly string[],
): Promise<string[]> {
	const rows = await sql<{ subject: string }[]>`
		update outbox o set state = 'ready', available_at = now() + g.n * interval '1 microsecond', created_at = now(), failures = 0,
			settled_at = null
		from unnest(${[...subjects]}::uuid[]) with ordinality g(subject, n)
		where o.tenant_id = ${tenantId} and o.kind = ${kind} and o.subject = any(${[...subjects]}::uuid[]) and o.subject = g.subject and o.state = 'dead'
		returning o.subject`;
	return rows.map((row) => row.subject);
}

/** These kinds only, or all kinds except these. */
export type Kinds = { readonly only: readonly string[] } | { readonly besides: readonly string[] };

/**
 * Ages the waiting messages of a tenant, so that they become due sooner. What becomes due is due from now on, so it does not count as
 * neglected; what is due already stays so. Messages are locked in the order of `leaseParts` to avoid deadlocks.
 */
export async function ageMessages(
	tx: Tx,
	tenantId: string,
	seconds: number,
	kinds: Kinds = { besides: [] },
): Promise<void> {
	const aged = tx`make_interval(secs => ${seconds})`;
	const which =
		"only" in kinds ? tx`kind = any(${[...kinds.only]}::text[])` : tx`kind <> all(${[...kinds.besides]}::text[])`;
	await tx`
		with taken as materialized (
			select id from outbox where shard = shard_of(${tenantId}) and tenant_id = ${tenantId} and state = 'ready' and ${which}
			order by id for update
		)
		update outbox set created_at = created_at - ${aged},
			available_at = greatest(available_at - ${aged}, least(available_at, now()))
		where tenant_id = ${tenantId} and id = any(array(select id from taken))`;
}

/** Removes messages that died before a given time, a bounded number per call. Ids are ordered by time, so no newer rows are read. */
export async function sweepDead(sql: Sql, deadBefore: Date): Promise<number> {
	const rows = await sql`
		delete from outbox where id in (
			select id from outbox where state = 'dead' and id < ${firstIdAt(deadBefore)} order by id limit 5000
		) returning id`;
	return rows.length;
}

/** More messages of a kind are not counted. */
const DEAD_MAX = 10_000;

/** Counts the dead messages of each kind that have not been sent again. Kinds without any are omitted; 10,000 means 10,000 or more. */
export async function countDead(sql: Sql | Tx): Promise<KindFigure[]> {
	return sql<KindFigure[]>`
		with recursive kinds(kind) as (
			(select kind from outbox where state = 'dead' and settled_at is not null order by kind limit 1)
			union all
			select (
				select o.kind from outbox o where o.state = 'dead' and o.settled_at is not null and o.kind > k.kind order by o.kind limit 1
			)
			from kinds k where k.kind is not null
		)
		select k.kind, dead.count::int as figure
		from kinds k cross join lateral (
			select count(*) from (
				select 1 from outbox o where o.state = 'dead' and o.settled_at is not null and o.kind = k.kind limit ${DEAD_MAX}
			) counted
		) dead
		where k.kind is not null`;
}
