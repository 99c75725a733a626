/** A test clock that is moved while the tenant's work is being written: neither waits for the other in a circle. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { isActive } from "../../src/companies";
import type { Sql, Tx } from "../../src/database";
import { TEST_SET_KIND } from "../../src/invoices";
import { noteInternalFailure } from "../../src/invoices/store";
import { storeParts, type ToStore } from "../../src/invoices/store-new";
import { writeHeld } from "../../src/outbox";
import { heldParts, insertMessages } from "../../src/outbox/store";
import { hastenMessages } from "../../src/outbox/waiting-store";
import { advanceClock } from "../../src/sandbox/advance-clock";
import { newId } from "../../src/values";
import { DELIVER_KIND } from "../../src/webhooks";
import { addCompany, addInvoice, holdMessageOf } from "../invoices/support/submission";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { until } from "../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

/** A company with a document whose message is held, and whose steps have been failing. */
async function holdFailing(sql: Sql) {
	const tenantId = await addCompany(sql);
	const { docId } = await addInvoice(sql, tenantId);
	await sql.begin((tx) => noteInternalFailure(tx, docId, 60));
	const message = await holdMessageOf(sql, docId);
	if (!message) throw new Error("expected a message");
	return { tenantId, docId, message };
}

async function isWaiting(sessions: number): Promise<boolean> {
	const waiting = await database.owner`
		select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
	return waiting.length === sessions;
}

const untilWaiting = (sessions: number) => until(() => isWaiting(sessions));

/** Begins to move the clock, and goes on when that waits for somebody. */
async function advanceBeside(tenantId: string): Promise<{ readonly advanced: Promise<number> }> {
	const advanced = advanceClock(database.sql, tenantId, 3_600);
	advanced.catch(() => undefined);
	await untilWaiting(1);
	return { advanced };
}

const afterwards: readonly (readonly [
	string,
	(tx: Tx, of: { tenantId: string; docId: string }) => Promise<unknown>,
])[] = [
	["writes its document", (tx, { docId }) => noteInternalFailure(tx, docId, 60)],
	["looks whether its company may issue", (tx, { tenantId }) => isActive(tx, tenantId)],
];
for (const [what, write] of afterwards)
	test(`a step that holds its message and then ${what} is written, and the clock is moved after it`, async () => {
		const { message, ...of } = await holdFailing(database.sql);
		const { advanced } = await writeHeld(database.sql, message, async (tx) => {
			const beside = await advanceBeside(of.tenantId);
			await write(tx, of);
			return beside;
		});
		expect(await advanced).toBe(3_600);
	});

test("a step that holds its message and then hastens its set is written, and the clock is moved after it", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const [older, subject] = [newId(), newId()];
	const later = { kind: TEST_SET_KIND, tenantId, subject, availableInSeconds: 600 };
	await sql.begin((tx) => insertMessages(tx, [{ id: older, message: later }]));
	const { docId } = await addInvoice(sql, tenantId);
	const message = await holdMessageOf(sql, docId);
	if (!message) throw new Error("expected a message");
	const { advanced } = await writeHeld(sql, message, async (tx) => {
		const beside = await advanceBeside(tenantId);
		await hastenMessages(tx, later.kind, [subject]);
		return beside;
	});
	expect(await advanced).toBe(3_600);
});

test("messages are locked in the order in which steps that are written together lock them", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	const holder = newId();
	const ids = [newId(), newId()].sort();
	const claim = { owner: holder, leaseSeconds: 60 };
	// The later one lies first in the table.
	for (const id of ids.toReversed())
		await sql.begin((tx) => insertMessages(tx, [{ id, message: { kind: "a", tenantId, subject: id }, claim }]));
	const settlements = ids.map((id) => ({
		message: {
			id,
			kind: "a",
			tenantId,
			subject: id,
			payload: {},
			attempt: 1,
			failures: 0,
			owner: holder,
			ageSeconds: 0,
			leaseLeftMs: () => 60_000,
		},
	}));
	let advanced: Promise<number> | undefined;
	let written: Promise<unknown> | undefined;
	await owner.begin(async (tx) => {
		// The steps are the first to get what both wait for.
		await tx`select 1 from outbox where id = ${ids[0] ?? ""} for update`;
		written = Promise.resolve(sql`with ${heldParts(sql, settlements)} select id from held`);
		written.catch(() => undefined);
		await untilWaiting(1);
		advanced = advanceClock(sql, tenantId, 3_600);
		advanced.catch(() => undefined);
		await untilWaiting(2);
	});
	expect(await advanced).toBe(3_600);
	expect(await written).toHaveLength(2);
});

test("whoever has locked an endpoint and then locks the message of its delivery is not waited for in a circle", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const [endpointId, id] = [newId(), newId()];
	await sql`
		insert into webhook_endpoints (id, tenant_id, url, events, sealed_secret, secret_hint, probe_id, probe_failures, probe_passes, probe_next_at)
		values (${endpointId}, ${tenantId}, 'https://receiver.example/', '["*"]', '', '', ${newId()}, 0, 0, now())`;
	await sql.begin((tx) => insertMessages(tx, [{ id, message: { kind: DELIVER_KIND, tenantId, subject: newId() } }]));
	const { advanced } = await sql.begin(async (tx) => {
		await tx`select 1 from webhook_endpoints where id = ${endpointId} for update`;
		const beside = await advanceBeside(tenantId);
		await tx`select 1 from outbox where id = ${id} for update`;
		return beside;
	});
	expect(await advanced).toBe(3_600);
});

test("keys that have expired are locked in the order in which invoices that are stored together take them over", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	const template = await addInvoice(sql, tenantId);
	const keys = [crypto.randomUUID(), crypto.randomUUID()].sort();
	// The later one lies first in the table.
	for (const key of keys.toReversed())
		await sql`
			insert into idempotency_keys (scope_id, operation, key, raw_sha256, answer, headers, created_at)
			values (${tenantId}, 'postInvoice', ${key}, '', '{}', '{}', now() - interval '2 days')`;
	const toStore = keys.map(
		(key, n): ToStore => ({
			row: { ...template, docId: newId(), trackId: newId(), encf: `E31900000000${n}` },
			key: { place: { scopeId: tenantId, operation: "postInvoice", key }, rawSha256: new Uint8Array(32) },
		}),
	);
	let stored: Promise<unknown> | undefined;
	let advanced: Promise<number> | undefined;
	await owner.begin(async (tx) => {
		// Storing is the first to get what both wait for.
		await tx`select 1 from idempotency_keys where key = ${keys[0] ?? ""} for update`;
		stored = storeParts(sql, toStore);
		stored.catch(() => undefined);
		await untilWaiting(1);
		advanced = advanceClock(sql, tenantId, 3_600);
		advanced.catch(() => undefined);
		await untilWaiting(2);
	});
	expect(await stored).toEqual(["stored", "stored"]);
	expect(await advanced).toBe(3_600);
});
