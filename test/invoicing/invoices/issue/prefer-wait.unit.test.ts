import { describe, expect, test } from "bun:test";
import { answerAfterWait, readWait } from "../../../../src/invoicing/invoices/issue/prefer-wait";
import { problemFrom } from "../../../platform/operation/support/call";
import { makeRow } from "../support/row";

const waitOf = (prefer: string | undefined) =>
	readWait(new Request("http://sello.test/", { headers: prefer === undefined ? {} : { prefer } }));

describe("the preference", () => {
	test("is read in every form that RFC 7240 gives it, between 1 and 25 seconds", () => {
		for (const [prefer, seconds] of [
			["wait=10", 10],
			["Wait = 10", 10],
			['wait="10"', 10],
			["wait=1", 1],
			["wait=25", 25],
			["wait=26", 25],
			["wait=9999", 25],
			["wait=0", 1],
			["wait=007", 7],
			["respond-async, wait=10", 10],
			["return=minimal,wait=3,handling=strict", 3],
			["wait=2, wait=9", 2],
			["wait=x, wait=9", 9],
			["wait=10;priority=high", 10],
			['return=minimal; lang="es", wait="10" ; priority', 10],
		] as const) {
			expect([prefer, waitOf(prefer)]).toEqual([prefer, seconds]);
		}
	});

	test("that cannot be used is ignored", () => {
		for (const prefer of [
			undefined,
			"",
			"wait",
			"wait=",
			"wait=-1",
			"wait=1.5",
			"wait=ten",
			"wait=10s",
			"wait=10s;wait=5",
			"respond-async;wait=5",
			"wait=99999",
			"waiting=5",
			"await=5",
			"wait 5",
			"respond-async",
		]) {
			expect([prefer, waitOf(prefer)]).toEqual([prefer, undefined]);
		}
	});
});

describe("the answer after a wait", () => {
	const contingency = { active: true, since: "2026-11-20T14:20:00.118Z", sendBy: "2026-11-23T14:20:00.118Z" };
	const print = { ...makeRow().print, contingency, legend: ["e-CF emitido en modalidad de contingencia"] };
	const acknowledgement = JSON.stringify({ docId: "d", status: "pending", encf: "E310000000001", print });
	const links = { status: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/status" };

	test("is the acknowledgement while nothing is decided", () => {
		expect(answerAfterWait(makeRow(), acknowledgement, 10, false)).toBe(acknowledgement);
	});

	test("contains the verdict if there is one, which ends a contingency", () => {
		const authority = { trackId: "t-1", approvedAt: "2026-11-20T14:20:03.000Z" };
		const answerOf = (row: ReturnType<typeof makeRow>) => JSON.parse(answerAfterWait(row, acknowledgement, 10, false));
		expect(answerOf(makeRow({ status: "accepted", phase: "decided", authority }))).toEqual({
			...{ docId: "d", status: "accepted", encf: "E310000000001" },
			print: { ...print, contingency: null, legend: [] },
			authority,
		});
		const failure = { code: "certificate-expired", detail: "x", failedAt: "2026-11-20T14:20:03.000Z", retryable: true };
		expect(answerOf(makeRow({ status: "failed", failure }))).toMatchObject({
			status: "failed",
			failure,
		});
	});

	test("is authority-rejected with the authority's number and words", async () => {
		const authority = {
			code: "614",
			messages: [{ code: "614", text: "The modified eNCF has not been issued." }],
			sequenceConsumed: true,
		};
		const row = makeRow({ status: "rejected", authority });
		const problem = await problemFrom(() => answerAfterWait(row, acknowledgement, 10, false));
		expect([problem.slug, problem.status, String(problem.detail)]).toEqual([
			"authority-rejected",
			422,
			"[614] The modified eNCF has not been issued.",
		]);
		expect(problem.extensions).toEqual({
			authorityCode: "614",
			docId: row.docId,
			trackId: row.trackId,
			authority,
			advice: [{ pointer: "/reference/encf", detail: expect.any(String), detailEs: expect.any(String) }],
			reissue: { allowed: true, encf: "new" },
		});
	});

	test("is authority-rejected with the code's own title if the authority sends no text", async () => {
		const LINE_SURCHARGE = { code: "2030", title: "Line surcharge invalid", sequenceConsumed: true };
		const detailOf = async (...texts: string[]) => {
			const messages = texts.map((text) => ({ code: "2030", text }));
			const row = makeRow({ status: "rejected", authority: { ...LINE_SURCHARGE, messages } });
			return String((await problemFrom(() => answerAfterWait(row, acknowledgement, 10, false))).detail);
		};
		expect(await detailOf()).toBe("[2030] Line surcharge invalid");
		expect(await detailOf("")).toBe("[2030] Line surcharge invalid");
		expect(await detailOf(" ", "Recargo no válido.")).toBe("[2030] Line surcharge invalid");
	});

	test("is authority-rejected with a default text for an unknown code", async () => {
		const authority = { code: "99999", messages: [{ code: "99999", text: "" }], sequenceConsumed: true };
		const row = makeRow({ status: "rejected", authority });
		const problem = await problemFrom(() => answerAfterWait(row, acknowledgement, 10, false));
		expect(String(problem.detail)).toBe("[99999] Rejected.");
	});

	test("is authority-unavailable, with the document stored, during an outage", async () => {
		const row = makeRow({ contingencySince: new Date("2026-11-20T14:20:02Z") });
		const problem = await problemFrom(() => answerAfterWait(row, acknowledgement, 10, false));
		expect([problem.slug, problem.status]).toEqual(["authority-unavailable", 504]);
		expect(problem.headers).toEqual({ "preference-applied": "wait=10" });
		expect(String(problem.detail)).toContain("did not answer within 10 s");
		expect(problem.extensions).toEqual({
			stored: true,
			docId: row.docId,
			trackId: row.trackId,
			documentStatus: "pending",
			retryable: false,
			_links: links,
		});
	});

	test("is the acknowledgement when the service drains", () => {
		const row = makeRow({ contingencySince: new Date("2026-11-20T14:20:02Z") });
		expect(answerAfterWait(row, acknowledgement, 10, true)).toBe(acknowledgement);
	});
});
