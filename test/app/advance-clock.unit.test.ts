/** Advancing a test clock while the tenant's work is being written causes no deadlock, and misses none of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { lockRowsUnderOthers, SEALED_COLUMNS } from "../../src/app/maintenance/kek-rotation";
import { isActive } from "../../src/companies";
import { beginProbes } from "../../src/events/endpoints/store";

import { deleteExpired, revokeFamily } from "../../src/identity/auth/store";

import { type Work, writeWhere } from "../../src/invoicing/certification/step-work";
import { storeParts, type ToStore } from "../../src/invoicing/invoices/issue/issue-store";
import { connect, type Sql, type Tx } from "../../src/platform/database";
import { append, OUTBOX_KINDS, writeUnderLease } from "../../src/platform/outbox";
import { expediteMessages } from "../../src/platform/outbox/backlog-store";
import { insertMessages, leaseParts } from "../../src/platform/outbox/store";
import { newId } from "../../src/platform/values";
import { advanceClock } from "../../src/sandbox/clock/clock";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { holdMessage, holdMessages } from "../support/held-messages";
import { addCompany, addInvoice, holdMessageOf, keepOpen, toInvoice } from "../support/submission";
import { until } from "../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

/** A company with a document whose message is held, and whose steps have failed. */
async function holdFailing(sql: Sql) {
	const tenantId = await addCompany(sql);
	const { docId } = await addInvoice(sql, tenantId);
	await keepOpen(sql, { tenantId, docId }, { internal_failure_since: new Date() });
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

/** Starts to advance the clock, and continues when that waits for a lock. */
async function advanceBeside(tenantId: string): Promise<{ readonly advanced: Promise<number> }> {
	const advanced = database.sql.begin((tx) => advanceClock(tx, tenantId, 3_600));
	advanced.catch(() => undefined);
	await untilWaiting(1);
	return { advanced };
}

const afterwards: readonly (readonly [
	string,
	(tx: Tx, of: { tenantId: string; docId: string }) => Promise<unknown>,
])[] = [
	["writes its document", (tx, of) => keepOpen(tx, of, { internal_failure_since: new Date() })],
	["looks whether its company may issue", (tx, { tenantId }) => isActive(tx, tenantId)],
];
for (const [what, write] of afterwards)
	test(`a step that holds its message and then ${what} completes before the clock moves`, async () => {
		const { message, ...of } = await holdFailing(database.sql);
		const { advanced } = await writeUnderLease(database.sql, message, async (tx) => {
			const beside = await advanceBeside(of.tenantId);
			await write(tx, of);
			return beside;
		});
		expect(await advanced).toBe(3_600);
	});

test("a step that holds its message and wakes its set completes, then the clock moves", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const [older, subject] = [newId(), newId()];
	const later = { kind: OUTBOX_KINDS.advanceTestSet, tenantId, subject, availableInSeconds: 600 };
	await sql.begin((tx) => insertMessages(tx, [{ id: older, message: later }]));
	const { docId } = await addInvoice(sql, tenantId);
	const message = await holdMessageOf(sql, docId);
	if (!message) throw new Error("expected a message");
	const { advanced } = await writeUnderLease(sql, message, async (tx) => {
		const beside = await advanceBeside(tenantId);
		await expediteMessages(tx, later.kind, [{ tenantId, subject }]);
		return beside;
	});
	expect(await advanced).toBe(3_600);
});

test("a test set's step that checks its company completes, then the clock advances", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const subject = newId();
	await sql.begin((tx) => append(tx, { kind: OUTBOX_KINDS.advanceTestSet, tenantId, subject }));
	const message = await holdMessage(sql, subject);
	const work = { deps: { sql }, message, set: { id: subject, tenantId, status: "running", run: 1 } } as unknown as Work;
	let advanced: Promise<number> | undefined;
	const isAllowed = async (tx: Tx) => {
		const mayIssue = await isActive(tx, tenantId);
		({ advanced } = await advanceBeside(tenantId));
		return mayIssue;
	};
	await writeWhere(work, isAllowed, async () => undefined);
	expect(await advanced).toBe(3_600);
});

