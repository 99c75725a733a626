/** A service that has asked to be left alone: documents wait for it, and nothing is counted against it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Authority, Signatory } from "../../src/authority/client";
import { isBreakerOpen } from "../../src/authority/status/breaker-store";
import { advanceClock } from "../../src/sandbox/clock/clock";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { addCompany, addInvoice, openSubmit, takeStep } from "../support/submission";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

test("documents wait out Retry-After without starting a sending", async () => {
	const { sql } = database;
	let restMs = 120_000;
	let sent = 0;
	const authority = {
		restMs: (_: unknown, service: string) => (service === "reception" ? restMs : 0),
		submit: async () => {
			sent++;
			return { kind: "received", trackId: crypto.randomUUID() };
		},
		queryResult: async () => ({ kind: "in-process" }),
	} as unknown as Authority<Signatory>;
	const submit = openSubmit(sql, authority);
	const tenantId = await addCompany(sql);
	const docIds: string[] = [];
	for (let n = 0; n < 8; n++) docIds.push((await addInvoice(sql, tenantId)).docId);
	for (const docId of docIds) await takeStep(sql, submit, docId);
	expect(sent).toBe(0);
	const waiting = await sql<
		{ seconds: number; contingency: Date | null; attempts: number; intents: number; failures: number }[]
	>`
		select extract(epoch from o.available_at - now())::float8 as seconds, i.contingency_since as contingency, coalesce(i.attempts, 0) as attempts, o.failures,
			(select count(*)::int from steps s where s.doc_id = d.doc_id) as intents
		from documents d left join open_documents i using (tenant_id, doc_id) join outbox o on o.subject = d.doc_id where d.tenant_id = ${tenantId} and o.kind = 'invoice.submit'`;
	expect(waiting.map(({ attempts, intents, failures }) => ({ attempts, intents, failures }))).toEqual(
		docIds.map(() => ({ attempts: 0, intents: 0, failures: 0 })),
	);
	for (const { contingency } of waiting) expect(contingency).toBeNull();
	// Taking a step sets all others aside for a day.
	expect(Math.min(...waiting.map(({ seconds }) => seconds))).toBeWithin(110, 152);
	expect(await isBreakerOpen(sql, "testecf", "main")).toBe(false);

	restMs = 0;
	for (const docId of docIds) await takeStep(sql, submit, docId);
	expect(sent).toBe(docIds.length);
});

test("a document that only a test clock has made old waits no longer than a young one", async () => {
	const { sql } = database;
	const authority = { restMs: () => 1_000 } as unknown as Authority<Signatory>;
	const submit = openSubmit(sql, authority);
	for (let n = 0; n < 8; n++) {
		const tenantId = await addCompany(sql);
		const { docId } = await addInvoice(sql, tenantId);
		await sql.begin((tx) => advanceClock(tx, tenantId, 25 * 3_600));
		await takeStep(sql, submit, docId);
		const [row] = await sql<{ seconds: number }[]>`
			select extract(epoch from available_at - now())::float8 as seconds from outbox where subject = ${docId}`;
		expect(row?.seconds).toBeWithin(0.5, 2.5);
	}
});
