/** Attestations: what they say, who can verify them, and that nothing changed passes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createPublicKey } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose";
import type { Principal } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import { SealedSecretError } from "../../../src/platform/secrets";
import { newId } from "../../../src/platform/values";
import { openRegistryKeys, type Registry, rotateRegistryKey } from "../../../src/registry";
import { readNumber, writeNumber } from "../../../src/registry/attestation/consultation-number";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import { BASE_URL, bodyOf, entry, envelope, openOn, send, settableClock, silentLog, toText, toZip } from "../build";

const clock = settableClock();
const folder = mkdtempSync(join(tmpdir(), "sello-attest-"));
let database: TestDatabase;
let registry: Registry;

beforeAll(async () => {
	database = await openTestDatabase();
	const source = join(folder, "source.zip");
	const list = [entry({ rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL" }), entry({ status: "SUSPENDIDO" })];
	writeFileSync(source, toZip(toText(list)));
	registry = await openOn(database.sql, source, { clock });
});
afterAll(async () => {
	await registry.close();
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

type Attested = Record<"consultation_number" | "outcome" | "as_of" | "attestation" | "run_id", string>;
const principal: Principal = { environment: "sandbox", plan: "free", ownerId: newId(), scopes: new Set() };
const attest = (document: string, body: object = {}) =>
	bodyOf<Attested & Record<string, unknown>>(
		send(registry, "POST", `/v1/authority/document/${document}:attest`, { body, principal }),
	);
const check = (body: object) =>
	bodyOf<Record<string, unknown>>(send(registry, "POST", "/v1/authority/attestations:verify", { body }));
const publicKeys = () => bodyOf<JSONWebKeySet>(send(registry, "GET", "/.well-known/registry-keys.json"));
const rotate = () => rotateRegistryKey({ sql: database.sql, envelope, clock });
const payloadOf = (jws: string) => JSON.parse(Buffer.from(jws.split(".")[1] ?? "", "base64url").toString());
const kidOf = (jws: string) => JSON.parse(Buffer.from(jws.split(".")[0] ?? "", "base64url").toString()).kid;

test("an attestation says what the copy held, and its number and text are confirmed", async () => {
	const requester = { rnc: "9-9000000-1" };
	const answer = await attest("131880681", { requester, name: "Ferretería El Progreso" });
	const { consultation_number: number, attestation, ...rest } = answer;
	const today = new Date(clock.now().getTime() - 4 * 3_600_000).toISOString().slice(0, 10);
	const held = entry({ rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL" });
	expect(rest).toEqual({
		...{ outcome: "found", name_matches: true, entry: held, as_of: today, run_id: registry.runId() ?? "" },
	});
	expect(number).toMatch(/^([0-9A-HJKMNP-TV-Z]{6}-){3}[0-9A-HJKMNP-TV-Z]{6}$/);
	expect(payloadOf(attestation)).toEqual({
		...{ iss: BASE_URL, iat: Math.floor(clock.now().getTime() / 1000), jti: number, sub: "131880681" },
		...{ requester: "990000001", as_of: today, outcome: "found", entry: held },
		run: {
			id: registry.runId(),
			source_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
			confirmed_at: expect.any(String),
		},
		statement: { en: expect.any(String), es: expect.any(String) },
	});
	const valid = { valid: true, outcome: "found", date: today };
	expect(await check({ attestation })).toEqual(valid);
	const question = { document: "131-88068-1", requester: "990000001" };
	expect(await check({ ...question, consultation_number: number })).toEqual(valid);
	expect(await check({ ...question, consultation_number: number.toLowerCase().replaceAll("-", "") })).toEqual(valid);
	for (const other of [{ document: "131880682" }, { requester: "990000002" }, { requester: undefined }]) {
		expect(await check({ ...question, ...other, consultation_number: number })).toEqual({ valid: false });
	}
});

test("an inactive and an unknown number are attested too", async () => {
	expect(await attest("990000001", { name: "otro" })).toMatchObject({ outcome: "inactive", name_matches: false });
	const unknown = await attest("999999999", { name: "otro" });
	expect(unknown).toMatchObject({ outcome: "not_found", name_matches: false });
	expect([unknown, payloadOf(unknown.attestation)].some((one) => "entry" in one)).toBe(false);
});

/** Whether `openssl pkeyutl` verifies a signature, by its exit code. */
function verifyWithOpenssl(jws: string, keys: JSONWebKeySet): boolean {
	const [header = "", payload = "", signature = ""] = jws.split(".");
	const key = keys.keys.find(({ kid }) => kid === kidOf(jws));
	const files = ["key.pem", "signed", "signature"].map((name) => join(folder, name)) as [string, string, string];
	writeFileSync(files[0], createPublicKey({ key: { ...key }, format: "jwk" }).export({ format: "pem", type: "spki" }));
	writeFileSync(files[1], `${header}.${payload}`);
	writeFileSync(files[2], Buffer.from(signature, "base64url"));
	const words = ["pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", files[0], "-in", files[1], "-sigfile", files[2]];
	return Bun.spawnSync(["openssl", ...words], { stdout: "ignore", stderr: "ignore" }).exitCode === 0;
}

const openssl = Bun.which("openssl");
const texts: string[] = [];

test("jose verifies attestations of three keys after two rotations", async () => {
	const count = Number(process.env.ATTESTATIONS ?? 6);
	for (let i = 0; i < count; i++) {
		if (i === Math.floor(count / 3) || i === Math.floor((2 * count) / 3)) {
			const { kid } = await rotate();
			await until(async () => kidOf((await attest("131880681")).attestation) === kid);
		}
		texts.push((await attest(i % 2 ? "131880681" : "999999999")).attestation);
	}
	const keys = await publicKeys();
	expect(new Set(texts.map(kidOf)).size).toBe(3);
	for (const text of texts) {
		const { protectedHeader } = await compactVerify(text, createLocalJWKSet(keys));
		expect(protectedHeader.typ).toBe("registry-attestation+jwt");
		expect(await check({ attestation: text })).toMatchObject({ valid: true });
	}
}, 120_000);

