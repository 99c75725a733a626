import { afterAll, beforeAll, expect, test } from "bun:test";
import { rotateSigningKey } from "../../../src/identity/auth";
import { openSigningKeys, rotateWhenDue } from "../../../src/identity/auth/signing-keys";
import { NEEDS_BEARER } from "../../../src/platform/operation";
import { createEnvelope, SealedSecretError } from "../../../src/platform/secrets";
import {
	envelope,
	log,
	openTestAccess,
	problemOf,
	requestWith,
	type TestAccess,
	tokensOf,
	until,
} from "./support/access";

let t: TestAccess;
beforeAll(async () => {
	t = await openTestAccess();
});
afterAll(() => t.close());

const kidOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;

test("processes that start together make one key between them", async () => {
	const fresh = await openTestAccess();
	try {
		await fresh.sql`delete from token_signing_keys`;
		const deps = { sql: fresh.sql, envelope, clock: fresh.clock, log, onChanged: () => undefined };
		const opened = await Promise.all(Array.from({ length: 8 }, () => openSigningKeys(deps)));
		expect(new Set(opened.map((keys) => keys.signer().kid)).size).toBe(1);
		const rows = await fresh.sql`select kid from token_signing_keys`;
		expect(rows.length).toBe(1);
	} finally {
		await fresh.close();
	}
});

test("after a rotation the new key signs, and tokens of the old one count for 24 hours", async () => {
	const company = await t.makeCompany();
	const other = await t.openAnother();
	const before = await tokensOf(t.access, company);
	const { kid } = await rotateSigningKey({ sql: t.sql, envelope, clock: t.clock });
	expect(kid).not.toBe(kidOf(before.access));

	await until(async () => kidOf((await tokensOf(t.access, company)).access) === kid);
	const after = await tokensOf(t.access, company);
	for (const bearer of [before.access, after.access]) {
		for (const access of [t.access, other.access]) {
			const principal = await access.authenticate(requestWith({ bearer }), NEEDS_BEARER, "");
			expect(principal?.tenantId).toBe(company.tenantId);
		}
	}
	const published = async () => {
		const { body } = await t.send("getJwks", undefined);
		return (body.keys as { kid: string }[]).map((key) => key.kid);
	};
	expect(await published()).toEqual([kid, kidOf(before.access)]);
	t.clock.advance(24 * 3600 + 1);
	expect(await published()).toEqual([kid]);
	expect(
		(await problemOf(t.access.authenticate(requestWith({ bearer: before.access }), NEEDS_BEARER, ""))).status,
	).toBe(401);
});

test("a process that missed a rotation learns the new key from a token", async () => {
	const deps = { sql: t.sql, envelope, clock: t.clock, log, onChanged: () => undefined };
	const deaf = await openSigningKeys(deps);
	const { kid } = await rotateSigningKey(deps);
	expect(await deaf.find(kid)).toBeDefined();
	expect(deaf.signer().kid).toBe(kid);
});

test("key ids that do not exist cause one read a second at most", async () => {
	let reads = 0;
	const counted = { sql: t.sql, envelope, clock: t.clock, log, onChanged: () => void reads++ };
	const keys = await openSigningKeys(counted);
	for (let i = 0; i < 100; i++) expect(await keys.find(`2026-01-${i}`)).toBeUndefined();
	await Promise.all(Array.from({ length: 100 }, (_, i) => keys.find(`2026-02-${i}`)));
	expect(reads).toBe(1);
});

test("the private key opens with its key-encryption key and in its own row only", async () => {
	const [row] = await t.sql<{ kid: string; sealed: Buffer }[]>`
		select kid, sealed_private_key as sealed from token_signing_keys where retire_at is null`;
	if (!row) throw new Error("no key");
	expect(envelope.open(row.sealed, `token-key|${row.kid}`).length).toBeGreaterThan(32);
	expect(() => envelope.open(row.sealed, "token-key|another")).toThrow(SealedSecretError);
	const stranger = createEnvelope(Buffer.alloc(32, 9));
	const opening = openSigningKeys({ sql: t.sql, envelope: stranger, clock: t.clock, log, onChanged: () => undefined });
	await expect(opening).rejects.toThrow("KEK_FILE");
});

