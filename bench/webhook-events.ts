/** Tenants with webhook endpoints, and events for them, written to a service's database as a verdict's transaction does. */

import { join } from "node:path";
import { addEndpoint, DEFAULT_EVENTS } from "../src/events/endpoints";
import { enqueueEvents, type NewEvent, signDelivery } from "../src/events/webhooks";
import type { Sql } from "../src/platform/database";
import { createWake } from "../src/platform/outbox";
import { createEnvelope, readKek } from "../src/platform/secrets";
import { newId } from "../src/platform/values";
import { allAttempts, setStatus } from "../test/support/deliveries";
import type { BarePost } from "./bare-posts.process";
import type { Service } from "./service";

/** The destination of a tenant's events. */
export type Place = { readonly tenantId: string; readonly url: string; readonly secret: string };

const FIRST_RNC = 200_000_000;
let companies = 0;

/** A company with endpoints at these URLs. */
export async function addTenant(
	sql: Sql,
	service: Service,
	urls: readonly string[],
	events: readonly string[] = DEFAULT_EVENTS,
): Promise<Place[]> {
	const envelope = createEnvelope(readKek(join(service.dataDir, "kek")));
	const tenantId = newId();
	const rnc = String(FIRST_RNC + companies++);
	return sql.begin(async (tx) => {
		await tx`
			insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
			values (${tenantId}, 'sandbox', 'test', ${rnc}, 'FERRETERIA', 'free', '{}', '{}')`;
		const places: Place[] = [];
		for (const url of urls) {
			const { secret } = await addEndpoint(tx, envelope, tenantId, { url, events: [...events], pointer: "/url" });
			places.push({ tenantId, url, secret });
		}
		return places;
	});
}

/** Writes an accepted invoice's event for each tenant in one transaction, and wakes dispatchers. */
export async function enqueueAccepted(sql: Sql, tenantIds: readonly string[]): Promise<void> {
	const occurredAt = new Date();
	const events = tenantIds.map((tenantId) => toEvent(tenantId, occurredAt));
	await sql.begin((tx) => enqueueEvents(tx, events));
	createWake(sql)();
}

/** Withdraws remaining retries, so that they do not disturb the next measurement. */
export async function withdrawAll(sql: Sql): Promise<void> {
	for (;;) {
		// Locked rows are being claimed or settled; they are read again.
		await sql`
			update outbox set state = 'dead', settled_at = now()
			where id in (select id from outbox where state = 'ready' order by id for update skip locked)`;
		const left = await sql`select 1 from outbox where state = 'ready' limit 1`;
		if (left.length === 0) break;
		await Bun.sleep(20);
	}
	await setStatus(sql, "dead", sql`status in ('pending', 'failed')`);
}

/** Number of attempts since a time, and of first attempts among them. */
export async function countAttempts(sql: Sql, since: Date): Promise<{ all: number; first: number }> {
	const [row] = await sql<{ all: number; first: number }[]>`
		select count(*)::int as all, (count(*) filter (where n = 1))::int as first from ${allAttempts(sql)} a where at >= ${since}`;
	return row ?? { all: 0, first: 0 };
}

/** The equivalent of one of our deliveries, ready to send. */
export function toBarePost({ tenantId, url, secret }: Place): BarePost {
	const { event, ...members } = toEvent(tenantId, new Date());
	const body = JSON.stringify({ event, ...members, sequence: 1 });
	const bytes = Buffer.from(body);
	const id = newId();
	return {
		url,
		body,
		headers: {
			"content-type": "application/json",
			"content-length": String(bytes.length),
			"x-service-event": event,
			"x-service-signature": signDelivery(secret, bytes, Math.floor(Date.now() / 1_000)),
			"x-service-delivery": id,
			"x-service-attempt": "1",
		},
	};
}

function toEvent(tenantId: string, occurredAt: Date): NewEvent {
	return {
		event: "invoice.accepted",
		tenantId,
		docId: newId(),
		trackId: newId(),
		occurredAt,
		docVersion: 4,
		encf: "E310000000001",
		clientRequestId: "POS7-2026-11-20-000123",
		status: "accepted",
		authorityCode: "1",
	};
}
