import { afterAll, beforeAll, expect, test } from "bun:test";
import { enqueueEvent, type NewEvent } from "../../../src/events/webhooks";
import { toEventBody } from "../../../src/events/webhooks/enqueue-event";
import { deliveryIdOf } from "../../../src/events/webhooks/store";
import { newId, timeOfId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { allDeliveries } from "../../support/deliveries";
import { acceptedEvent, addEndpoint, addTenant } from "./tenant";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const enqueue = (event: NewEvent) => database.sql.begin((tx) => enqueueEvent(tx, event));

const URL = "https://erp.elprogreso.do/hooks";

test("an event, its deliveries and their messages are written together", async () => {
	const { sql } = database;
	const tenantId = await addTenant(sql);
	const subscribed = await addEndpoint(sql, tenantId, URL);
	const other = await addEndpoint(sql, tenantId, URL, ["invoice.rejected"]);
	const disabled = await addEndpoint(sql, tenantId, URL);
	await sql`update webhook_endpoints set status = 'disabled' where id = ${disabled.id}`;
	const foreign = await addEndpoint(sql, await addTenant(sql), URL);

	const event = acceptedEvent(tenantId);
	expect(await enqueue(event)).toEqual({ sequence: 1 });
	const [row] = await sql`select * from events where tenant_id = ${tenantId}`;
	expect(row).toMatchObject({ sequence: 1, event: "invoice.accepted", doc_id: event.docId, doc_version: 4 });
	expect(timeOfId(row?.id)).toEqual(event.occurredAt);
	expect(row?.endpoint_ids).toEqual([subscribed.id]);
	expect(JSON.parse(row?.body)).toMatchObject({ docId: event.docId, sequence: 1 });

	const deliveries = await sql`select * from ${allDeliveries(sql)} d where tenant_id = ${tenantId}`;
	expect(deliveries.map((delivery) => delivery.endpoint_id)).toEqual([subscribed.id]);
	expect(deliveries[0]).toMatchObject({ status: "pending", tenant_id: tenantId, sequence: 1, doc_id: event.docId });
	const messages = await sql`select * from outbox where tenant_id = ${tenantId}`;
	expect(messages.map((m) => [m.kind, m.subject])).toEqual([["webhook.deliver", deliveries[0]?.id]]);
	const uninvolved =
		await sql`select 1 from ${allDeliveries(sql)} d where endpoint_id in ${sql([other.id, disabled.id, foreign.id])}`;
	expect(uninvolved).toHaveLength(0);
});

test("an event reaches the endpoints of its moment, whatever was known before", async () => {
	const { sql } = database;
	const tenantId = await addTenant(sql);
	const reached = async () => {
		await enqueue(acceptedEvent(tenantId));
		const [row] =
			await sql`select endpoint_ids from events where tenant_id = ${tenantId} order by sequence desc limit 1`;
		return row?.endpoint_ids;
	};
	expect(await reached()).toEqual([]);
	const first = await addEndpoint(sql, tenantId, URL);
	expect(await reached()).toEqual([first.id]);
	// A change that is rolled back leaves nothing behind.
	const undone = sql.begin(async (tx) => {
		await tx`delete from webhook_endpoints where id = ${first.id}`;
		await enqueueEvent(tx, acceptedEvent(tenantId));
		throw new Error("changed my mind");
	});
	await expect(undone).rejects.toThrow("changed my mind");
	expect(await reached()).toEqual([first.id]);
	await sql`update webhook_endpoints set events = '["invoice.rejected"]' where id = ${first.id}`;
	expect(await reached()).toEqual([]);
	await sql`delete from webhook_endpoints where id = ${first.id}`;
	const second = await addEndpoint(sql, tenantId, URL);
	expect(await reached()).toEqual([second.id]);
});

test("a delivery has the same id here and in the database", async () => {
	const [tenantId, eventId, endpointId] = [newId(), newId(), newId()];
	const [row] = await database.sql`select delivery_id(${tenantId}, ${eventId}, ${endpointId}) as id`;
	expect(deliveryIdOf(tenantId, eventId, endpointId)).toBe(row?.id);
	expect(timeOfId(row?.id)).toEqual(timeOfId(eventId));
});

test("a tenant's sequence has no gap and no repeat under rollbacks and concurrency", async () => {
	const { sql } = database;
	const tenants = [await addTenant(sql), await addTenant(sql)];
	const rounds = Array.from({ length: 120 }, (_, i) => {
		const tenantId = tenants[i % 2] ?? "";
		return sql
			.begin(async (tx) => {
				const { sequence } = await enqueueEvent(tx, acceptedEvent(tenantId));
				if (i % 3 === 0) throw new Error("changed my mind");
				return sequence;
			})
			.catch(() => undefined);
	});
	const kept = (await Promise.all(rounds)).filter((sequence) => sequence !== undefined);
	expect(kept).toHaveLength(80);
	for (const tenantId of tenants) {
		const rows = await sql`select sequence, body from events where tenant_id = ${tenantId} order by sequence`;
		expect(rows.map((row) => row.sequence)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
		expect(rows.every((row) => JSON.parse(row.body).sequence === row.sequence)).toBe(true);
	}
});

test("a tenant without endpoints still has its events", async () => {
	const tenantId = await addTenant(database.sql);
	await enqueue(acceptedEvent(tenantId));
	expect(await enqueue(acceptedEvent(tenantId, { event: "sequence.low" }))).toEqual({ sequence: 2 });
	expect(await database.sql`select 1 from outbox where tenant_id = ${tenantId}`).toHaveLength(0);
});

test("demo tenants of the public sandbox have events but no deliveries", async () => {
	const { sql } = database;
	const demo = await addTenant(sql, { environment: "public-sandbox", plan: "demo" });
	const paying = await addTenant(sql, { environment: "public-sandbox", plan: "free" });
	for (const tenantId of [demo, paying]) {
		await addEndpoint(sql, tenantId, URL);
		await enqueue(acceptedEvent(tenantId));
	}
	const rows = await sql`select tenant_id from ${allDeliveries(sql)} d where tenant_id in ${sql([demo, paying])}`;
	expect(rows.map((row) => row.tenant_id)).toEqual([paying]);
	expect(await sql`select 1 from events where tenant_id = ${demo}`).toHaveLength(1);
});

test("an addition reaches only the endpoint that named it", async () => {
	const { sql } = database;
	const tenantId = await addTenant(sql);
	await addEndpoint(sql, tenantId, URL, ["invoice.*"]);
	await addEndpoint(sql, tenantId, URL, ["*"]);
	const named = await addEndpoint(sql, tenantId, URL, ["invoice.*", "invoice.pending_contingency"]);
	await enqueue(acceptedEvent(tenantId, { event: "invoice.pending_contingency", docId: newId() }));
	const rows = await sql`select endpoint_id from ${allDeliveries(sql)} d where tenant_id = ${tenantId}`;
	expect(rows.map((row) => row.endpoint_id)).toEqual([named.id]);
});

test("a body has the specification's five members first, then ours", () => {
	const event = acceptedEvent(newId());
	expect(toEventBody(event, 48_213)).toBe(
		`{"event":"invoice.accepted","docId":"${event.docId}","trackId":"${event.trackId}","tenantId":"${event.tenantId}",` +
			'"occurredAt":"2026-11-20T14:20:00.902Z","sequence":48213,"docVersion":4,"encf":"E310000000001",' +
			'"client_request_id":"POS7-2026-11-20-000123","status":"accepted","authority":{"code":"1"}}',
	);
});

test("absent members are left out", () => {
	const bare = { event: "certificate.expiring", tenantId: newId(), docId: newId(), trackId: newId() } as const;
	const body = JSON.parse(toEventBody({ ...bare, occurredAt: new Date(), clientRequestId: null }, 1));
	expect(Object.keys(body)).toEqual(["event", "docId", "trackId", "tenantId", "occurredAt", "sequence"]);
});

test("a body over 8 KiB is refused before it is stored", () => {
	const long = acceptedEvent(newId(), { clientRequestId: "ñ".repeat(4_096) });
	expect(() => toEventBody(long, 1)).toThrow("over 8192");
});

test.each([
	["in ASCII whole", `https://erp.example/${"x".repeat(1_980)}`, 2_000],
	["of four bytes a character cut", `https://erp.example/${"😀".repeat(1_980)}`, 4_096],
	["of characters that JSON escapes whole", `https://erp.example/${'"'.repeat(1_980)}`, 2_000],
])("the longest URL of a webhook fits the event: one %s", (_, url, bytes) => {
	const disabled = { event: "webhook.disabled", tenantId: newId(), docId: newId(), trackId: newId() } as const;
	const webhook = { id: newId(), url, reason: "The endpoint answered 410 Gone." };
	const body = toEventBody({ ...disabled, occurredAt: new Date(), webhook }, Number.MAX_SAFE_INTEGER);
	const { webhook: sent } = JSON.parse(body) as { webhook: typeof webhook };
	expect(url).toStartWith(sent.url);
	expect(Buffer.byteLength(sent.url)).toBe(bytes);
});
