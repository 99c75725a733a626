/**
 * A document's whole life, with the handler and the database as they are, against an authority that keeps what it is sent and does
 * to its answers whatever the case says; holders lose their lease at any moment.
 *
 * What must hold in every order of events: at most one reception, always of the same bytes; nothing is sent while it is unknown what
 * became of the sending before; a final state never changes; every answer that came is kept.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type {
	Authority,
	RawAnswer,
	Recorder,
	Signatory,
	Submission,
	TrackIds,
	Verdict,
} from "../../../src/authority/client";
import { findAnswersOf } from "../../../src/invoicing/invoices";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { withoutArchive } from "../../support/documents";
import { addCompany, addInvoice, openSubmit, readInvoice, takeStep } from "../../support/submission";

let database: TestDatabase;
let tenantId: string;
beforeAll(async () => {
	database = await openTestDatabase();
	tenantId = await addCompany(database.sql);
}, 120_000);
afterAll(() => database.close());

const fates = ["answered", "answer-lost", "not-sent", "holder-lost", "refused-for-now"] as const;
const fate = fc.constantFrom(...fates);
const verdict = fc.constantFrom("accepted", "conditional", "rejected");
type Fate = (typeof fates)[number];

const STEPS_MAX = 5_000;

const failure = { reason: "authority-timeout", detail: "made so by the test" } as const;
const messages = [{ code: "614", text: "texto" }];

function createModel(docId: string, outcome: string, fatesLeft: Fate[]) {
	const trackId = `t-${docId}`;
	const receptions: string[] = [];
	const faults: string[] = [];
	let isUnknown = false;
	let answersGiven = 0;

	/** What happens to this call. A lost holder finds another claim when it writes. */
	async function meet(record: Recorder | undefined): Promise<Fate> {
		const next = fatesLeft.shift() ?? "answered";
		if (next === "holder-lost") {
			await database.sql`update shards set term = term + 1 where shard = (select shard from outbox where subject = ${docId})`;
		}
		if (next === "answered" || next === "holder-lost" || next === "refused-for-now") {
			answersGiven++;
			record?.({ operation: "result", at: new Date(), httpStatus: 200, mediaType: "", body: next } as RawAnswer);
		}
		return next;
	}

	function finalVerdict(): Verdict {
		const common = { messages, sequenceConsumed: true as const, trackId };
		if (outcome === "rejected") return { kind: "rejected", code: "614", duplicate: false, retryable: false, ...common };
		return { kind: "accepted", conditional: outcome === "conditional", code: "1", ...common };
	}

	const authority: Authority<Signatory> = {
		async submit(_, document, record): Promise<Submission> {
			const bytes = Buffer.from(document.xml).toString();
			if (isUnknown) faults.push("sent before it was asked what became of the last sending");
			const met = await meet(record);
			if (met === "not-sent") return { kind: "not-sent", ...failure };
			if (receptions.length > 0) faults.push("received twice");
			receptions.push(bytes);
			isUnknown = met !== "answered" && met !== "refused-for-now";
			return met === "answer-lost" ? { kind: "unknown", ...failure } : { kind: "received", trackId };
		},
		submitSummary: async () => ({ kind: "not-sent", ...failure }),
		async queryTrackIds(_, __, record): Promise<TrackIds> {
			const met = await meet(record);
			if (met === "answer-lost" || met === "not-sent") return { kind: "unavailable", ...failure };
			isUnknown = false;
			if (receptions.length === 0) return { kind: "not-found" };
			return { kind: "found", entries: [{ trackId, standing: "in-process" }] };
		},
		async queryResult(_, __, record): Promise<Verdict> {
			const met = await meet(record);
			if (met === "answer-lost" || met === "not-sent") return { kind: "unavailable", ...failure };
			return met === "refused-for-now" ? { kind: "in-process" } : finalVerdict();
		},
		querySummary: async () => ({ kind: "unavailable", ...failure }),
		queryState: async () => ({ kind: "unavailable", ...failure }),
		voidRange: async () => ({ kind: "not-sent", ...failure }),
		sendApproval: async () => ({ kind: "not-sent", ...failure }),
		findReceiver: async () => ({ kind: "not-listed" }),
		restMs: () => 0,
		probe: async () => true,
	};
	return { authority, receptions, faults, countAnswers: () => answersGiven };
}

test("no order of lost answers, faults and lost leases breaks what is promised", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(fate, { maxLength: 8 }), verdict, async (fatesLeft, outcome) => {
			const { sql } = database;
			const tenant = tenantId;
			const docId = newId();
			const ecf = `<ECF>${docId}</ECF>`;
			await addInvoice(sql, tenant, { docId, ecf });
			const model = createModel(docId, outcome, [...fatesLeft]);
			const submit = openSubmit(sql, model.authority);
			const final = new Set<string>();
			// Many steps do nothing: a host that has failed five times is left alone for seconds.
			for (let steps = 0; steps < STEPS_MAX; steps++) {
				const isLeft = await takeStep(sql, submit, docId);
				const { status } = await readInvoice(sql, docId);
				if (status !== "pending") final.add(status);
				if (!isLeft) break;
			}
			const answers = await findAnswersOf(withoutArchive(sql), [{ tenantId: tenant, docId }]);
			const [result] = await sql<{ events: number; contingency: number }[]>`
				select (select count(*)::int from events where doc_id = ${docId} and event <> 'invoice.pending_contingency') as events,
					(select count(*)::int from events where doc_id = ${docId} and event = 'invoice.pending_contingency') as contingency`;
			expect(model.faults).toEqual([]);
			expect(model.receptions).toEqual([ecf]);
			expect([...final]).toEqual([outcome === "rejected" ? "rejected" : "accepted"]);
			expect({ events: result?.events, answers: answers.length }).toEqual({
				events: 1,
				answers: model.countAnswers(),
			});
			expect(result?.contingency).toBeLessThanOrEqual(1);
		}),
		{ numRuns: 60, examples: [[Array.from({ length: 8 }, (): Fate => "answer-lost"), "accepted"]] },
	);
}, 120_000);
