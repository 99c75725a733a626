/** What is shown of documents that wait: when they are tried next, and that they are of a contingency, as their paper says. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Authority, Signatory } from "../../../src/authority/client";
import { toStatus, toStatusEtag } from "../../../src/invoicing/invoices/model/status";
import { findInvoice } from "../../../src/invoicing/invoices/model/store";
import { gatherPrintJob } from "../../../src/invoicing/invoices/view/print-job";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { withoutArchive } from "../../support/documents";
import { addCompany, addInvoice, openSubmit, readInvoice, takeStep } from "../../support/submission";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

async function read(tenantId: string, docId: string) {
	const row = await findInvoice(database.sql, tenantId, docId);
	if (!row) throw new Error("the document is not there");
	return { row, status: toStatus(row), etag: toStatusEtag(row) };
}

test.each([
	["whose time has passed", "now() - interval '20 seconds'"],
	["that is to be sent again and has no time of its own", "null"],
])(
	"a document %s and that is put off without being written shows its message's time, and none while it is due",
	async (_, nextAttemptAt) => {
		const { sql } = database;
		const submit = openSubmit(sql, { restMs: () => 120_000 } as unknown as Authority<Signatory>);
		const tenantId = await addCompany(sql);
		const { docId } = await addInvoice(sql, tenantId);
		await sql`
			insert into open_documents (tenant_id, doc_id, status, phase, sendings, attempts, version, contingency_since, next_attempt_at, updated_at)
			values (${tenantId}, ${docId}, 'p', 'queued', '[]', 0, 2, now() - interval '1 minute', ${sql.unsafe(nextAttemptAt)}, now())`;
		const version = async () => (await read(tenantId, docId)).row.version;
		const before = await version();
		await takeStep(sql, submit, docId);
		expect(await version()).toBe(before);
		const [message] = await sql<{ at: Date }[]>`select available_at as at from outbox where subject = ${docId}`;
		const waiting = await read(tenantId, docId);
		expect(waiting.status.nextAttemptAt).toBe(message?.at.toISOString() ?? "");
		await sql`update outbox set available_at = now() where subject = ${docId}`;
		const due = await read(tenantId, docId);
		expect(due.status.nextAttemptAt).toBeNull();
		expect(due.etag).not.toBe(waiting.etag);
	},
);

test("a waiting note shows the contingency of an outage in status and print", async () => {
	const { sql } = database;
	let isAway = false;
	const authorityStatus = { isContingency: async () => isAway, readReturn: async () => ({}) };
	const submit = openSubmit(sql, {} as unknown as Authority<Signatory>, undefined, authorityStatus);
	const tenantId = await addCompany(sql);
	const print = {
		...{ securityCode: "a1B2c3", signedAt: new Date().toISOString() },
		qrUrl: "https://authority.example/testecf/ConsultaTimbre?x=1",
	};
	const original = await addInvoice(sql, tenantId, { print });
	const request = JSON.stringify({ reference: { encf: original.encf } });
	const addNote = () => addInvoice(sql, tenantId, { type: "34", request, print, modifies: original.encf });
	const standing = async (docId: string) => {
		const { row, status } = await read(tenantId, docId);
		const deps = { ...withoutArchive(sql), environment: "staging", authorityStatus } as const;
		const job = await gatherPrintJob(deps, await readInvoice(sql, docId));
		return [row.phase, status.contingency?.active ?? false, job.standing];
	};
	const [early, late] = [await addNote(), await addNote()];
	await takeStep(sql, submit, early.docId);
	expect(await standing(early.docId)).toEqual(["held", false, "pending"]);
	isAway = true;
	for (const { docId } of [early, late]) {
		await takeStep(sql, submit, docId);
		expect(await standing(docId)).toEqual(["held", true, "contingency"]);
	}
	isAway = false;
	await takeStep(sql, submit, early.docId);
	expect(await standing(early.docId)).toEqual(["held", true, "contingency"]);
	const result =
		await sql`select 1 from events where tenant_id = ${tenantId} and event = 'invoice.pending_contingency'`;
	expect(result).toHaveLength(2);
});
