/** All SQL on webhook endpoints. */
import type { Sql, Tx } from "../database";
import type { Plan } from "../operation";
import type { Environment } from "../values";
import type { WebhookEndpoint } from "./endpoint";

const endpointColumns = (sql: Sql | Tx) => sql`
	id, tenant_id as "tenantId", url, events, description, status, rate_limit_per_second as "rateLimitPerSecond", ordering,
	sealed_secret as "sealedSecret", secret_hint as "secretHint", sealed_next_secret as "sealedNextSecret",
	next_secret_hint as "nextSecretHint", next_secret_at as "nextSecretAt", version, created_at as "createdAt",
	updated_at as "updatedAt"`;

/** An endpoint at its creation; what the database fills in by itself is left out. */
export type NewEndpoint = Pick<
	WebhookEndpoint,
	| "id"
	| "tenantId"
	| "url"
	| "events"
	| "description"
	| "rateLimitPerSecond"
	| "ordering"
	| "sealedSecret"
	| "secretHint"
>;

export async function insertEndpoint(tx: Tx, e: NewEndpoint): Promise<WebhookEndpoint> {
	const [row] = await tx<WebhookEndpoint[]>`
		insert into webhook_endpoints (
			id, tenant_id, url, events, description, rate_limit_per_second, ordering, sealed_secret, secret_hint
		) values (
			${e.id}, ${e.tenantId}, ${e.url}, ${tx.json([...e.events])}, ${e.description}, ${e.rateLimitPerSecond}, ${e.ordering},
			${e.sealedSecret}, ${e.secretHint}
		) returning ${endpointColumns(tx)}`;
	if (!row) throw new Error("an inserted row is returned");
	return row;
}

/** A tenant's endpoints, oldest first. */
export async function listEndpoints(sql: Sql | Tx, tenantId: string): Promise<WebhookEndpoint[]> {
	return sql<
		WebhookEndpoint[]
	>`select ${endpointColumns(sql)} from webhook_endpoints where tenant_id = ${tenantId} order by id`;
}

/** How many endpoints a tenant has; others who add one wait until this transaction ends. */
export async function countEndpoints(tx: Tx, tenantId: string): Promise<number> {
	await tx`select 1 from companies where tenant_id = ${tenantId} for update`;
	const [row] = await tx<{ count: number }[]>`
		select count(*)::int as count from webhook_endpoints where tenant_id = ${tenantId}`;
	return row?.count ?? 0;
}

/** An enabled endpoint, with what of its company decides whether it is called. */
export type Subscription = Pick<WebhookEndpoint, "id" | "tenantId" | "events"> & {
	readonly environment: Environment;
	readonly plan: Plan;
};

/** The enabled endpoints of these tenants. */
export async function findSubscriptions(sql: Sql | Tx, tenantIds: readonly string[]): Promise<Subscription[]> {
	return sql<Subscription[]>`
		select e.id, e.tenant_id as "tenantId", e.events, c.environment, c.plan
		from webhook_endpoints e join companies c using (tenant_id)
		where e.tenant_id = any(${[...tenantIds]}::uuid[]) and e.status = 'enabled' order by e.id`;
}

export async function findEndpoints(sql: Sql | Tx, ids: readonly string[]): Promise<WebhookEndpoint[]> {
	return sql<WebhookEndpoint[]>`
		select ${endpointColumns(sql)} from webhook_endpoints where id = any(${[...ids]}::uuid[])`;
}

export async function getEndpoint(sql: Sql | Tx, id: string): Promise<WebhookEndpoint | undefined> {
	const [row] = await sql<WebhookEndpoint[]>`select ${endpointColumns(sql)} from webhook_endpoints where id = ${id}`;
	return row;
}

/** A tenant's endpoint, locked until the transaction ends. */
export async function lockEndpoint(tx: Tx, tenantId: string, id: string): Promise<WebhookEndpoint | undefined> {
	const [row] = await tx<WebhookEndpoint[]>`
		select ${endpointColumns(tx)} from webhook_endpoints where tenant_id = ${tenantId} and id = ${id} for update`;
	return row;
}

/** Writes an endpoint as it is now, as its next version. */
export async function updateEndpoint(tx: Tx, e: WebhookEndpoint): Promise<WebhookEndpoint> {
	const [row] = await tx<WebhookEndpoint[]>`
		update webhook_endpoints set url = ${e.url}, events = ${tx.json([...e.events])}, description = ${e.description},
			status = ${e.status}, disabled_at = case ${e.status} when 'disabled' then coalesce(disabled_at, now()) end,
			rate_limit_per_second = ${e.rateLimitPerSecond}, ordering = ${e.ordering}, sealed_secret = ${e.sealedSecret},
			secret_hint = ${e.secretHint}, sealed_next_secret = ${e.sealedNextSecret}, next_secret_hint = ${e.nextSecretHint},
			next_secret_at = ${e.nextSecretAt}, version = version + 1, updated_at = now()
		where id = ${e.id} returning ${endpointColumns(tx)}`;
	if (!row) throw new Error("an endpoint that is locked is there");
	return row;
}

/** Removes an endpoint that is locked. */
export async function deleteEndpoint(tx: Tx, id: string): Promise<void> {
	await tx`delete from webhook_endpoints where id = ${id}`;
}

/** Disables an endpoint; false when it was disabled or gone already. */
export async function disableEndpoint(sql: Sql | Tx, id: string): Promise<boolean> {
	const rows = await sql`
		update webhook_endpoints set status = 'disabled', disabled_at = now(), version = version + 1, updated_at = now()
		where id = ${id} and status = 'enabled' returning id`;
	return rows.length === 1;
}