test("messages are locked in the lock order of concurrent steps", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	const [ids, subject] = [[newId(), newId()].sort(), newId()];
	// The later one comes first in the table.
	for (const id of ids.toReversed())
		await sql.begin((tx) => insertMessages(tx, [{ id, message: { kind: "a", tenantId, subject } }]));
	const settlements = (await holdMessages(sql, subject)).map((message) => ({ message }));
	let advanced: Promise<number> | undefined;
	let written: Promise<unknown> | undefined;
	await owner.begin(async (tx) => {
		// The steps get the contested row first.
		await tx`select 1 from outbox where id = ${ids[0] ?? ""} for update`;
		written = Promise.resolve(sql`with ${leaseParts(sql, settlements)} select id from held`);
		written.catch(() => undefined);
		await untilWaiting(1);
		advanced = sql.begin((tx) => advanceClock(tx, tenantId, 3_600));
		advanced.catch(() => undefined);
		await untilWaiting(2);
	});
	expect(await advanced).toBe(3_600);
	expect(await written).toHaveLength(2);
});

test("a holder of an endpoint that locks its delivery's message causes no deadlock", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const [endpointId, id] = [newId(), newId()];
	await sql`
		insert into webhook_endpoints (id, subject_id, tenant_id, url, events, sealed_secret, secret_hint, probe_id, probe_failures, probe_passes, probe_next_at)
		values (${endpointId}, ${tenantId}, ${tenantId}, 'https://receiver.example/', '["*"]', '', '', ${newId()}, 0, 0, now())`;
	await sql.begin((tx) =>
		insertMessages(tx, [{ id, message: { kind: OUTBOX_KINDS.deliverWebhook, tenantId, subject: newId() } }]),
	);
	const { advanced } = await sql.begin(async (tx) => {
		await tx`select 1 from webhook_endpoints where id = ${endpointId} for update`;
		const beside = await advanceBeside(tenantId);
		await tx`select 1 from outbox where id = ${id} for update`;
		return beside;
	});
	expect(await advanced).toBe(3_600);
});

test("expired keys are locked in the order in which invoices take them over", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	const template = await addInvoice(sql, tenantId);
	const keys = [crypto.randomUUID(), crypto.randomUUID()].sort();
	// The later one comes first in the table.
	for (const key of keys.toReversed())
		await sql`
			insert into request_keys (scope_id, operation, key, slot, raw_digest, answer, created_at)
			values (${tenantId}, 'postInvoice', ${key}, request_slot(now()), '', '{}', now() - interval '2 days')`;
	const toStore = keys.map(
		(key, n): ToStore => ({
			row: { ...template, docId: newId(), encf: `E31900000000${n}` },
			key: { place: { scopeId: tenantId, operation: "postInvoice", key }, rawSha256: new Uint8Array(32) },
		}),
	);
	let stored: Promise<unknown> | undefined;
	let advanced: Promise<number> | undefined;
	await owner.begin(async (tx) => {
		// Storing gets the contested row first.
		await tx`select 1 from request_keys where key = ${keys[0] ?? ""} for update`;
		stored = storeParts(sql, toStore);
		stored.catch(() => undefined);
		await untilWaiting(1);
		advanced = sql.begin((tx) => advanceClock(tx, tenantId, 3_600));
		advanced.catch(() => undefined);
		await untilWaiting(2);
	});
	expect(await stored).toEqual(["stored", "stored"]);
	expect(await advanced).toBe(3_600);
});

