/** What a sandbox's document plays befalls that document alone: nobody else's is held up or refused by it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Authority, Signatory } from "../../src/authority";
import { openAuthorityStatus } from "../../src/authority-status";
import { createMetrics } from "../../src/telemetry";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { addCompany, addInvoice, openSubmit, takeStep } from "./support/submission";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

/** Tells of each sending whether it was known to be played, and answers none. */
function openSilentAuthority() {
	const sent: (boolean | undefined)[] = [];
	const authority = {
		submit: async (_: unknown, { isPlayed }: { isPlayed?: boolean }) => {
			sent.push(isPlayed);
			return { kind: "unknown", reason: "authority-timeout", detail: "no whole answer" };
		},
		restMs: () => 0,
	} as unknown as Authority<Signatory>;
	return { sent, authority };
}

function openSandbox(authority: Authority<Signatory>, environment: "sandbox" | "staging" = "sandbox") {
	const { sql } = database;
	return openSubmit(sql, authority, createMetrics(), openAuthorityStatus({ sql }), environment);
}

const forBuyer = (rnc: string) => ({ request: JSON.stringify({ customer: { rnc } }) });

test("a buyer that stands for a failure of ours fails inside in any spelling", async () => {
	const { sql } = database;
	for (const rnc of ["000000006", "0-00-00000-6"]) {
		const { sent, authority } = openSilentAuthority();
		const { docId } = await addInvoice(sql, await addCompany(sql), forBuyer(rnc));
		await takeStep(sql, openSandbox(authority), docId);
		expect(sent).toEqual([]);
		const [row] = await sql`select internal_failure_since is not null as failing from invoices where doc_id = ${docId}`;
		expect(row).toEqual({ failing: true });
	}
});
