/** The authority takes no documents while everything else of it answers: who sends is held up, and who would rather be refused is. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Authority, Segment, ServiceName, Signatory } from "../../../src/authority/client";
import { isBreakerOpen } from "../../../src/authority/status";
import { findStatusRows } from "../../../src/authority/status/store";
import { createReachability } from "../../../src/invoicing/invoices/submit/authority-availability";
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

const FAILURES_TO_OPEN = 5;
const segment: Segment = "testecf";

/** Refuses to take e-CFs and says of each that it does not have it; takes summaries, and decides them at once. */
function openHalfDeadAuthority() {
	const calls = { submit: 0, submitSummary: 0, queryTrackIds: 0 };
	const authority = {
		submit: async () => {
			calls.submit++;
			return { kind: "unknown", reason: "authority-http-5xx", detail: "HTTP 503" };
		},
		queryTrackIds: async () => {
			calls.queryTrackIds++;
			return { kind: "not-found" };
		},
		submitSummary: async () => {
			calls.submitSummary++;
			const verdict = { kind: "accepted", conditional: false, code: "1", messages: [], sequenceConsumed: true };
			return { kind: "decided", verdict };
		},
		restMs: () => 0,
	} as unknown as Authority<Signatory>;
	return { calls, authority };
}

test("answers to questions and to summaries do not hide that documents are not taken", async () => {
	const { sql } = database;
	const { calls, authority } = openHalfDeadAuthority();
	const submit = openSubmit(sql, authority);
	const tenantId = await addCompany(sql);
	for (let n = 0; n < FAILURES_TO_OPEN; n++) {
		expect(await isBreakerOpen(sql, segment, "main")).toBe(false);
		const { docId } = await addInvoice(sql, tenantId);
		const summary = await addInvoice(sql, tenantId, {
			type: "32",
			...{ ecf: `<ECF>${n}</ECF>`, summary: `<RFCE>${n}</RFCE>` },
		});
		// Sent, and asked about.
		await takeStep(sql, submit, docId);
		await takeStep(sql, submit, docId);
		await takeStep(sql, submit, summary.docId);
	}
	const shutAtMs = performance.now();
	expect(calls).toEqual({
		submit: FAILURES_TO_OPEN,
		queryTrackIds: FAILURES_TO_OPEN,
		submitSummary: FAILURES_TO_OPEN,
	});
	expect(await isBreakerOpen(sql, segment, "main")).toBe(true);
	expect(await isBreakerOpen(sql, segment)).toBe(true);
	expect(await isBreakerOpen(sql, segment, "fc")).toBe(false);
	expect(await isBreakerOpen(sql, "certecf")).toBe(false);

	// Left alone now, for half a second at least; on a machine that stood still for longer it may be tried once more.
	const { docId } = await addInvoice(sql, tenantId);
	await takeStep(sql, submit, docId);
	const isOver = performance.now() - shutAtMs > 450;
	expect(calls.submit - FAILURES_TO_OPEN).toBeLessThanOrEqual(isOver ? 1 : 0);
}, 120_000);

async function fail(service: ServiceName): Promise<void> {
	const { note } = createReachability(database.sql, 1);
	for (let n = 0; n < FAILURES_TO_OPEN; n++) await note(segment, service, false);
}

test("each channel has its own services, and polling for verdicts opens no breaker", async () => {
	const { sql } = database;
	const read = async () => [await isBreakerOpen(sql, segment, "main"), await isBreakerOpen(sql, segment, "fc")];
	await fail("result");
	expect(await read()).toEqual([false, false]);
	await fail("summary-reception");
	expect(await read()).toEqual([false, true]);
	await fail("track-ids");
	expect(await read()).toEqual([true, true]);
	await createReachability(sql, 1).note(segment, "reception", true);
	expect(await read()).toEqual([true, true]);
	await createReachability(sql, 1).note(segment, "track-ids", true);
	expect(await read()).toEqual([false, true]);
});

test("failures more than ten minutes apart are no outage", async () => {
	const { sql } = database;
	const reachability = createReachability(sql, 1);
	const failAfter = async (pause: string) => {
		await sql`update authority_breaker set failed_at = failed_at - ${pause}::interval`;
		await reachability.note(segment, "reception", false);
		return isBreakerOpen(sql, segment, "main");
	};
	for (let n = 0; n < FAILURES_TO_OPEN; n++) expect(await failAfter("11 minutes")).toBe(false);
	for (let n = 2; n < FAILURES_TO_OPEN; n++) expect(await failAfter("9 minutes")).toBe(false);
	expect(await failAfter("9 minutes")).toBe(true);
});

test("the status knows which channel is down", async () => {
	const { sql } = database;
	await sql`insert into authority_status (segment) values (${segment}) on conflict do nothing`;
	const read = async () => {
		const [row] = await findStatusRows(sql, [segment]);
		return [row?.breaker, row?.mainBreaker];
	};
	expect(await read()).toEqual(["closed", "closed"]);
	await fail("summary-reception");
	expect(await read()).toEqual(["open", "closed"]);
	await fail("reception");
	expect(await read()).toEqual(["open", "open"]);
	await sql`update authority_breaker set open_until = now() - interval '10 seconds'`;
	expect(await read()).toEqual(["half-open", "half-open"]);
});
