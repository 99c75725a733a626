/** What becomes of documents whose numbers the authority calls used, of refusals that are ours, and of those that are brought back. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Rejected, TrackIdEntry } from "../../../../src/authority/client";
import { ageInvoices, reopenInvoice } from "../../../../src/invoicing/invoices/model/store";
import { ageMessages, type Handler, reviveMessages } from "../../../../src/platform/outbox";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import {
	addCompany,
	addInvoice,
	INTERNAL_SLA_SECONDS,
	openSubmit,
	readInvoice,
	takeStep,
} from "../../../support/submission";
import { type Script, scriptAuthority } from "../support/scripted-authority";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const OUTAGE_SECONDS = 73 * 3_600;

const away = { reason: "authority-unreachable", detail: "no answer" } as const;
const lost = { reason: "authority-timeout", detail: "no answer" } as const;
const absent = { kind: "unavailable", reason: "authority-service-absent", detail: "not in this environment" } as const;
const accepted = { kind: "accepted", conditional: false, code: "1", messages: [], sequenceConsumed: true } as const;
const rejected = (code: string, over: Partial<Rejected> = {}): Rejected => ({
	kind: "rejected",
	code,
	messages: [{ code, text: "texto" }],
	sequenceConsumed: true,
	duplicate: false,
	retryable: false,
	...over,
});
const duplicate = rejected("1209", { duplicate: true });
const sendAgain = rejected("004", { sequenceConsumed: false, retryable: true });
const entries = (...names: string[]): TrackIdEntry[] => names.map((trackId) => ({ trackId }));

async function open(script: Script, kind: "ecf" | "summary" = "ecf", request = "{}") {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const summary = kind === "ecf" ? {} : { type: "32", ecf: "<ECF></ECF>", summary: "<RFCE></RFCE>" };
	const { docId } = await addInvoice(sql, tenantId, { request, ...summary });
	const authority = scriptAuthority(script);
	const submit: Handler = openSubmit(sql, authority.authority);
	const read = async () => {
		const { status, phase, authority, failure } = await readInvoice(sql, docId);
		return { status, phase, code: authority?.code, consumed: authority?.sequenceConsumed, failure: failure?.code };
	};
	return {
		...authority,
		docId,
		read,
		async take(steps: number) {
			for (let i = 0; i < steps; i++) await takeStep(sql, submit, docId);
			return read();
		},
		async age(seconds: number) {
			await sql.begin(async (tx) => {
				await ageInvoices(tx, tenantId, seconds);
				await ageMessages(tx, tenantId, seconds);
			});
		},
		/** Lets seconds pass since all that was sent. */
		async ageSendings(seconds: number) {
			await sql`
				update open_documents set sendings = (
					select json_agg(json_build_object('n', s.n, 'at', s.at - make_interval(secs => ${seconds}), 'result', s.result) order by s.n)
					from json_to_recordset(sendings) as s(n int, at timestamptz, result text)
				) where doc_id = ${docId}`;
		},
		async bringBack() {
			await sql.begin(async (tx) => {
				expect(await reopenInvoice(tx, tenantId, docId)).toBe(true);
				expect(await reviveMessages(tx, "invoice.submit", tenantId, [docId])).toEqual([docId]);
			});
			return read();
		},
		async pauseSeconds() {
			const [row] = await sql<{ seconds: number }[]>`
				select extract(epoch from available_at - now())::float8 as seconds from outbox where subject = ${docId}`;
			return row?.seconds ?? Number.NaN;
		},
	};
}

describe("a document that failed after 72 hours and is brought back", () => {
	for (const kind of ["ecf", "summary"] as const) {
		test(`is sent again when nothing of it ever arrived (${kind})`, async () => {
			const received = { kind: "received", trackId: `t-${kind}` } as const;
			const received2 = kind === "ecf" ? received : ({ kind: "decided", verdict: accepted } as const);
			const name = kind === "ecf" ? "submit" : "submitSummary";
			const document = await open(
				{ [name]: [{ kind: "not-sent", ...away }, received2], queryResult: [accepted] },
				kind,
			);
			expect(await document.take(1)).toMatchObject({ status: "pending", phase: "queued" });
			document.script[name]?.unshift({ kind: "not-sent", ...away });
			await document.age(OUTAGE_SECONDS);
			expect(await document.take(1)).toMatchObject({ status: "failed", failure: "authority-timeout-72h" });
			expect(await document.bringBack()).toMatchObject({ status: "pending", phase: "queued" });
			expect(await document.take(3)).toMatchObject({ status: "accepted" });
		});
	}

	test("is asked about first when it may have arrived", async () => {
		const document = await open({
			submit: [{ kind: "unknown", ...lost }],
			queryTrackIds: [{ kind: "unavailable", ...lost }],
			queryResult: [accepted],
		});
		await document.take(1);
		await document.age(OUTAGE_SECONDS);
		expect(await document.take(1)).toMatchObject({ status: "failed" });
		expect(await document.bringBack()).toMatchObject({ phase: "unconfirmed" });
		document.script.queryTrackIds = [{ kind: "found", entries: entries("t-asked") }];
		expect(await document.take(2)).toMatchObject({ status: "accepted" });
		expect(document.asked.filter((name) => name === "submit")).toHaveLength(1);
	});
});

