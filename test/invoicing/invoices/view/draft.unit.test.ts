import { expect, test } from "bun:test";
import { EXAMPLE_INVOICE, type InvoiceRequest } from "../../../../src/ecf/mapping";
import { type DraftSource, findDraftFault, toDraft } from "../../../../src/invoicing/invoices/view/draft";

const request = { ...EXAMPLE_INVOICE, lines: [...EXAMPLE_INVOICE.lines] } as InvoiceRequest;
const original = {
	status: "accepted",
	issueDate: "2026-11-20",
	total: "5310.00",
	balance: "5310.00",
	isAnnulled: false,
};
const source: DraftSource = {
	...{ docId: "0192f110-7a00-7b11-9c22-334455667788", encf: "E310000000001", type: "31", request },
	...{ status: { status: "accepted" }, original: original as DraftSource["original"], isNumbered: true },
	...{ issueDate: "2026-11-20", today: "2026-11-20", replacedBy: undefined },
};
const rejected = (more: Partial<DraftSource["status"]>): DraftSource => ({
	...source,
	status: { status: "rejected", reissue: { allowed: true, encf: "new" }, ...more },
});

test("a copy has everything but number, own id and dates", () => {
	const sent = { ...request, issue_date: "2026-11-20", internal_number: "F-1", due_date: "2026-12-20" };
	const draft = toDraft({ ...source, request: sent }, "copy");
	const { client_request_id, encf, ...rest } = request;
	expect(draft.request).toEqual({ ...rest, encf: "auto" });
	expect(draft.changes.map(({ pointer }) => pointer).sort()).toEqual(
		["/client_request_id", "/due_date", "/encf", "/internal_number", "/issue_date"].sort(),
	);
	expect(draft.open.map(({ pointer }) => pointer)).toEqual(["/due_date"]);
	expect(sent.encf).toBe("E310000000001");
});

test("a company that numbers its documents itself is asked for the number", () => {
	const draft = toDraft({ ...source, isNumbered: false }, "copy");
	expect([draft.request.encf, draft.open.map(({ pointer }) => pointer)]).toEqual([undefined, ["/encf"]]);
});

test("a credit note on the whole document cancels it", () => {
	const sent = { ...request, payment: { terms: "cash" as const }, order_number: "7" };
	const { request: note, open } = toDraft({ ...source, request: sent }, "credit");
	expect(note).toEqual({
		...{ type: "34", encf: "auto", company: request.company, customer: request.customer },
		...{ lines: request.lines, totals: request.totals, metadata: request.metadata },
		reference: { encf: "E310000000001", issue_date: "2026-11-20", code: 1 },
	} as typeof note);
	expect(open).toEqual([]);
});

test("a credit note on what earlier notes left corrects amounts", () => {
	const partly = { ...source, original: { ...original, balance: "310.00" } as DraftSource["original"] };
	const { request: note, open } = toDraft(partly, "credit");
	expect(note.reference?.code).toBe(3);
	expect(open).toMatchObject([{ pointer: "/lines", detail: expect.stringContaining("310.00") }]);
});

test("a credit note on a purchase states nothing that it cannot hold", () => {
	const withholding = { itbis: "10.00", isr: "0.00" };
	const sent = { ...request, type: "41", deferred: true as const, lines: [{ ...request.lines[0], withholding }] };
	const draft = toDraft({ ...source, type: "41", request: sent as InvoiceRequest }, "credit");
	expect(draft.request.deferred).toBeUndefined();
	expect(draft.request.type).toBe("34");
});

test("a debit note leaves its amounts to the person", () => {
	const { request: note, open } = toDraft(source, "debit");
	expect(note).toMatchObject({ type: "33", customer: request.customer, reference: { code: 3 } });
	expect([note.lines, note.totals]).toEqual([undefined, undefined]);
	expect(open.map(({ pointer }) => pointer)).toEqual(["/lines", "/totals"]);
});

test("a reissue applies the corrections and asks for the rest", () => {
	const sent = { ...request, reference: { encf: "E310000000009", issue_date: "2026-01-01", code: 5 } };
	const fix = [{ op: "replace", path: "/reference/issue_date", value: "2026-11-19" }];
	const advice = [
		{ pointer: "/encf", detail: "Expected: a new number.", detailEs: "Se espera: un número nuevo." },
		{ pointer: "/customer/rnc", detail: "Expected: an active buyer.", detailEs: "Se espera: un comprador activo." },
	];
	const draft = toDraft({ ...rejected({ fix, advice }), request: sent }, "reissue");
	expect(draft.request).toMatchObject({
		encf: "auto",
		client_request_id: "reissue-0192f110-7a00-7b11-9c22-334455667788",
		reference: { issue_date: "2026-11-19" },
	});
	expect(draft.open).toEqual(advice.slice(1));
	expect(draft.changes).toContainEqual({
		...{ pointer: "/reference/issue_date", before: "2026-01-01", after: "2026-11-19" },
		...{ detail: expect.any(String), detailEs: expect.any(String) },
	});
	expect(sent.reference.issue_date).toBe("2026-01-01");
});

