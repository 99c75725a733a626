/** The client against the simulator, an independent implementation of the protocol, over real HTTP with really signed documents. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Authority, type Caller, createAuthority, type Verdict } from "../../../src/authority/client";
import {
	bunEngine,
	type SignedEcf,
	type SigningIdentity,
	signEcf,
	signReceivedXml,
	toSigningIdentity,
} from "../../../src/ecf/signing";
import { createEphemeralIdentity } from "../../../src/ecf/signing/ephemeral-identity";
import { createLog } from "../../../src/platform/telemetry";
import { type Simulator, startSimulator } from "../../../src/simulator";
import { until } from "../../support/until";

const RNC = "990000001";
const profile = "xades-bes";
const folder = mkdtempSync(join(tmpdir(), "sello-authority-"));
let simulator: Simulator;
let identity: SigningIdentity;
let authority: Authority<SigningIdentity>;
let who: Caller<SigningIdentity>;
let sequence = 0;

beforeAll(async () => {
	const day = 86_400_000;
	const made = await createEphemeralIdentity({
		holderName: "PERSONA DE PRUEBA",
		holderDocument: "00100000009",
		notBefore: new Date(Date.now() - day),
		notAfter: new Date(Date.now() + day),
	});
	identity = toSigningIdentity(made, bunEngine);
	who = { segment: "testecf", certificateId: "test", identity };
	simulator = await startSimulator({
		host: "127.0.0.1",
		port: 0,
		databasePath: join(folder, "authority.sqlite"),
		delayMs: 30,
	});
	authority = open();
});

afterAll(async () => {
	await simulator.stop();
	rmSync(folder, { recursive: true });
});

const clearFaults = () => fetch(`${simulator.url}/_simulator/faults`, { method: "DELETE", keepalive: false });

beforeEach(clearFaults);

function open(answerTimeoutMs = 5_000): Authority<SigningIdentity> {
	return createAuthority<SigningIdentity>({
		urls: { main: simulator.url, fc: simulator.url, status: simulator.url },
		signSeed: async (seed, key) => signReceivedXml(seed, key, { profile, signedAt: new Date() }),
		log: createLog("silent", "test"),
		connectTimeoutMs: 2_000,
		answerTimeoutMs,
	});
}

type Issued = { readonly rnc: string; readonly encf: string; readonly xml: Uint8Array; readonly signed: SignedEcf };

function issue(
	type: "31" | "32",
	customerRnc?: string,
	encf = `E${type}${String(++sequence).padStart(10, "0")}`,
): Issued {
	const invoice = {
		type,
		encf,
		company: { rnc: RNC, name: "EMISORA SRL" },
		...(customerRnc ? { customer: { rnc: customerRnc, name: "COMPRADORA SRL" } } : {}),
		lines: [
			{
				line_number: 1,
				description: `Cemento gris ${crypto.randomUUID()}`,
				quantity: "1",
				unit_price: "100.00",
				subtotal: "100.00",
			},
		],
		totals: { subtotal: "100.00", tax: "18.00", grand_total: "118.00" },
	};
	const issuer = { rnc: RNC, name: "EMISORA SRL" };
	const input = { invoice, issuer, sequenceExpiresOn: "2028-12-31", signedAt: new Date().toISOString() };
	const signed = signEcf(input, identity, profile);
	return { rnc: RNC, encf, xml: signed.summary ?? signed.ecf, signed };
}

async function decide(document: Issued, trackId: string): Promise<Verdict> {
	let verdict: Verdict = { kind: "in-process" };
	await until(async () => {
		verdict = await authority.queryResult(who, { ...document, trackId });
		return verdict.kind !== "in-process";
	});
	return verdict;
}

async function submitted(document: Issued): Promise<Verdict> {
	const submission = await authority.submit(who, document);
	if (submission.kind !== "received") throw new Error(JSON.stringify(submission));
	return decide(document, submission.trackId);
}

function order(fault: { operation: string; mode: string; count?: number; ms?: number }): Promise<Response> {
	return fetch(`${simulator.url}/_simulator/faults`, { method: "POST", body: JSON.stringify(fault), keepalive: false });
}

async function receptionsOf(encf: string): Promise<{ encf: string; sha256: string }[]> {
	const response = await fetch(`${simulator.url}/_simulator/receptions`, { keepalive: false });
	const all = (await response.json()) as { encf: string; sha256: string }[];
	return all.filter((one) => one.encf === encf);
}

test("an e-CF goes from seed to verdict, and every query agrees", async () => {
	const document = issue("31", "990000026");
	const submission = await authority.submit(who, document);
	if (submission.kind !== "received") throw new Error(JSON.stringify(submission));
	const { trackId } = submission;
	const verdict = await decide(document, trackId);
	expect(verdict).toEqual({
		kind: "accepted",
		conditional: false,
		code: "1",
		messages: [],
		sequenceConsumed: true,
		trackId,
	});
	const { securityCode } = document.signed;
	expect(await authority.queryState(who, { ...document, securityCode })).toMatchObject({ kind: "accepted", code: "1" });
	expect(await authority.queryState(who, { ...document, securityCode, buyerRnc: "990000026" })).toMatchObject({
		kind: "accepted",
	});
	const trackIds = await authority.queryTrackIds(who, document);
	expect(trackIds).toMatchObject({ kind: "found", entries: [{ trackId, standing: "accepted" }] });
	expect((await receptionsOf(document.encf)).map((one) => one.sha256)).toEqual([document.signed.ecfSha256]);
});

test("a summary is decided in its own answer and found again by its security code", async () => {
	const document = issue("32");
	const submission = await authority.submitSummary(who, document);
	expect(submission).toMatchObject({ kind: "decided", verdict: { kind: "accepted", code: "1", messages: [] } });
	const { securityCode } = document.signed;
	expect(await authority.querySummary(who, { ...document, securityCode })).toMatchObject({ kind: "accepted" });
	expect(await authority.querySummary(who, { ...document, securityCode: "zzzzzz" })).toEqual({ kind: "not-found" });
});

for (const [buyer, expected] of [
	["000000002", { kind: "rejected", code: "1920", sequenceConsumed: true, retryable: false }],
	["000000003", { kind: "accepted", conditional: true, code: "4", messages: [{ code: "1385" }] }],
	["000000007", { kind: "rejected", code: "135", sequenceConsumed: false, retryable: false }],
] as const) {
	test(`the verdict on buyer ${buyer} is ${expected.kind} on both channels`, async () => {
		expect(await submitted(issue("31", buyer))).toMatchObject(expected);
		const summary = await authority.submitSummary(who, issue("32", buyer));
		expect(summary).toMatchObject({ kind: "decided", verdict: expected });
	});
}

test("a document with a lost answer is unknown, and queries find it without resending", async () => {
	const document = issue("31", "000000005");
	expect(await authority.submit(who, document)).toMatchObject({ kind: "unknown", reason: "authority-connection-lost" });
	const found = await authority.queryTrackIds(who, document);
	if (found.kind !== "found") throw new Error(found.kind);
	const [entry] = found.entries;
	expect(await decide(document, entry?.trackId ?? "")).toMatchObject({ kind: "accepted" });
	expect((await receptionsOf(document.encf)).length).toBe(1);
});

test("a second document under a used number is a duplicate", async () => {
	const first = issue("31", "990000026");
	expect((await submitted(first)).kind).toBe("accepted");
	const second = issue("31", "990000026", first.encf);
	expect(await submitted(second)).toMatchObject({ kind: "rejected", code: "1209", duplicate: true });
	const securityCode = second.signed.securityCode;
	expect(await authority.queryState(who, { ...second, securityCode })).toEqual({ kind: "not-found" });
});

test("an unknown document is not found, and an impossible one is refused", async () => {
	const document = issue("31", "990000026");
	const trackId = crypto.randomUUID();
	expect(await authority.queryResult(who, { ...document, trackId })).toEqual({ kind: "not-found" });
	expect(await authority.queryTrackIds(who, document)).toEqual({ kind: "not-found" });
	const xml = new TextEncoder().encode("this is no XML");
	expect(await authority.submit(who, { ...document, xml })).toMatchObject({ kind: "refused", duplicate: false });
	expect(await authority.submitSummary(who, { ...document, xml })).toMatchObject({ kind: "refused" });
});

const faults = [
	{ mode: "html-400", expected: "unknown" },
	{ mode: "status-500", expected: "unknown" },
	{ mode: "status-503", expected: "unknown" },
	{ mode: "html-200", expected: "unknown" },
	{ mode: "reset-before", expected: "unknown" },
	{ mode: "reset-after", expected: "unknown" },
	{ mode: "half-body", expected: "unknown" },
	{ mode: "slow", ms: 4_000, expected: "unknown" },
	{ mode: "status-401", count: 2, expected: "not-sent" },
] as const;

/** Only slow faults get a short limit, since a machine may pause for a moment anywhere else. */
const openFor = ({ mode }: { mode: string }) => (mode === "slow" ? open(1_000) : open());

