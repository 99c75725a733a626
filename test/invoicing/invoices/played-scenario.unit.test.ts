/** A scenario affects its own document only and delays no other. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Authority, Segment, Signatory } from "../../../src/authority/client";
import { createAuthorityStatus } from "../../../src/authority/status";
import { isBreakerOpen } from "../../../src/authority/status/breaker-store";
import { createMetrics } from "../../../src/platform/telemetry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany, addInvoice, openSubmit, takeStep } from "../../support/submission";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());
beforeEach(async () => {
	await database.sql`delete from authority_breaker`;
});

const segment: Segment = "testecf";
/** More than it takes to leave a service alone. */
const DOCUMENTS = 8;

/** Records whether each sending was marked as played, and answers none. */
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
	return openSubmit(sql, authority, createMetrics(), createAuthorityStatus({ sql }), environment);
}

const forBuyer = (rnc: string) => ({ request: JSON.stringify({ customer: { rnc } }) });

test.each([
	["a buyer", forBuyer("000000005")],
	["a buyer with hyphens", forBuyer("0-00-00000-4")],
	["the header", { ...forBuyer("131880681"), scenario: { scenario: "silent" } as const }],
])(
	"a silence that %s asks for is no outage: the service is called on, and no company is refused",
	async (_, change) => {
		const { sql } = database;
		const { sent, authority } = openSilentAuthority();
		const submit = openSandbox(authority);
		const tenantId = await addCompany(sql);
		for (let n = 0; n < DOCUMENTS; n++) await takeStep(sql, submit, (await addInvoice(sql, tenantId, change)).docId);
		expect(sent).toEqual(Array.from({ length: DOCUMENTS }, () => true));
		expect(await isBreakerOpen(sql, segment)).toBe(false);
	},
);

test("an unrequested silence is an outage, in a sandbox too", async () => {
	const { sql } = database;
	for (const [environment, rnc] of [["sandbox", "131880681"] as const, ["staging", "000000005"] as const]) {
		await sql`delete from authority_breaker`;
		const { sent, authority } = openSilentAuthority();
		const submit = openSandbox(authority, environment);
		const tenantId = await addCompany(sql);
		for (let n = 0; n < DOCUMENTS; n++) {
			await takeStep(sql, submit, (await addInvoice(sql, tenantId, forBuyer(rnc))).docId);
		}
		expect(sent.length).toBeLessThan(DOCUMENTS);
		expect(sent).not.toContain(true);
		expect(await isBreakerOpen(sql, segment)).toBe(true);
	}
});

test("a buyer that stands for a failure of ours fails inside in any spelling", async () => {
	const { sql } = database;
	for (const rnc of ["000000006", "0-00-00000-6"]) {
		const { sent, authority } = openSilentAuthority();
		const { docId } = await addInvoice(sql, await addCompany(sql), forBuyer(rnc));
		await takeStep(sql, openSandbox(authority), docId);
		expect(sent).toEqual([]);
		const [row] =
			await sql`select internal_failure_since is not null as failing from open_documents where doc_id = ${docId}`;
		expect(row).toEqual({ failing: true });
	}
});