test("a deferred document fails after 24 hours, when others are still tried", async () => {
	const notSent = { kind: "not-sent", ...away } as const;
	const script = { submit: [notSent, notSent] };
	for (const [request, outcome] of [
		["{}", { status: "pending", phase: "queued" }],
		['{"deferred":true}', { status: "failed", failure: "authority-timeout-24h" }],
	] as const) {
		const document = await open({ submit: [...script.submit] }, "ecf", request);
		await document.take(1);
		await document.age(25 * 3_600);
		expect(await document.take(1)).toMatchObject(outcome);
	}
});

test("a retried document with an ambiguous last sending is queried", async () => {
	const document = await open({
		submit: [
			{ kind: "received", trackId: "t-early" },
			{ kind: "unknown", ...lost },
		],
		queryResult: [sendAgain],
		queryTrackIds: [{ kind: "unavailable", ...lost }],
	});
	expect(await document.take(3)).toMatchObject({ status: "pending", phase: "unconfirmed" });
	await document.age(OUTAGE_SECONDS);
	expect(await document.take(1)).toMatchObject({ status: "failed" });
	expect(await document.bringBack()).toMatchObject({ phase: "unconfirmed" });
});

describe("a number that the authority calls used", () => {
	test("is another document's if nothing ever arrived: rejected, number consumed", async () => {
		const refusal = { kind: "refused", code: "1209", messages: duplicate.messages, duplicate: true } as const;
		const atTheDoor = await open({ submit: [{ kind: "not-sent", ...away }, refusal] });
		expect(await atTheDoor.take(2)).toMatchObject({ status: "rejected", code: "1209", consumed: true });
		const bySummary = await open(
			{
				submitSummary: [
					{ kind: "not-sent", ...away },
					{ kind: "decided", verdict: duplicate },
				],
			},
			"summary",
		);
		expect(await bySummary.take(2)).toMatchObject({ status: "rejected", code: "1209" });
	});

	test("is queried at growing intervals and fails after 72 hours", async () => {
		const document = await open(
			{
				submitSummary: [
					{ kind: "unknown", ...lost },
					{ kind: "decided", verdict: duplicate },
				],
				querySummary: [{ kind: "not-found" }],
			},
			"summary",
		);
		expect(await document.take(3)).toMatchObject({ status: "pending", phase: "unconfirmed" });
		const pauses: number[] = [await document.pauseSeconds()];
		for (let round = 0; round < 4; round++) {
			await document.take(2);
			pauses.push(await document.pauseSeconds());
		}
		for (const [i, least] of [1, 3, 7, 15, 31].entries()) expect(pauses[i]).toBeGreaterThan(least);
		await document.age(OUTAGE_SECONDS);
		expect(await document.take(2)).toMatchObject({ status: "failed", failure: "authority-timeout-72h" });
	});

	/** The reception that the result is asked of: the last in the list, or one that no list has. */
	const secondOf = ([list]: NonNullable<Script["queryTrackIds"]>) =>
		(list?.kind === "found" && list.entries.at(-1)?.trackId) || `t-${Math.random()}`;
	const twice = (queryTrackIds: NonNullable<Script["queryTrackIds"]>, ...results: Script["queryResult"] & object) =>
		open({
			submit: [
				{ kind: "unknown", ...lost },
				{ kind: "received", trackId: secondOf(queryTrackIds) },
			],
			queryTrackIds: [{ kind: "not-found" }, ...queryTrackIds],
			// Asked once with the reception, where a plain verdict would count at once.
			queryResult: results,
		});

	test("is no rejection while the authority does not list the reception", async () => {
		for (const list of [{ kind: "not-found" } as const, absent, { kind: "found", entries: [] } as const]) {
			const document = await twice([list], duplicate);
			const { status, phase } = await document.take(4);
			expect({ list: list.kind, status, phase }).toEqual({ list: list.kind, status: "pending", phase: "tracking" });
			await document.age(OUTAGE_SECONDS);
			expect(await document.take(1)).toMatchObject({ status: "failed" });
		}
	});

	test("is a rejection when the authority lists this reception and no earlier one", async () => {
		const document = await twice([{ kind: "found", entries: entries("only") }], duplicate);
		expect(await document.take(4)).toMatchObject({ status: "rejected", code: "1209" });
	});

	test("takes the verdict on the earlier reception", async () => {
		const list = (name: string) => ({ kind: "found", entries: entries(`${name}-first`, `${name}-second`) }) as const;
		const taken = await twice([list("a")], duplicate, accepted);
		expect(await taken.take(4)).toMatchObject({ status: "accepted" });
		const late = await twice([list("c")], duplicate, { kind: "not-found" }, duplicate, accepted);
		expect(await late.take(4)).toMatchObject({ status: "pending", phase: "tracking" });
		expect(await late.take(1)).toMatchObject({ status: "accepted" });
		const refused = await twice([list("b")], duplicate, rejected("614"));
		expect(await refused.take(4)).toMatchObject({ status: "rejected", code: "614" });
	});
});

