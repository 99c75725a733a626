/** Steps that are written together: each is held or lost, and fails or not, for itself. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { findAnswersOf, findHistory } from "../../../../src/invoicing/invoices/model/file-store";
import type { InvoiceRow } from "../../../../src/invoicing/invoices/model/invoice-row";
import { concludeSteps } from "../../../../src/invoicing/invoices/submit";
import { findSubmissionStates } from "../../../../src/invoicing/invoices/submit/submission-state";
import { type StepWrite, writeSteps } from "../../../../src/invoicing/invoices/submit/submission-store";
import { createWriteBatcher } from "../../../../src/platform/database";
import { done } from "../../../../src/platform/outbox";
import { systemClock } from "../../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { withoutArchive } from "../../../support/documents";
import { addCompany, addInvoice, holdMessageOf, keepOpen, readInvoice } from "../../../support/submission";

let database: TestDatabase;
let tenantId: string;
beforeAll(async () => {
	database = await openTestDatabase();
	tenantId = await addCompany(database.sql);
}, 120_000);
afterAll(() => database.close());

const answer = {
	at: new Date(),
	operation: "result",
	httpStatus: 200,
	mediaType: "application/json",
	body: '{"a":"\u{1f9fe} \\u0000"}',
};

type Held = Pick<StepWrite, "docId" | "message" | "place"> & { readonly invoice: InvoiceRow };

async function holdNew(): Promise<Held> {
	const { docId } = await addInvoice(database.sql, tenantId);
	const message = await holdMessageOf(database.sql, docId);
	const [state] = await findSubmissionStates(database.sql, [{ tenantId, docId }]);
	if (!message || !state) throw new Error("expected a message");
	return { docId, message, place: state.place, invoice: state.invoice };
}

const toTracking = ({ docId, message, place }: Held): StepWrite => ({
	...{ message, docId, place },
	answers: [answer],
	opensSubmission: true,
	trackIds: [`t-${docId}`],
	to: { phase: "tracking", authorityTrackId: `t-${docId}`, detail: "received" },
	outcome: done,
});

/** Writes a step with what follows from it. */
async function conclude(one: Held, to: NonNullable<StepWrite["to"]>, through?: StepWrite["through"]) {
	const step = { write: { ...one, to, ...(through ? { through } : {}) }, invoice: one.invoice };
	const { written } = await database.sql.begin((tx) =>
		concludeSteps(tx, [step], { clock: systemClock, reactions: [] }),
	);
	return written[0];
}

test("a step that lost its lease stores its answer and changes nothing else", async () => {
	const [kept, lost] = [await holdNew(), await holdNew()];
	const stale = {
		...lost,
		message: { ...lost.message, hold: { ...lost.message.hold, term: lost.message.hold.term - 1 } },
	};
	const written = await writeSteps(database.sql, [toTracking(stale), toTracking(kept)]);
	expect(written).toMatchObject([
		{ isHeld: false, n: null, version: null },
		{ isHeld: true, n: 1, version: 2 },
	]);
	const state = async (docId: string) => {
		const row = await readInvoice(database.sql, docId);
		const [message] = await database.sql<{ state: string }[]>`select state from outbox where subject = ${docId}`;
		const [, ...history] = await findHistory(withoutArchive(database.sql), row);
		const answers = (await findAnswersOf(withoutArchive(database.sql), [row])).map(({ body }) => body);
		return {
			phase: row.phase,
			version: row.version,
			attempts: row.attempts,
			...message,
			answers,
			history: history.length,
		};
	};
	const answers = [answer.body];
	expect(await state(kept.docId)).toEqual({
		...{ phase: "tracking", version: 2, attempts: 0, state: undefined },
		...{ answers, history: 1 },
	});
	expect(await state(lost.docId)).toEqual({
		...{ phase: "queued", version: 1, attempts: 0, state: "ready" },
		...{ answers, history: 0 },
	});
});

test("a decided document is not moved, and not decided again", async () => {
	const one = await holdNew();
	const decision = {
		authority: { code: "1" },
		failure: null,
		releasesEncf: false,
		at: new Date(),
		detail: "",
	};
	expect(await conclude(one, { ...decision, status: "accepted" })).toMatchObject({ isHeld: true, version: 2 });
	expect(await conclude(one, { ...decision, status: "rejected" })).toMatchObject({ isHeld: true, version: null });
	expect(await conclude(one, { phase: "queued", detail: "" })).toMatchObject({ isHeld: true, version: null });
	const [dossier] = await findSubmissionStates(database.sql, [{ tenantId, docId: one.docId }]);
	expect(dossier?.invoice).toMatchObject({ status: "accepted", version: 2 });
});