test("expired tokens are swept beside an advancing clock, in either row order", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	const clientId = `cli_${newId()}`;
	await sql`
		insert into oauth_clients (client_id, tenant_id, plan, scopes, environment, secret_digest, created_at)
		values (${clientId}, ${tenantId}, 'free', ${[]}, 'staging', ${Buffer.alloc(32, 7)}, now())`;
	const jtis = [newId(), newId()].sort();
	for (const [n, jti] of jtis.entries())
		await sql`
			insert into refresh_tokens (digest, family, client_id, scope, access_jti, access_expires_at, created_at, expires_at)
			values (${Buffer.from(newId().replaceAll("-", "").repeat(2), "hex")}, ${newId()}, ${clientId}, '', ${jti}, now() - interval '3 days',
				now() + ${n} * interval '1 second', now() + interval '20 days')`;
	for (const jti of jtis.toReversed())
		await sql`insert into revoked_tokens (jti, expires_at) values (${jti}, now() - interval '3 days')`;
	let forgotten: Promise<number> | undefined;
	let advanced: Promise<number> | undefined;
	await owner.begin(async (tx) => {
		await tx`select 1 from revoked_tokens where jti = ${jtis[0] ?? ""} for update`;
		advanced = sql.begin((tx) => advanceClock(tx, tenantId, 3_600));
		advanced.catch(() => undefined);
		await untilWaiting(1);
		let isOver = false;
		forgotten = deleteExpired(sql, new Date(Date.now() - 86_400_000)).finally(() => {
			isOver = true;
		});
		forgotten.catch(() => undefined);
		await until(async () => isOver || (await isWaiting(2)));
	});
	expect(await advanced).toBe(3_600);
	await forgotten;
});

test("a token family ended during an advance is ended, in any row order", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	const clientId = `cli_${newId()}`;
	await sql`
		insert into oauth_clients (client_id, tenant_id, plan, scopes, environment, secret_digest, created_at)
		values (${clientId}, ${tenantId}, 'free', ${[]}, 'staging', ${Buffer.alloc(32, 8)}, now())`;
	const family = newId();
	const digests = [1, 2].map((n) => Buffer.alloc(32, n));
	for (const digest of digests)
		await sql`
			insert into refresh_tokens (digest, family, client_id, scope, access_jti, access_expires_at, created_at, expires_at)
			values (${digest}, ${family}, ${clientId}, '', ${newId()}, now() + interval '1 hour', now(), now() + interval '20 days')`;
	// A rewritten row comes after the other in the table, but an index still finds it first.
	await sql`update refresh_tokens set used_at = now() where digest = ${digests[0] ?? ""}`;
	let revoked: Promise<unknown> | undefined;
	let advanced: Promise<number> | undefined;
	await owner.begin(async (tx) => {
		await tx`select 1 from refresh_tokens where digest = ${digests[0] ?? ""} for update`;
		revoked = sql.begin((tx) => revokeFamily(tx, family, new Date()));
		revoked.catch(() => undefined);
		await untilWaiting(1);
		advanced = sql.begin((tx) => advanceClock(tx, tenantId, 60));
		advanced.catch(() => undefined);
		await untilWaiting(2);
	});
	expect(await revoked).toHaveLength(2);
	expect(await advanced).toBe(60);
});

/** Advances the clock while other work already holds the contested row. */
async function advanceBehind(
	tenantId: string,
	hold: (tx: Tx) => Promise<unknown>,
	work: () => Promise<unknown>,
	sql: Sql = database.sql,
) {
	let worked: Promise<unknown> | undefined;
	let advanced: Promise<number> | undefined;
	await database.owner.begin(async (tx) => {
		await hold(tx);
		worked = work();
		worked.catch(() => undefined);
		await untilWaiting(1);
		advanced = sql.begin((tx) => advanceClock(tx, tenantId, 60));
		advanced.catch(() => undefined);
		await untilWaiting(2);
	});
	return { worked: await worked, advanced: await advanced };
}

test("probes are locked in the order of their start, in any order of endpoints", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const ids = [newId(), newId()].sort();
	for (const id of ids.toReversed())
		await sql`
			insert into webhook_endpoints (id, subject_id, tenant_id, url, events, sealed_secret, secret_hint, probe_id, probe_failures, probe_passes, probe_next_at)
			values (${id}, ${tenantId}, ${tenantId}, ${`https://receiver.example/${id}`}, '["*"]', '', '', ${newId()}, 0, 0, now() + interval '1 hour')`;
	const { worked, advanced } = await advanceBehind(
		tenantId,
		(tx) => tx`select 1 from webhook_endpoints where id = ${ids[0] ?? ""} for update`,
		() =>
			sql.begin((tx) =>
				beginProbes(
					tx,
					ids.map((id) => ({ id, tenantId })),
					60,
				),
			),
	);
	expect(worked).toEqual([]);
	expect(advanced).toBe(60);
});

