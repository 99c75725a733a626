/** A list of deliveries reads only what it shows. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { enqueueEvent } from "../../../../src/events/webhooks";
import { listDeliveries } from "../../../../src/events/webhooks/deliveries/store";
import type { DeliveryStatus } from "../../../../src/events/webhooks/store";
import type { Sql } from "../../../../src/platform/database";
import { newId } from "../../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { setStatus } from "../../../support/deliveries";
import { readingFewerThan } from "../../../support/rows-read";
import { acceptedEvent, addEndpoint, addTenant } from "../tenant";

const OTHERS = 3_000;
const LIMIT = 10;
const ROWS_MAX = 30;

let database: TestDatabase;
let tenantId: string;
const written: { docId: string; status: DeliveryStatus }[] = [];

beforeAll(async () => {
	database = await openTestDatabase();
	const { sql, owner } = database;
	tenantId = await addTenant(sql);
	await addEndpoint(sql, tenantId, "https://receiver.example/");
	for (const status of ["failed", "dead", "delivered"] as const) {
		const docId = newId();
		await sql.begin((tx) => enqueueEvent(tx, acceptedEvent(tenantId, { docId })));
		await setStatus(sql, status, sql`doc_id = ${docId}`);
		written.push({ docId, status });
	}
	await sql`
		insert into events
		select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'doc_id', gen_random_uuid(), 'sequence', 3 + n))).*
		from events e cross join generate_series(1, ${OTHERS}) n where e.sequence = 3`;
	await setStatus(sql, "delivered", sql`status = 'pending'`);
	await owner`analyze events, deliveries`;
}, 120_000);
afterAll(() => database.close());

const list = async (filter: Parameters<typeof listDeliveries>[2]) => {
	const find = (tx: Sql) => listDeliveries(tx, tenantId, filter, LIMIT);
	const found = await readingFewerThan(ROWS_MAX, "deliveries", database.sql, (tx) => find(tx as unknown as Sql));
	return found.map(({ docId, status }) => ({ docId, status }));
};

test("a list by document reads few rows", async () => {
	for (const one of written) expect(await list({ docId: one.docId })).toEqual([one]);
});

test("a list by status reads few rows", async () => {
	expect(await list({ status: "failed" })).toEqual(written.slice(0, 1));
	expect(await list({ status: "dead" })).toEqual(written.slice(1, 2));
	expect(await list({ status: "pending" })).toEqual([]);
});