describe("a refusal after a sending that may have arrived", () => {
	const refusal = { kind: "refused", code: "75", messages: [{ code: "75", text: "x" }], duplicate: false } as const;

	test("stays open for as long as the authority's records may lag", async () => {
		const document = await open({
			submit: [{ kind: "unknown", ...lost }, refusal],
			queryTrackIds: [{ kind: "not-found" }],
		});
		expect(await document.take(9)).toMatchObject({ status: "pending", phase: "unconfirmed" });
		await document.ageSendings(31);
		expect(await document.take(2)).toMatchObject({ status: "rejected", code: "75", consumed: true });
	});

	test("decides at once after a sending that the authority asked to repeat", async () => {
		const document = await open({
			submit: [{ kind: "received", trackId: "t-again" }, refusal],
			queryResult: [sendAgain],
		});
		expect(await document.take(3)).toMatchObject({ status: "rejected", code: "75" });
	});

	test("decides nothing when the authority comes to find it", async () => {
		const document = await open({
			submit: [{ kind: "unknown", ...lost }, refusal],
			queryTrackIds: [{ kind: "not-found" }, { kind: "found", entries: entries("t-found-late") }],
			queryResult: [accepted],
		});
		expect(await document.take(5)).toMatchObject({ status: "accepted" });
	});
});

describe("a summary that was asked about", () => {
	test("is sent again when the authority wants it again, and never rejected by that", async () => {
		const document = await open(
			{
				submitSummary: [
					{ kind: "unknown", ...lost },
					{ kind: "decided", verdict: accepted },
				],
				querySummary: [sendAgain],
			},
			"summary",
		);
		expect(await document.take(2)).toMatchObject({ status: "pending", phase: "queued" });
		expect(await document.take(1)).toMatchObject({ status: "accepted" });
	});

	test("fails when the authority has wanted it again for 72 hours", async () => {
		const document = await open({ submitSummary: [{ kind: "decided", verdict: sendAgain }] }, "summary");
		expect(await document.take(3)).toMatchObject({ status: "pending" });
		await document.age(OUTAGE_SECONDS);
		expect(await document.take(1)).toMatchObject({ status: "failed", failure: "authority-timeout-72h" });
	});
});

describe("a refusal that says what became of the number", () => {
	const refusal = (code: string) =>
		({ kind: "refused", code, messages: [{ code, text: "x" }], duplicate: false }) as const;
	const untold = [
		["an unknown code", "9999", false],
		["a code of a number that is free", "75", false],
		["a code of a number that is used", "614", true],
	] as const;

	test.each(untold)("is believed rather than what %s usually means", async (_, code, usually) => {
		for (const sequenceConsumed of [true, false]) {
			const document = await open({ submit: [{ ...refusal(code), sequenceConsumed }] });
			expect(await document.take(1)).toMatchObject({ status: "rejected", code, consumed: sequenceConsumed });
		}
		const document = await open({ submit: [refusal(code)] });
		expect(await document.take(1)).toMatchObject({ status: "rejected", code, consumed: usually });
	});

	test("is not believed after a sending that may have arrived: that one has used it", async () => {
		const document = await open({
			submit: [
				{ kind: "unknown", ...lost },
				{ ...refusal("75"), sequenceConsumed: false },
			],
			queryTrackIds: [{ kind: "not-found" }],
		});
		await document.take(2);
		await document.ageSendings(31);
		expect(await document.take(3)).toMatchObject({ status: "rejected", code: "75", consumed: true });
	});
});

describe("a refusal that is ours", () => {
	const refusals = {
		"without a code": { kind: "refused", messages: [{ code: "", text: "Estructura inválida" }], duplicate: false },
		"by the file's name": { kind: "refused", code: "3243", messages: [{ code: "3243", text: "x" }], duplicate: false },
	} as const;
	for (const [name, refusal] of Object.entries(refusals)) {
		test(`${name} fails after the deadline, however often it is sent meanwhile`, async () => {
			const document = await open({ submit: [refusal] });
			expect(await document.take(4)).toMatchObject({ status: "pending", phase: "queued" });
			await document.age(INTERNAL_SLA_SECONDS / 2);
			expect(await document.take(2)).toMatchObject({ status: "pending" });
			await document.age(INTERNAL_SLA_SECONDS / 2);
			expect(await document.take(1)).toMatchObject({ status: "failed", failure: "internal-failure" });
			expect(document.asked).toHaveLength(7);
		});
	}

	test("restarts its deadline once the document is received", async () => {
		const received = { kind: "received", trackId: "t-over" } as const;
		const document = await open({
			submit: [refusals["without a code"], received],
			queryResult: [{ kind: "in-process" }],
		});
		await document.take(1);
		await document.age(INTERNAL_SLA_SECONDS * 2);
		expect(await document.take(1)).toMatchObject({ status: "pending", phase: "tracking" });
		const [row] =
			await database.sql`select internal_failure_since from open_documents where doc_id = ${document.docId}`;
		expect(row).toEqual({ internal_failure_since: null });
	});
});