test("a key that signed receipts stays published after it has retired", async () => {
	const own = await openTestAccess();
	const published = async () => {
		const { keys } = (await own.send("getJwks", undefined)).body as { keys: { kid: string }[] };
		return keys.map(({ kid }) => kid);
	};
	try {
		const [old = ""] = await published();
		await own.access.rotateSigningKey();
		await own.sql`
			update token_signing_keys set signed_receipts = true, retire_at = now() - interval '1 day' where kid = ${old}`;
		await until(async () => own.access.receiptKeys().length === 1);
		expect(own.access.receiptKeys().map(({ kid }) => kid)).toEqual([old]);
		expect(await published()).toEqual([expect.not.stringMatching(old), old]);
		await own.sql`update token_signing_keys set signed_receipts = true`;
		await own.access.rotateSigningKey({ atOnce: true });
		expect(own.access.receiptKeys().map(({ kid }) => kid)).toEqual([old]);
	} finally {
		await own.close();
	}
});

test("a rotation at once ends every token in every process and is audited", async () => {
	const company = await t.makeCompany();
	const other = await t.openAnother();
	const before = await tokensOf(t.access, company);
	await t.access.rotateSigningKey();
	const between = await tokensOf(t.access, company);
	const ask = (access: typeof t.access, bearer: string) =>
		access.authenticate(requestWith({ bearer }), NEEDS_BEARER, "").then(
			() => 200,
			() => 401,
		);
	for (const access of [t.access, other.access]) {
		for (const bearer of [before.access, between.access]) await until(async () => (await ask(access, bearer)) === 200);
	}
	const { kid, former } = await t.access.rotateSigningKey({ atOnce: true });
	for (const { retireAt } of former) expect(Date.parse(retireAt)).toBeLessThanOrEqual(t.clock.now().getTime());
	expect(former.map((key) => key.kid)).toContain(kidOf(before.access));
	for (const access of [t.access, other.access]) {
		for (const bearer of [before.access, between.access]) await until(async () => (await ask(access, bearer)) === 401);
	}
	await until(async () => kidOf((await tokensOf(t.access, company)).access) === kid);
	const refreshed = await t.send("postToken", { grant_type: "refresh_token", refresh_token: between.refresh });
	expect(await ask(other.access, String(refreshed.body.access_token))).toBe(200);
	const [entry] = await t.sql`select action, key_id, details from audit where subject = ${kid}`;
	expect(entry).toEqual({ action: "signing-key.rotate", key_id: null, details: { atOnce: true } });
});

test("a rotation at once by a fast clock ends the former keys everywhere", async () => {
	const own = await openTestAccess();
	try {
		const { access: bearer } = await tokensOf(own.access, await own.makeCompany());
		own.clock.advance(1_800);
		await own.access.rotateSigningKey({ atOnce: true });
		own.clock.advance(-1_740);
		// One that has just come up, whose clock is right.
		const other = await own.openAnother();
		const asked = other.access.authenticate(requestWith({ bearer }), NEEDS_BEARER, "");
		expect((await problemOf(asked)).slug).toBe("unauthorised");
	} finally {
		await own.close();
	}
});

test("a month-old key is replaced once, however many processes check it", async () => {
	const own = await openTestAccess();
	try {
		const deps = { sql: own.sql, envelope, clock: own.clock };
		own.clock.advance(30 * 24 * 3600 - 60);
		expect(await rotateWhenDue(deps)).toBeUndefined();
		own.clock.advance(60);
		const rotated = await Promise.all(Array.from({ length: 5 }, () => rotateWhenDue(deps)));
		expect(rotated.filter((one) => one !== undefined).length).toBe(1);
		expect((await own.sql`select 1 from token_signing_keys where retire_at is null`).length).toBe(1);
	} finally {
		await own.close();
	}
});
