/** SQL of what is told of the queue to whoever watches the service. Each statement is bounded, however much waits or is dead. */
import type { Sql, Tx } from "../database";

export type KindFigure = { readonly kind: string; readonly figure: number };

/** More of a kind are not counted. */
const DEAD_MAX = 10_000;

/** How many messages of each kind are dead: nobody has sent them again. A kind without one is left out; 10,000 stands for so many or more. */
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

/** Of what is due for one tenant, and for all: more is not looked at. */
const DUE_MAX_OF_TENANT = 20_000;
const DUE_MAX = 100_000;

/**
 * For how many seconds the message of each kind that has been due longest waits to be claimed. A kind without one that is due is left out: what waits for
 * a later time is not due. Of a queue longer than is looked at here the kinds that are found tell of themselves, and others may be left out.
 */
export async function measureDue(sql: Sql): Promise<KindFigure[]> {
	return sql<KindFigure[]>`
		with recursive tenants(tenant_id) as (
			(select tenant_id from outbox where state = 'ready' order by tenant_id limit 1)
			union all
			select (select o.tenant_id from outbox o where o.state = 'ready' and o.tenant_id > t.tenant_id order by o.tenant_id limit 1)
			from tenants t where t.tenant_id is not null
		)
		select kind, extract(epoch from now() - min(available_at))::float8 as figure
		from (
			select due.kind, due.available_at
			from tenants t cross join lateral (
				select o.kind, o.available_at from outbox o
				where o.state = 'ready' and o.tenant_id = t.tenant_id and o.available_at <= now()
				order by o.available_at limit ${DUE_MAX_OF_TENANT}
			) due
			limit ${DUE_MAX}
		) looked_at
		group by kind`;
}