test("certificates are locked in the order of re-sealing, in any row order", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	// Before the company's own one.
	const thumbprints = ["0", "1"].map((first) => `${first}${tenantId}`);
	for (const thumbprint of thumbprints.toReversed())
		await sql`
			insert into signing_certificates (id, tenant_id, status, certificate_der, sealed_key, thumbprint, subject, issuer, serial_number,
				not_before, not_after, ephemeral)
			values (${newId()}, ${tenantId}, 'retired', '', '', ${thumbprint}, 'CN=A', 'CN=A', '01', now(), now() + interval '1 year', true)`;
	const column = SEALED_COLUMNS.find(({ table }) => table === "signing_certificates");
	if (!column) throw new Error("expected keys of certificates to be sealed");
	// An index happens to have that order, but no planner has to use it.
	const [here] = await owner<{ name: string }[]>`select quote_ident(current_database()) as name`;
	await owner.unsafe(`alter database ${here?.name} set enable_indexscan = off`);
	await owner.unsafe(`alter database ${here?.name} set enable_bitmapscan = off`);
	const plain = connect({ url: database.url, name: "no index", connectionsMax: 1 });
	const { worked, advanced } = await advanceBehind(
		tenantId,
		(tx) => tx`select 1 from signing_certificates where thumbprint = ${thumbprints[0] ?? ""} for update`,
		() => sql.begin((tx) => lockRowsUnderOthers(tx, column, Buffer.alloc(8), 1_000)),
		plain,
	).finally(() => plain.end());
	expect(worked).not.toEqual([]);
	expect(advanced).toBe(60);
});

test("a sweep skips refresh tokens that are locked and deletes them next time", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	const clientId = `cli_${newId()}`;
	await sql`
		insert into oauth_clients (client_id, tenant_id, plan, scopes, environment, secret_digest, created_at)
		values (${clientId}, ${tenantId}, 'free', ${[]}, 'staging', ${Buffer.alloc(32, 9)}, now())`;
	for (const n of [3, 4])
		await sql`
			insert into refresh_tokens (digest, family, client_id, scope, access_jti, access_expires_at, created_at, expires_at)
			values (${Buffer.alloc(32, n)}, ${newId()}, ${clientId}, '', ${newId()}, now() - interval '3 days', now() - interval '9 days',
				now() - interval '3 days')`;
	const before = new Date(Date.now() - 86_400_000);
	const left = async () => (await sql`select 1 from refresh_tokens where client_id = ${clientId}`).length;
	let forgotten: Promise<number> | undefined;
	await owner.begin(async (tx) => {
		await tx`select 1 from refresh_tokens where digest = ${Buffer.alloc(32, 3)} for update`;
		let isOver = false;
		forgotten = deleteExpired(sql, before).finally(() => {
			isOver = true;
		});
		await until(async () => isOver || (await isWaiting(1)));
		expect(isOver).toBe(true);
	});
	await forgotten;
	expect(await left()).toBe(1);
	await deleteExpired(sql, before);
	expect(await left()).toBe(0);
});

test("the test clock ages documents that have no message", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const row = toInvoice(tenantId);
	await storeParts(sql, [{ row }]);
	for (const hours of [1, 2]) await sql.begin((tx) => advanceClock(tx, tenantId, hours * 3_600));
	const messages = await sql`
		select id, kind, subject, round(extract(epoch from now() - created_at) / 3600)::int as hours from outbox where tenant_id = ${tenantId}`;
	expect([...messages]).toEqual([{ id: row.docId, kind: "invoice.submit", subject: row.docId, hours: 3 }]);
});
