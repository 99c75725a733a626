/** A company whose certificate has gone while its documents wait: they wait for the next one, and nothing of ours has failed. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { findHistory } from "../../../src/invoicing/invoices/model/file-store";
import type { Sql } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { withoutArchive } from "../../support/documents";
import {
	addCompany,
	addInvoice,
	INTERNAL_SLA_SECONDS,
	openSubmit,
	readInvoice,
	takeStep,
} from "../../support/submission";
import { scriptAuthority } from "./support/scripted-authority";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const HOURS_72 = 72 * 3_600;

/** The company's only certificate has ended, or is in force again. */
async function endCertificate(sql: Sql, tenantId: string, hasEnded: boolean): Promise<void> {
	const end = hasEnded ? "1 second ago" : "1 year";
	await sql`update signing_certificates set not_after = now() + ${end}::interval where tenant_id = ${tenantId}`;
}

async function passTime(sql: Sql, docId: string, seconds: number): Promise<void> {
	await sql`update outbox set created_at = created_at - make_interval(secs => ${seconds}) where subject = ${docId}`;
}

async function readState(sql: Sql, docId: string) {
	const row = await readInvoice(sql, docId);
	const [message] = await sql<{ state: string; reason: string | null }[]>`
		select state, last_error as reason from outbox where subject = ${docId} and kind = 'invoice.submit'`;
	const [, ...history] = await findHistory(withoutArchive(sql), row);
	const { status, phase, attempts, failure } = row;
	return {
		status,
		phase,
		attempts,
		failure: failure?.code ?? null,
		...message,
		history: history.map(({ detail }) => detail),
	};
}

test("a document waits for a certificate beyond the SLA and is sent with the next one", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const { docId } = await addInvoice(sql, tenantId);
	const { authority, asked } = scriptAuthority({
		submit: [{ kind: "received", trackId: crypto.randomUUID() }],
		queryResult: [{ kind: "in-process" }],
	});
	await endCertificate(sql, tenantId, true);
	for (let step = 0; step < 3; step++) {
		await takeStep(sql, openSubmit(sql, authority), docId);
		await passTime(sql, docId, INTERNAL_SLA_SECONDS);
	}
	expect(await readState(sql, docId)).toMatchObject({
		...{ status: "pending", phase: "queued", attempts: 0, failure: null },
		...{ state: "ready", reason: "awaiting-certificate", history: ["awaiting-certificate"] },
	});
	expect(asked).toEqual([]);

	await endCertificate(sql, tenantId, false);
	await takeStep(sql, openSubmit(sql, authority), docId);
	expect(asked).toContain("submit");
	expect(await readState(sql, docId)).toMatchObject({ status: "pending", phase: "tracking", attempts: 1 });
});

test("a document that the authority may have waits where it stands", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const { docId } = await addInvoice(sql, tenantId);
	const { authority } = scriptAuthority({
		submit: [{ kind: "unknown", reason: "authority-timeout", detail: "made so by the test" }],
	});
	await takeStep(sql, openSubmit(sql, authority), docId);
	await endCertificate(sql, tenantId, true);
	await takeStep(sql, openSubmit(sql, authority), docId);
	await takeStep(sql, openSubmit(sql, authority), docId);
	const state = await readState(sql, docId);
	expect(state).toMatchObject({ status: "pending", phase: "unconfirmed", state: "ready" });
	expect(state.history.filter((detail) => detail === "awaiting-certificate")).toHaveLength(1);
});

test("after 72 hours it has failed for want of a certificate, and can be brought back", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const { docId } = await addInvoice(sql, tenantId);
	const { authority, asked } = scriptAuthority({});
	await endCertificate(sql, tenantId, true);
	await passTime(sql, docId, HOURS_72);
	await takeStep(sql, openSubmit(sql, authority), docId);
	expect(await readState(sql, docId)).toMatchObject({
		...{ status: "failed", failure: "certificate-missing", state: "dead" },
	});
	expect(asked).toEqual([]);
});
