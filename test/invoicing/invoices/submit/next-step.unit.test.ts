import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { InvoiceRow } from "../../../../src/invoicing/invoices/model/invoice-row";
import { nextStep } from "../../../../src/invoicing/invoices/submit/next-step";

type State = Pick<InvoiceRow, "status" | "authorityTrackId" | "phase">;
const pending: State = { status: "pending", authorityTrackId: null, phase: "sending" };
const sendings = (...results: (string | null)[]) => results.map((result, i) => ({ n: i + 1, result }));

const PROOF_OF_ABSENCE = ["not-sent", "not-found", "refused", "retryable"];
const result = fc.constantFrom<string | null>(
	...PROOF_OF_ABSENCE,
	"received",
	"unknown",
	"timeout",
	"",
	"something-new",
	null,
);
const state: fc.Arbitrary<State> = fc.record({
	status: fc.constantFrom("pending", "accepted", "rejected", "failed"),
	authorityTrackId: fc.option(fc.uuid()),
	phase: fc.constantFrom("queued", "held", "sending", "unconfirmed", "tracking", "decided"),
});

describe("the next step", () => {
	test("of a document that was never sent is to send it", () => {
		expect(nextStep({ ...pending, phase: "queued" }, [])).toBe("send");
	});

	test("of a note follows the state of its document", () => {
		const after = (status: State["status"], isFinal = false) =>
			nextStep({ ...pending, phase: "held" }, [], { status, isFinal });
		expect(after("accepted")).toBe("send");
		expect(after("pending")).toBe("wait");
		expect(after("rejected")).toBe("give-up");
		expect(after("failed")).toBe("wait");
		expect(after("failed", true)).toBe("give-up");
	});

	test("after a sending that certainly did not arrive is to send again", () => {
		for (const proof of PROOF_OF_ABSENCE) expect(nextStep(pending, sendings("unknown", proof))).toBe("send");
	});

	test("after a crash or a time-out is to ask, and never to send", () => {
		for (const last of [null, "unknown", "received"])
			expect(nextStep(pending, sendings("not-sent", last))).toBe("query");
	});

	test("with the authority's own id is to follow it", () => {
		const tracking: State = { status: "pending", authorityTrackId: "d2b6e27c", phase: "tracking" };
		expect(nextStep(tracking, sendings("received"))).toBe("track");
		expect(nextStep({ ...tracking, phase: "unconfirmed" }, sendings("received"))).toBe("query");
	});

	test("of a decided document is nothing, whatever was sent", () => {
		for (const status of ["accepted", "rejected", "failed"] as const) {
			expect(nextStep({ ...pending, status }, [])).toBe("nothing");
			expect(nextStep({ ...pending, status }, sendings(null))).toBe("nothing");
		}
	});
});

describe("in every state", () => {
	test("an intent without a definite result is never answered by sending", () => {
		fc.assert(
			fc.property(
				state,
				fc.array(result, { maxLength: 6 }),
				fc.constantFrom(null, "unknown", "timeout", "received", ""),
				(row, earlier, last) => {
					expect(nextStep(row, sendings(...earlier, last))).not.toBe("send");
				},
			),
			{ numRuns: 2_000 },
		);
	});

	test("a document is sent only if the authority certainly has nothing of it", () => {
		fc.assert(
			fc.property(state, fc.array(result, { maxLength: 6 }), (row, results) => {
				const last = results.at(-1);
				const isAbsent = results.length === 0 || (typeof last === "string" && PROOF_OF_ABSENCE.includes(last));
				expect(nextStep(row, sendings(...results)) === "send").toBe(row.status === "pending" && isAbsent);
			}),
			{ numRuns: 2_000 },
		);
	});

	test("the same facts give the same step: a restart decides as before", () => {
		fc.assert(
			fc.property(state, fc.array(result, { maxLength: 6 }), (row, results) => {
				expect(nextStep(structuredClone(row), sendings(...results))).toBe(nextStep(row, sendings(...results)));
			}),
		);
	});

	/**
	 * A document's life against an authority that may keep what it is sent and lose its answer, with a crash allowed after
	 * every write. What must never happen: a second sending reaches an authority that has the document.
	 */
	test("no order of crashes, lost answers and queries sends a document twice", () => {
		const event = fc.constantFrom(
			"received",
			"answer-lost",
			"crash-before-bytes",
			"crash-after-bytes",
			"never-arrived",
		);
		fc.assert(
			fc.property(fc.array(event, { maxLength: 40 }), (events) => {
				const submissions: { n: number; result: string | null }[] = [];
				let row: State = { ...pending, phase: "queued" };
				let receptions = 0;
				for (const what of events) {
					const step = nextStep(row, submissions);
					const last = submissions.at(-1);
					if (step === "send") {
						expect(receptions).toBe(0);
						const intent: { n: number; result: string | null } = { n: submissions.length + 1, result: null };
						submissions.push(intent);
						if (what === "received" || what === "answer-lost" || what === "crash-after-bytes") receptions++;
						if (what === "received") {
							intent.result = "received";
							row = { ...row, phase: "tracking", authorityTrackId: "t-1" };
						}
						if (what === "answer-lost") intent.result = "unknown";
						if (what === "never-arrived") intent.result = "not-sent";
					} else if (step === "query" && last && what !== "crash-before-bytes") {
						if (receptions > 0) {
							last.result = "received";
							row = { ...row, phase: "tracking", authorityTrackId: "t-1" };
						} else last.result = "not-found";
					}
				}
				expect(receptions).toBeLessThanOrEqual(1);
			}),
			{ numRuns: 2_000 },
		);
	});
});