const dated = (over: Partial<DraftSource>, sent: Partial<InvoiceRequest> = {}) => {
	const of = { ...rejected({}), ...over, request: { ...request, ...sent } as InvoiceRequest };
	const { changes, open, request: drafted } = toDraft(of, "reissue");
	const change = changes.find(({ pointer }) => pointer === "/issue_date");
	const { issue_date, due_date } = drafted;
	const why = change && { before: change.before, after: change.after, detail: change.detail };
	return { issue_date, due_date, why, open: open.map(({ pointer }) => pointer) };
};
const sameMonth = expect.stringContaining("It is issued today");

test("a reissue in the same month is issued today, and says so", () => {
	const [today, why] = ["2026-11-28", { before: "2026-11-20", after: null, detail: sameMonth }];
	expect(dated({ today })).toEqual({ issue_date: undefined, due_date: undefined, why, open: [] });
	const named = { issue_date: "2026-11-20", due_date: "2026-12-20" };
	expect(dated({ today }, named)).toEqual({ issue_date: undefined, due_date: "2026-12-20", why, open: [] });
	expect(dated({})).toEqual({ issue_date: undefined, due_date: undefined, why: undefined, open: [] });
	expect(dated({}, named)).toMatchObject({ issue_date: undefined, why: { before: "2026-11-20", after: null } });
});

test("a reissue that would be due before its date asks until when", () => {
	const due = dated({ today: "2026-11-28" }, { due_date: "2026-11-25" });
	expect(due).toMatchObject({ due_date: undefined, open: ["/due_date"] });
});

test("a reissue in a later month keeps its date, and leaves it to a person", () => {
	const today = "2026-12-01";
	const unnamed = dated({ today }, { due_date: "2026-11-25" });
	expect(unnamed).toMatchObject({ issue_date: "2026-11-20", due_date: "2026-11-25", open: ["/issue_date"] });
	const keeps = expect.stringContaining("in another month, so it keeps 2026-11-20.");
	expect(unnamed.why).toEqual({ before: null, after: "2026-11-20", detail: keeps });
	const named = dated({ today }, { issue_date: "2026-11-20" });
	expect(named).toMatchObject({ issue_date: "2026-11-20", why: undefined, open: ["/issue_date"] });
});

test("a reissued credit note keeps its date where today would be too late for ITBIS", () => {
	const note = (original: string, today: string) =>
		dated({ type: "34", today }, { reference: { encf: "E310000000009", issue_date: original, code: 1 } });
	expect(note("2026-10-22", "2026-11-28")).toMatchObject({ issue_date: "2026-11-20", open: ["/issue_date"] });
	expect(note("2026-10-30", "2026-11-28")).toMatchObject({ issue_date: undefined, open: [] });
	expect(note("2026-10-01", "2026-11-28")).toMatchObject({ issue_date: undefined, open: [] });
});

test("a reissue keeps a number that the authority did not use up", () => {
	const draft = toDraft({ ...rejected({ reissue: { allowed: true, encf: "same" } }), isNumbered: false }, "reissue");
	expect([draft.request.encf, draft.open]).toEqual(["E310000000001", []]);
});

test("drafts that the document's state rules out are refused", () => {
	const codes = (of: DraftSource) =>
		(["reissue", "credit", "debit", "copy"] as const).map((as) => findDraftFault(of, as)?.code);
	expect(codes(source)).toEqual(["not-rejected", undefined, undefined, undefined]);
	expect(codes(rejected({}))).toEqual([undefined, "not-accepted", "not-accepted", undefined]);
	expect(codes({ ...rejected({}), replacedBy: "E310000000002" })[0]).toBe("already-reissued");
	const failure = { code: "internal-failure", detail: "", failedAt: "", retryable: true };
	expect(codes({ ...source, status: { status: "failed", failure } })[0]).toBe("retryable");
	expect(codes({ ...source, type: "34" }).slice(1, 3)).toEqual(["is-note", "is-note"]);
	const nothing = { ...original, balance: "0.00" } as DraftSource["original"];
	expect(codes({ ...source, original: nothing })[1]).toBe("nothing-left");
});