test("what PostgreSQL cannot store as it is does not keep a step from being written", async () => {
	const one = await holdNew();
	const odd = "a\0b \ud800 c";
	const written = await writeSteps(database.sql, [
		{ ...one, answers: [{ ...answer, body: odd }], to: { phase: "unconfirmed", detail: odd } },
	]);
	expect(written).toMatchObject([{ isHeld: true, version: 2 }]);
	const [kept] = await findAnswersOf(withoutArchive(database.sql), [{ tenantId, docId: one.docId }]);
	expect(kept?.body).toBe(odd);
});

test("one that cannot be written fails alone", async () => {
	const steps = [await holdNew(), await holdNew(), await holdNew()].map(toTracking);
	// Its place is behind: the next step is stored already.
	const { outcome: _, ...broken } = steps[1] as StepWrite;
	await writeSteps(database.sql, [broken]);
	const write = createWriteBatcher(
		(all: readonly StepWrite[]) => writeSteps(database.sql, all),
		(step) => step.docId,
		{ itemsMax: 10, runsMax: 1 },
	);
	const outcomes = await Promise.allSettled([steps[0] as StepWrite, broken, steps[2] as StepWrite].map(write));
	expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("a document decided with its first sending leaves two steps and a verdict", async () => {
	const { sql } = database;
	const one = await holdNew();
	const [sent] = await writeSteps(sql, [
		{ ...one, opensSubmission: true, to: { phase: "sending", countsAttempt: true, detail: "about to be sent" } },
	]);
	expect(await readInvoice(sql, one.docId)).toMatchObject({
		status: "pending",
		phase: "sending",
		attempts: 1,
		version: 2,
	});
	const decision = {
		status: "accepted",
		failure: null,
		releasesEncf: false,
		at: new Date(),
		detail: "accepted",
	} as const;
	const authority = { approvedAt: decision.at.toISOString(), trackId: "t-1", code: "1", sequenceConsumed: true };
	await conclude(
		{ ...one, place: sent?.place ?? one.place },
		{ ...decision, authority: { ...authority, warnings: [] } },
		{ phase: "tracking", authorityTrackId: "t-1", detail: "received as t-1" },
	);
	const decided = await readInvoice(sql, one.docId);
	expect(decided).toMatchObject({ status: "accepted", phase: "decided", attempts: 1, version: 4 });
	expect(JSON.stringify(decided.authority)).toBe(JSON.stringify({ ...authority, warnings: [] }));
	expect((await findHistory(withoutArchive(sql), decided)).map(({ version, phase }) => `${version} ${phase}`)).toEqual([
		...["1 queued", "2 sending", "3 tracking", "4 decided"],
	]);
	expect(await sql`select from steps where doc_id = ${one.docId}`).toHaveLength(2);
	expect(await sql`select from open_documents where doc_id = ${one.docId}`).toHaveLength(0);
});

test("contingency is reported once in a document's life, when it starts", async () => {
	const one = await holdNew();
	const start: StepWrite = { ...one, to: { phase: "queued", contingency: "start", detail: "away" } };
	const end: StepWrite = { ...one, to: { phase: "tracking", contingency: "end", detail: "back" } };
	const result: boolean[] = [];
	let { place } = one;
	for (const step of [start, start, end, start]) {
		const [written] = await writeSteps(database.sql, [{ ...step, place }]);
		place = written?.place ?? place;
		result.push(written?.startsContingency ?? false);
	}
	expect(result).toEqual([true, false, false, false]);
});

test("a document that has failed is not moved, others are", async () => {
	const steps = [await holdNew(), await holdNew(), await holdNew()];
	const failed = steps[1]?.docId ?? "";
	await keepOpen(database.sql, { tenantId, docId: failed }, { status: "f", phase: "decided" });
	const written = await writeSteps(database.sql, steps.map(toTracking));
	expect(written.map(({ isHeld, version }) => ({ isHeld, version }))).toEqual([
		{ isHeld: true, version: 2 },
		{ isHeld: true, version: null },
		{ isHeld: true, version: 2 },
	]);
	expect(await readInvoice(database.sql, failed)).toMatchObject({ status: "failed", phase: "decided" });
});

test("a note on a foreign document does not wait for an own one of the same number", async () => {
	const own = await addInvoice(database.sql, tenantId);
	const note = async (modifies: string | null) => {
		const { docId } = await addInvoice(database.sql, tenantId, { type: "34", modifies });
		const [dossier] = await findSubmissionStates(database.sql, [{ tenantId, docId }]);
		return dossier?.reference?.status ?? null;
	};
	expect(await note(own.encf)).toBe("pending");
	expect(await note(null)).toBeNull();
});