if (!openssl) console.log("OpenSSL is not installed, so only jose verifies attestations.");
test.skipIf(!openssl)(
	"OpenSSL verifies the same attestations",
	async () => {
		const keys = await publicKeys();
		expect(texts.filter((text) => !verifyWithOpenssl(text, keys))).toEqual([]);
		const [some = ""] = texts;
		expect(verifyWithOpenssl(some.replace(/\.e/, ".A"), keys)).toBe(false);
	},
	120_000,
);

test("every changed claim, character and digit is refused", async () => {
	const { attestation, consultation_number: number } = await attest("131880681", { requester: { rnc: "990000001" } });
	const [header, , signature] = attestation.split(".");
	const claims = payloadOf(attestation) as Record<string, unknown>;
	for (const name of Object.keys(claims)) {
		const changed = Buffer.from(JSON.stringify({ ...claims, [name]: "other" })).toString("base64url");
		expect([name, await check({ attestation: `${header}.${changed}.${signature}` })]).toEqual([name, { valid: false }]);
	}
	for (let at = 0; at < attestation.length; at++) {
		const other = attestation[at] === "A" ? "B" : "A";
		const changed = `${attestation.slice(0, at)}${other}${attestation.slice(at + 1)}`;
		expect([at, await check({ attestation: changed })]).toEqual([at, { valid: false }]);
	}
	for (const more of ["", ".", "=", ".x"]) {
		if (more !== "") expect(await check({ attestation: `${attestation}${more}` })).toEqual({ valid: false });
	}
	const question = { document: "131880681", requester: "990000001" };
	for (let at = 0; at < number.length; at++) {
		for (const digit of "0123456789ABCDEFGHJKMNPQRSTVWXYZ") {
			if (digit === number[at] || number[at] === "-") continue;
			const changed = `${number.slice(0, at)}${digit}${number.slice(at + 1)}`;
			expect([changed, await check({ ...question, consultation_number: changed })]).toEqual([
				changed,
				{ valid: false },
			]);
		}
	}
});

test("an attestation of an earlier day is of what the copy held then", async () => {
	const dayOf = (days: number) =>
		new Date(clock.now().getTime() - 4 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10);
	const first = await attest("131880681", { as_of: dayOf(0) });
	expect(first).toMatchObject({ outcome: "found", as_of: dayOf(0) });
	expect(await check({ attestation: first.attestation })).toEqual({ valid: true, outcome: "found", date: dayOf(0) });
	expect(payloadOf(first.attestation).run.source_sha256).toMatch(/^[0-9a-f]{64}$/);
	expect(await slugOf(attest("131880681", { as_of: dayOf(-1) }))).toEqual(["history-not-available", []]);
});

test("a receipt of an erasure is no attestation", async () => {
	const keys = await openRegistryKeys({ sql: database.sql, envelope, clock, log: silentLog });
	const receipt = await keys.sign("receipt+jws", payloadOf((await attest("131880681")).attestation));
	expect(await check({ attestation: receipt })).toEqual({ valid: false });
});

test("a consultation number has the documented bytes", () => {
	const key = Buffer.alloc(32, 1);
	const parties = { document: "131880681", requester: undefined };
	const consultation = { date: "2026-11-26", runOrdinal: 214, outcome: "found" } as const;
	const number = writeNumber(key, consultation, parties);
	expect(number).toStartWith("4SH000-6P0");
	expect(readNumber(key, number, parties)).toEqual(consultation);
	expect(readNumber(Buffer.alloc(32, 2), number, parties)).toBeUndefined();
	expect(readNumber(key, "4SH000-6P0", parties)).toBeUndefined();
});

async function slugOf(answer: Promise<unknown>): Promise<unknown> {
	const error = await answer.catch((one: unknown) => one);
	return error instanceof Problem
		? [error.slug, error.faults?.map(({ pointer, code }) => `${pointer} ${code}`)]
		: error;
}

test("other days, foreign companies and incomplete questions are refused", async () => {
	expect(await slugOf(attest("131880681", { as_of: "2199-01-01" }))).toEqual([
		"validation-error",
		["/as_of future-date"],
	]);
	expect(await slugOf(attest("131880681", { as_of: "2026-02-30" }))).toEqual([
		"validation-error",
		["/as_of invalid-date"],
	]);
	expect(await slugOf(attest("131880681", { requester: { rnc: "990000002" } }))).toEqual([
		"company-rnc-mismatch",
		["/requester/rnc company-rnc-mismatch"],
	]);
	expect(await slugOf(attest("131880681", { requester: { rnc: "12" } }))).toEqual(["invalid-document-format", []]);
	expect(await slugOf(check({}))).toEqual([
		"validation-error",
		["/consultation_number required", "/document required"],
	]);
	expect(await slugOf(check({ attestation: "a.b.c", document: "131880681" }))).toEqual([
		"validation-error",
		["/document unknown-field"],
	]);
});

test("the private key opens with its key-encryption key and in its own row only", async () => {
	const [row] = await database.sql<{ kid: string; sealed: Buffer }[]>`
		select kid, sealed_private_key as sealed from registry_keys order by number desc limit 1`;
	if (!row) throw new Error("no key");
	expect(envelope.open(row.sealed, `registry-key|${row.kid}`).length).toBeGreaterThan(32);
	expect(() => envelope.open(row.sealed, "registry-key|another")).toThrow(SealedSecretError);
});
