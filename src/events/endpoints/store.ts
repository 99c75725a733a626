/** SQL of webhook endpoints. */
import type { Sql, Tx } from "../../platform/database";
import type { Plan } from "../../platform/operation";
import type { Environment } from "../../platform/values";
import type { WebhookEndpoint } from "./endpoint";

const endpointColumns = (sql: Sql | Tx) => sql`
	id, subject_id as "tenantId", tenant_id is null as "isOwners", url, events, description, status, rate_limit_per_second as "rateLimitPerSecond", ordering,
	recovery, probe_id as "probeId", probe_failures as "probeFailures", probe_passes as "probePasses", probe_next_at as "probeNextAt",
	sealed_secret as "sealedSecret", secret_hint as "secretHint", sealed_next_secret as "sealedNextSecret",
	next_secret_hint as "nextSecretHint", next_secret_at as "nextSecretAt", version, created_at as "createdAt",
	updated_at as "updatedAt"`;

/** Where an endpoint lies: its tenant, or the owner that it belongs to, and its id. */
export type EndpointPlace = Pick<WebhookEndpoint, "id" | "tenantId">;

/** An endpoint at its creation, without the columns that the database fills in. */
type NewEndpoint = Pick<
	WebhookEndpoint,
	| "id"
	| "tenantId"
	| "url"
	| "events"
	| "description"
	| "rateLimitPerSecond"
	| "ordering"
	| "recovery"
	| "sealedSecret"
	| "secretHint"
>;

export async function insertEndpoint(tx: Tx, e: NewEndpoint): Promise<WebhookEndpoint> {
	const [row] = await tx<WebhookEndpoint[]>`
		insert into webhook_endpoints (
			id, subject_id, tenant_id, owner_id, url, events, description, rate_limit_per_second, ordering, recovery, sealed_secret, secret_hint
		) values (
			${e.id}, ${e.tenantId}, (select tenant_id from companies where tenant_id = ${e.tenantId}), (select id from owners where id = ${e.tenantId}), ${e.url}, ${tx.json([...e.events])}, ${e.description}, ${e.rateLimitPerSecond}, ${e.ordering},
			${e.recovery}, ${e.sealedSecret}, ${e.secretHint}
		) returning ${endpointColumns(tx)}`;
	if (!row) throw new Error("an inserted row was not returned");
	return row;
}

export async function listEndpoints(sql: Sql | Tx, tenantId: string): Promise<WebhookEndpoint[]> {
	return listEndpointsOf(sql, [tenantId]);
}

/** The endpoints of several tenants, each one's oldest first. */
export async function listEndpointsOf(sql: Sql | Tx, tenantIds: readonly string[]): Promise<WebhookEndpoint[]> {
	return sql<WebhookEndpoint[]>`
		select ${endpointColumns(sql)} from webhook_endpoints where subject_id = any(${[...tenantIds]}::uuid[]) order by id`;
}

/** A tenant's endpoints, oldest first, locked until the transaction ends. Call it under the company's lock. */
export async function lockEndpoints(tx: Tx, tenantId: string): Promise<WebhookEndpoint[]> {
	return tx<WebhookEndpoint[]>`
		select ${endpointColumns(tx)} from webhook_endpoints where subject_id = ${tenantId} order by id for update`;
}

/**
 * Locks a company, or the owner of this id, until the transaction ends: other changes of it or its endpoints wait. Lock the company before its endpoints. Invoices can
 * still be stored, since the lock does not conflict with their references.
 */
export async function lockCompany(tx: Tx, tenantId: string): Promise<void> {
	const company = await tx`select 1 from companies where tenant_id = ${tenantId} for no key update`;
	if (company.length === 0) await tx`select 1 from owners where id = ${tenantId} for no key update`;
}

/** Gives a company its next version; its record includes the endpoints. Call it under the company's lock. */
export async function countCompanyVersion(tx: Tx, tenantId: string): Promise<void> {
	await tx`update companies set version = version + 1, updated_at = now() where tenant_id = ${tenantId}`;
}