for (const { expected, ...fault } of faults) {
	test(`${fault.mode} leaves a submission ${expected}`, async () => {
		const client = openFor(fault);
		for (const [operation, document, send] of [
			["receive", issue("31", "990000026"), client.submit],
			["receive-summary", issue("32"), client.submitSummary],
		] as const) {
			await order({ operation, ...fault });
			expect((await send(who, document)).kind).toBe(expected);
			// Only what is reported as not sent must not have arrived.
			if (expected === "not-sent") expect(await receptionsOf(document.encf)).toEqual([]);
		}
	});

	test(`${fault.mode} makes a query unavailable, never a verdict`, async () => {
		const document = issue("31", "990000026");
		const submission = await authority.submit(who, document);
		if (submission.kind !== "received") throw new Error(submission.kind);
		const { securityCode } = document.signed;
		const client = openFor(fault);
		for (const [operation, query] of [
			["result", () => client.queryResult(who, { ...document, trackId: submission.trackId })],
			["state", () => client.queryState(who, { ...document, securityCode })],
			["track-ids", () => client.queryTrackIds(who, document)],
			["summary-query", () => client.querySummary(who, { ...document, securityCode })],
		] as const) {
			// Twice: a query whose kept connection was closed is repeated once.
			await order({ operation, ...fault, count: 2 });
			expect([operation, (await query()).kind]).toEqual([operation, "unavailable"]);
			await clearFaults();
		}
	});
}

test("a single 401 costs a new token and nothing else", async () => {
	await order({ operation: "receive", mode: "status-401" });
	expect((await submitted(issue("31", "990000026"))).kind).toBe("accepted");
});

test("an internal failure of the authority is a verdict that allows a retry", async () => {
	const document = issue("31", "990000026");
	await order({ operation: "receive", mode: "code-004" });
	expect(await submitted(document)).toMatchObject({
		kind: "rejected",
		code: "004",
		retryable: true,
		sequenceConsumed: false,
	});
	expect(await submitted(document)).toMatchObject({ kind: "accepted" });
	expect(new Set((await receptionsOf(document.encf)).map((one) => one.sha256)).size).toBe(1);
});

for (const mode of ["status-503", "html-200", "reset-before", "html-400", "half-body"]) {
	test(`without a seed or a token because of ${mode} nothing is sent`, async () => {
		for (const operation of ["seed", "token"]) {
			const document = issue("31", "990000026");
			await order({ operation, mode });
			expect((await open().submit(who, document)).kind).toBe("not-sent");
			expect(await receptionsOf(document.encf)).toEqual([]);
		}
	});
}
