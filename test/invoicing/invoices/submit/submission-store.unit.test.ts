/** Steps that are written together: each is held or lost, and fails or not, for itself. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	findSubmissionStates,
	type StepWrite,
	writeSteps,
} from "../../../../src/invoicing/invoices/submit/submission-store";
import { createWriteBatcher } from "../../../../src/platform/database";
import { done, type Message } from "../../../../src/platform/outbox";
import { newId } from "../../../../src/platform/values";
import { runBeside } from "../../../support/beside";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { addCompany, addInvoice, holdMessageOf } from "../../../support/submission";

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

async function holdNew(): Promise<{ docId: string; message: Message }> {
	const { docId } = await addInvoice(database.sql, tenantId);
	const message = await holdMessageOf(database.sql, docId);
	if (!message) throw new Error("expected a message");
	return { docId, message };
}

const toTracking = ({ docId, message }: { docId: string; message: Message }): StepWrite => ({
	message,
	docId,
	answers: [answer],
	opensSubmission: true,
	trackIds: [`t-${docId}`],
	to: { phase: "tracking", authorityTrackId: `t-${docId}`, detail: "received" },
	outcome: done,
});

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
		const [row] = await database.sql`
			select i.phase, i.version, o.state,
				(select count(*)::int from submissions s where s.doc_id = i.doc_id) as sendings,
				(select count(*)::int from authority_track_ids t where t.doc_id = i.doc_id) as names,
				(select array_agg(a.body) from authority_answers a where a.doc_id = i.doc_id) as answers,
				(select count(*)::int from invoice_history h where h.doc_id = i.doc_id) as history
			from invoices i left join outbox o on o.subject = i.doc_id where i.doc_id = ${docId}`;
		return row;
	};
	const answers = [answer.body];
	expect(await state(kept.docId)).toEqual({
		phase: "tracking",
		version: 2,
		state: null,
		sendings: 1,
		names: 1,
		answers,
		history: 1,
	});
	expect(await state(lost.docId)).toEqual({
		phase: "queued",
		version: 1,
		state: "ready",
		sendings: 0,
		names: 0,
		answers,
		history: 0,
	});
});

test("a decided document is not moved, and not decided again", async () => {
	const one = await holdNew();
	const decision = {
		status: "accepted",
		authority: { code: "1" },
		failure: null,
		releasesEncf: false,
		at: new Date(),
		detail: "",
	};
	const decide = (status: "accepted" | "rejected"): StepWrite => ({ ...one, to: { ...decision, status } });
	expect(await writeSteps(database.sql, [decide("accepted")])).toMatchObject([{ isHeld: true, version: 2 }]);
	expect(await writeSteps(database.sql, [decide("rejected")])).toMatchObject([{ isHeld: true, version: null }]);
	expect(await writeSteps(database.sql, [{ ...one, to: { phase: "queued", detail: "" } }])).toMatchObject([
		{ isHeld: true, version: null },
	]);
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
	const [row] = await database.sql`select body from authority_answers where doc_id = ${one.docId}`;
	expect(row?.body).toBe("a\uFFFDb \uFFFD c");
});

test("one that cannot be written fails alone", async () => {
	const steps = [await holdNew(), await holdNew(), await holdNew()].map(toTracking);
	const broken = { ...steps[1], docId: newId() } as StepWrite;
	const write = createWriteBatcher(
		(all: readonly StepWrite[]) => writeSteps(database.sql, all),
		(step) => step.docId,
		{ itemsMax: 10, runsMax: 1 },
	);
	const outcomes = await Promise.allSettled([steps[0] as StepWrite, broken, steps[2] as StepWrite].map(write));
	expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("contingency is reported once in a document's life, when it starts", async () => {
	const one = await holdNew();
	const start: StepWrite = { ...one, to: { phase: "queued", contingency: "start", detail: "away" } };
	const end: StepWrite = { ...one, to: { phase: "tracking", contingency: "end", detail: "back" } };
	const result: boolean[] = [];
	for (const step of [start, start, end, start]) {
		const [written] = await writeSteps(database.sql, [step]);
		result.push(written?.startsContingency ?? false);
	}
	expect(result).toEqual([true, false, false, false]);
});

test("a document that another transaction decides is not moved, others are", async () => {
	const steps = [await holdNew(), await holdNew(), await holdNew()];
	const decided = steps[1]?.docId ?? "";
	const written = await runBeside(
		database.owner,
		(tx) => tx`
			update invoices set status = 'failed', phase = 'decided', version = version + 1, decided_at = now() where doc_id = ${decided}`,
		() => writeSteps(database.sql, steps.map(toTracking)),
		"settled as",
	);
	expect(written.map(({ isHeld, version }) => ({ isHeld, version }))).toEqual([
		{ isHeld: true, version: 2 },
		{ isHeld: true, version: null },
		{ isHeld: true, version: 2 },
	]);
	const rows = await database.sql`select status, phase from invoices where doc_id = ${decided}`;
	expect(rows[0]).toEqual({ status: "failed", phase: "decided" });
});

test("a note on a foreign document does not wait for an own one of the same number", async () => {
	const own = await addInvoice(database.sql, tenantId);
	const note = async (reference: object) => {
		const { docId } = await addInvoice(database.sql, tenantId, { type: "34", request: JSON.stringify({ reference }) });
		const [dossier] = await findSubmissionStates(database.sql, [{ tenantId, docId }]);
		return dossier?.reference?.status ?? null;
	};
	expect(await note({ encf: own.encf })).toBe("pending");
	expect(await note({ encf: own.encf, customer_rnc: "990000010" })).toBeNull();
});