/**
 * How many endpoints a tenant has, its plan, and whether it may have more. An owner's plan is that of its key, `keyPlan`. Call it under the
 * company's lock.
 */
export async function countEndpoints(
	tx: Tx,
	tenantId: string,
	keyPlan: Plan,
): Promise<{ plan: Plan; isActive: boolean; count: number }> {
	const [company] = await tx<{ plan: Plan; isActive: boolean }[]>`
		select plan, status = 'active' as "isActive" from companies where tenant_id = ${tenantId}`;
	const [row] = await tx<{ count: number }[]>`
		select count(*)::int as count from webhook_endpoints where subject_id = ${tenantId}`;
	return { ...(company ?? { plan: keyPlan, isActive: true }), count: row?.count ?? 0 };
}

/** An enabled endpoint, with the members of its company that decide whether it is called. */
export type Subscription = Pick<WebhookEndpoint, "id" | "tenantId" | "events"> & {
	/** Null for an owner. */
	readonly environment: Environment | null;
	readonly plan: Plan | null;
};

export async function findSubscriptions(sql: Sql | Tx, tenantIds: readonly string[]): Promise<Subscription[]> {
	return sql<Subscription[]>`
		select e.id, e.subject_id as "tenantId", e.events, c.environment, c.plan
		from webhook_endpoints e left join companies c using (tenant_id)
		where e.subject_id = any(${[...tenantIds]}::uuid[]) and e.status = 'enabled' order by e.id`;
}

export async function findEndpoints(sql: Sql | Tx, places: readonly EndpointPlace[]): Promise<WebhookEndpoint[]> {
	return sql<WebhookEndpoint[]>`
		select ${endpointColumns(sql)}
		from unnest(${places.map(({ tenantId }) => tenantId)}::uuid[], ${places.map(({ id }) => id)}::uuid[]) as wanted(of_subject, of_id)
		join webhook_endpoints e on e.subject_id = of_subject and e.id = of_id`;
}

export async function getEndpoint(
	sql: Sql | Tx,
	{ tenantId, id }: EndpointPlace,
): Promise<WebhookEndpoint | undefined> {
	const [row] = await sql<WebhookEndpoint[]>`
		select ${endpointColumns(sql)} from webhook_endpoints where subject_id = ${tenantId} and id = ${id}`;
	return row;
}

/** A tenant's endpoint, locked until the transaction ends. */
export async function lockEndpoint(tx: Tx, tenantId: string, id: string): Promise<WebhookEndpoint | undefined> {
	const [row] = await tx<WebhookEndpoint[]>`
		select ${endpointColumns(tx)} from webhook_endpoints where subject_id = ${tenantId} and id = ${id} for update`;
	return row;
}

const noProbe = (sql: Sql | Tx) =>
	sql`probe_id = null, probe_failures = null, probe_passes = null, probe_next_at = null`;

/** Writes an endpoint as its next version. Ends its probe if it is disabled or wants manual recovery. */
export async function updateEndpoint(tx: Tx, e: WebhookEndpoint): Promise<WebhookEndpoint> {
	const [row] = await tx<WebhookEndpoint[]>`
		update webhook_endpoints set url = ${e.url}, events = ${tx.json([...e.events])}, description = ${e.description},
			status = ${e.status}, disabled_at = case ${e.status} when 'disabled' then coalesce(disabled_at, now()) end,
			rate_limit_per_second = ${e.rateLimitPerSecond}, ordering = ${e.ordering}, recovery = ${e.recovery},
			${e.status === "enabled" && e.recovery === "automatic" ? tx`` : tx`${noProbe(tx)},`}
			sealed_secret = ${e.sealedSecret},
			secret_hint = ${e.secretHint}, sealed_next_secret = ${e.sealedNextSecret}, next_secret_hint = ${e.nextSecretHint},
			next_secret_at = ${e.nextSecretAt}, version = version + 1, updated_at = now()
		where subject_id = ${e.tenantId} and id = ${e.id} returning ${endpointColumns(tx)}`;
	if (!row) throw new Error("a locked endpoint does not exist");
	return row;
}

