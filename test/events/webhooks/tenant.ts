/** Companies and endpoints as rows, for tests that need no registration. */
import { randomBytes } from "node:crypto";
import { addEndpoint as storeEndpoint } from "../../../src/events/endpoints";
import type { NewEvent } from "../../../src/events/webhooks";
import type { Sql } from "../../../src/platform/database";
import { createEnvelope } from "../../../src/platform/secrets";
import { newId } from "../../../src/platform/values";

export const envelope = createEnvelope(randomBytes(32));

let rnc = 100_000_000;

export async function addTenant(sql: Sql, change: { environment?: string; plan?: string } = {}): Promise<string> {
	const { environment = "sandbox", plan = "free" } = change;
	const tenantId = newId();
	await sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${tenantId}, ${environment}, 'test', ${String(rnc++)}, 'FERRETERIA', ${plan}, '{}', '{}')`;
	return tenantId;
}

export async function addEndpoint(
	sql: Sql,
	tenantId: string,
	url: string,
	events = ["invoice.*"],
	change: { rateLimitPerSecond?: number; ordering?: "per_document" | "none"; recovery?: "automatic" | "manual" } = {},
): Promise<{ id: string; secret: string }> {
	const wanted = { url, events, pointer: "/url", ...change };
	const { endpoint, secret } = await sql.begin((tx) => storeEndpoint(tx, envelope, tenantId, wanted));
	return { id: endpoint.id, secret };
}

/** An accepted invoice, with only what a test names changed. */
export function acceptedEvent(tenantId: string, change: Partial<NewEvent> = {}): NewEvent {
	return {
		event: "invoice.accepted",
		tenantId,
		docId: newId(),
		trackId: newId(),
		occurredAt: new Date("2026-11-20T14:20:00.902Z"),
		docVersion: 4,
		encf: "E310000000001",
		clientRequestId: "POS7-2026-11-20-000123",
		status: "accepted",
		authorityCode: "1",
		...change,
	};
}
