import { afterAll, beforeAll, expect, test } from "bun:test";
import { enqueueEvent, type NewEvent } from "../../../src/events/webhooks";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { acceptedEvent, addEndpoint, addTenant } from "../webhooks/tenant";

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
	const wanting = await addEndpoint(sql, tenantId, URL);
	const other = await addEndpoint(sql, tenantId, URL, ["invoice.rejected"]);
	const disabled = await addEndpoint(sql, tenantId, URL);
	await sql`update webhook_endpoints set status = 'disabled' where id = ${disabled.id}`;
	const stranger = await addEndpoint(sql, await addTenant(sql), URL);

	const event = acceptedEvent(tenantId);
	expect(await enqueue(event)).toEqual({ sequence: 1 });
	const [row] = await sql`select * from events where tenant_id = ${tenantId}`;
	expect(row).toMatchObject({ sequence: 1, event: "invoice.accepted", doc_id: event.docId, doc_version: 4 });
	expect(row?.occurred_at).toEqual(event.occurredAt);
	expect(JSON.parse(row?.body)).toMatchObject({ docId: event.docId, sequence: 1 });

	const deliveries = await sql`select * from deliveries where event_id = ${row?.id}`;
	expect(deliveries.map((delivery) => delivery.endpoint_id)).toEqual([wanting.id]);
	expect(deliveries[0]).toMatchObject({ status: "pending", tenant_id: tenantId, sequence: 1, doc_id: event.docId });
	const messages = await sql`select * from outbox where tenant_id = ${tenantId}`;
	expect(messages.map((m) => [m.kind, m.subject])).toEqual([["webhook.deliver", deliveries[0]?.id]]);
	const uninvolved =
		await sql`select 1 from deliveries where endpoint_id in ${sql([other.id, disabled.id, stranger.id])}`;
	expect(uninvolved).toHaveLength(0);
});

test("the sequence of a tenant has no gap and no double, whatever is rolled back and however many write at once", async () => {
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

test("a tenant without endpoints has its events all the same", async () => {
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
	const rows = await sql`select tenant_id from deliveries where tenant_id in ${sql([demo, paying])}`;
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
	const rows = await sql`select endpoint_id from deliveries where tenant_id = ${tenantId}`;
	expect(rows.map((row) => row.endpoint_id)).toEqual([named.id]);
});
