import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { InvoiceStatus, pollAfterSeconds, toStatus } from "../../../../src/invoicing/invoices/model/status";
import { PLANS } from "../../../../src/platform/operation";
import { makeRow, RECEIVED_AT } from "../support/row";

describe("a status record", () => {
	test("fits its own schema in every state", () => {
		const failure = { code: "x", detail: "y", failedAt: RECEIVED_AT.toISOString(), retryable: true };
		for (const row of [
			makeRow(),
			makeRow({ phase: "tracking", authorityTrackId: "t-1", attempts: 2, nextAttemptAt: RECEIVED_AT }),
			makeRow({ contingencySince: RECEIVED_AT }),
			makeRow({
				status: "accepted",
				phase: "decided",
				authority: { trackId: "t-1", approvedAt: RECEIVED_AT.toISOString() },
			}),
			makeRow({
				status: "rejected",
				phase: "decided",
				authority: { code: "614", messages: [{ code: "614", text: "x" }] },
			}),
			makeRow({ status: "failed", phase: "decided", failure }),
		]) {
			expect([...Value.Errors(InvoiceStatus, toStatus(row))]).toEqual([]);
		}
	});

	test("names the authority's own id as soon as there is one", () => {
		expect(toStatus(makeRow()).authority).toEqual({});
		expect(toStatus(makeRow({ authorityTrackId: "t-1" })).authority).toEqual({ trackId: "t-1" });
	});

	test("contains the legend to print during an outage", () => {
		expect(toStatus(makeRow()).contingency).toBeUndefined();
		expect(toStatus(makeRow({ contingencySince: RECEIVED_AT })).contingency).toEqual({
			active: true,
			since: RECEIVED_AT.toISOString(),
			legend: "e-CF emitido en modalidad de contingencia. Su validez fiscal podrá consultarse a partir de las 72 horas",
		});
	});

	test("says after a rejection whether the number is free again", () => {
		const reissueAfter = (authority: Record<string, unknown> | null) =>
			toStatus(makeRow({ status: "rejected", authority })).reissue;
		expect(reissueAfter({ sequenceConsumed: false })).toEqual({ allowed: true, encf: "same" });
		for (const authority of [{ sequenceConsumed: true }, {}, null])
			expect(reissueAfter(authority)).toEqual({ allowed: true, encf: "new" });
		expect(toStatus(makeRow({ status: "accepted" })).reissue).toBeUndefined();
	});

	test("links to a retry only after a failure", () => {
		const row = makeRow({ status: "failed" });
		expect(toStatus(row)._links.retry).toBe(`/v1/invoices/${row.docId}/retry`);
		expect(toStatus(makeRow())._links).toEqual({ self: `/v1/invoices/${row.docId}` });
	});
});

describe("polling", () => {
	const after = (seconds: number) => new Date(RECEIVED_AT.getTime() + seconds * 1_000);

	test("is due after 5 seconds in the first minute, then after 30", () => {
		for (const plan of ["starter", "business", "enterprise", "unlimited"] as const) {
			for (const [age, seconds] of [
				[0, 5],
				[59.999, 5],
				[60, 30],
				[86_400, 30],
			] as const) {
				expect([plan, age, pollAfterSeconds(plan, makeRow(), after(age))]).toEqual([plan, age, seconds]);
			}
		}
	});

	test("is due after 30 seconds on the free plans", () => {
		for (const plan of ["free", "demo"] as const) {
			for (const age of [0, 59, 60]) expect(pollAfterSeconds(plan, makeRow(), after(age))).toBe(30);
		}
	});

	test("is answered for every plan", () => {
		for (const plan of PLANS) expect([5, 30]).toContain(pollAfterSeconds(plan, makeRow(), RECEIVED_AT));
	});
});