export async function deleteEndpoint(tx: Tx, { tenantId, id }: EndpointPlace): Promise<void> {
	await tx`delete from webhook_endpoints where subject_id = ${tenantId} and id = ${id}`;
}

/** Disables an endpoint. False if it was already disabled or gone. */
export async function disableEndpoint(sql: Sql | Tx, { tenantId, id }: EndpointPlace): Promise<boolean> {
	const rows = await sql`
		update webhook_endpoints set status = 'disabled', disabled_at = now(), ${noProbe(sql)}, version = version + 1, updated_at = now()
		where subject_id = ${tenantId} and id = ${id} and status = 'enabled' returning id`;
	return rows.length === 1;
}

type NewProbe = { readonly id: string; readonly endpointId: string; readonly tenantId: string };

/**
 * Begins a probe of those endpoints that have none and want one. All of them stay locked until the transaction ends, so that no probe ends
 * before it sees what this transaction writes.
 */
export async function beginProbes(
	tx: Tx,
	endpoints: readonly EndpointPlace[],
	firstInSeconds: number,
): Promise<NewProbe[]> {
	const subjects = tx`${endpoints.map(({ tenantId }) => tenantId)}::uuid[]`;
	const locked = await tx<{ id: string; isWanted: boolean }[]>`
		select id, probe_id is null and status = 'enabled' and recovery = 'automatic' as "isWanted"
		from webhook_endpoints where subject_id = any(${subjects}) and id = any(${endpoints.map(({ id }) => id)}::uuid[]) order by id for update`;
	const wanted = locked.filter(({ isWanted }) => isWanted).map(({ id }) => id);
	if (wanted.length === 0) return [];
	return tx<NewProbe[]>`
		update webhook_endpoints set probe_id = gen_random_uuid(), probe_failures = 0, probe_passes = 0,
			probe_next_at = now() + make_interval(secs => ${firstInSeconds})
		where subject_id = any(${subjects}) and id = any(${wanted}::uuid[]) returning probe_id as id, id as "endpointId", subject_id as "tenantId"`;
}

/** The endpoint whose probe this is, locked until the transaction ends; undefined if the probe has ended. */
export async function lockProbed(
	tx: Tx,
	{ tenantId, id }: EndpointPlace,
	probeId: string,
): Promise<WebhookEndpoint | undefined> {
	const [row] = await tx<WebhookEndpoint[]>`
		select ${endpointColumns(tx)} from webhook_endpoints
		where subject_id = ${tenantId} and id = ${id} and probe_id = ${probeId} for update`;
	return row;
}

type ProbeState = { readonly failures: number; readonly passes: number; readonly nextInSeconds: number };

export async function updateProbe(tx: Tx, { tenantId, id }: EndpointPlace, to: ProbeState): Promise<void> {
	await tx`
		update webhook_endpoints set probe_failures = ${to.failures}, probe_passes = ${to.passes},
			probe_next_at = now() + make_interval(secs => ${to.nextInSeconds})
		where subject_id = ${tenantId} and id = ${id}`;
}

export async function endProbe(tx: Tx, { tenantId, id }: EndpointPlace): Promise<void> {
	await tx`update webhook_endpoints set ${noProbe(tx)} where subject_id = ${tenantId} and id = ${id}`;
}

/** Moves the due times of a tenant's probes when its test clock advances. Locks in the order in which probes begin. */
export async function ageProbes(tx: Tx, tenantId: string, seconds: number): Promise<void> {
	await tx`
		with taken as materialized (
			select id from webhook_endpoints where subject_id = ${tenantId} and probe_id is not null order by id for update
		)
		update webhook_endpoints e
		set probe_next_at = greatest(e.probe_next_at - make_interval(secs => ${seconds}), least(e.probe_next_at, now()))
		from taken t where e.subject_id = ${tenantId} and e.id = t.id`;
}
