import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { bunEngine, createKeyRing, type SealedIdentity } from "../../../src/ecf/signing";
import { FreedKeyError, openEngine } from "../../../src/ecf/signing/engine";
import { createEphemeralIdentity } from "../../../src/ecf/signing/ephemeral-identity";
import { sealKey } from "../../../src/ecf/signing/take-certificate";
import { createEnvelope, SealedSecretError } from "../../../src/platform/secrets";

const envelope = createEnvelope(randomBytes(32));
const made = await createEphemeralIdentity({
	holderName: "JUANA PEREZ",
	holderDocument: "00100000009",
	notBefore: new Date("2026-01-01T00:00:00Z"),
	notAfter: new Date("2030-01-01T00:00:00Z"),
});
const text = new TextEncoder().encode("Sello");

function seal(tenantId: string): SealedIdentity {
	const { certificateDer, pkcs8Der } = made;
	return sealKey(envelope, tenantId, certificateDer, Uint8Array.from(pkcs8Der)).identity;
}

function openRing(keysMax?: number) {
	const clock = { nowMs: 0 };
	const { engine } = openEngine("auto");
	const ring = createKeyRing({ envelope, engine, now: () => clock.nowMs, ...(keysMax ? { keysMax } : {}) });
	return { ring, clock };
}

describe("a sealed key", () => {
	test("leaves no clear bytes behind", () => {
		const pkcs8Der = Uint8Array.from(made.pkcs8Der);
		const { identity } = sealKey(envelope, "a", made.certificateDer, pkcs8Der);
		expect(pkcs8Der.every((byte) => byte === 0)).toBe(true);
		expect(Buffer.from(identity.sealedKey).includes(Buffer.from(made.pkcs8Der).subarray(100, 140))).toBe(false);
	});

	test("is wiped also when its certificate cannot be read", () => {
		const pkcs8Der = Uint8Array.from(made.pkcs8Der);
		expect(() => sealKey(envelope, "a", new Uint8Array(8), pkcs8Der)).toThrow();
		expect(pkcs8Der.every((byte) => byte === 0)).toBe(true);
	});

	test("opens only for its tenant and certificate, even if the tenant's key is open", () => {
		const { ring } = openRing();
		const own = seal("a");
		ring.open(own);
		for (const moved of [
			{ ...own, tenantId: "b" },
			{ ...own, thumbprint: `sha256:${"0".repeat(64)}` },
		]) {
			expect(() => ring.open(moved)).toThrow(SealedSecretError);
		}
		expect(ring.size()).toBe(1);
	});
});

describe("a ring of keys", () => {
	test("gives the same open key again, and it signs", () => {
		const { ring } = openRing();
		const identity = seal("a");
		const opened = ring.open(identity);
		expect(ring.open(identity)).toBe(opened);
		expect(opened.rsa.verify(text, opened.rsa.sign(text))).toBe(true);
	});

	test("frees the key that was used longest ago when too many are open", () => {
		const { ring } = openRing(2);
		const [a, b, c] = ["a", "b", "c"].map(seal);
		if (!a || !b || !c) throw new Error("no identities");
		const first = ring.open(a);
		const second = ring.open(b);
		ring.open(a);
		ring.open(c);
		expect(ring.size()).toBe(2);
		expect(() => second.rsa.sign(text)).toThrow(FreedKeyError);
		expect(first.rsa.sign(text).length).toBe(256);
		expect(ring.open(b).rsa.sign(text).length).toBe(256);
	});

	test("frees a key whose certificate goes, and no other", () => {
		const { ring } = openRing();
		const [a, b] = [seal("a"), seal("b")];
		const [first, second] = [ring.open(a), ring.open(b)];
		ring.forget(a);
		ring.forget({ tenantId: "c", thumbprint: a.thumbprint });
		expect(() => first.rsa.sign(text)).toThrow(FreedKeyError);
		expect(second.rsa.sign(text).length).toBe(256);
		expect(ring.size()).toBe(1);
	});

	test("frees a key that was not used for ten minutes", () => {
		const { ring, clock } = openRing();
		const [a, b] = [seal("a"), seal("b")];
		const first = ring.open(a);
		clock.nowMs = 9 * 60_000;
		const second = ring.open(b);
		ring.sweep();
		expect(ring.size()).toBe(2);
		clock.nowMs = 10 * 60_000 + 1;
		ring.sweep();
		expect(() => first.rsa.sign(text)).toThrow(FreedKeyError);
		expect(second.rsa.sign(text).length).toBe(256);
	});

	test("keeps nothing of a key that the engine refuses", () => {
		const ring = createKeyRing({ envelope, engine: bunEngine });
		const sealedKey = envelope.seal(new Uint8Array(100), `signing-key|a|${seal("a").thumbprint}`);
		expect(() => ring.open({ ...seal("a"), sealedKey })).toThrow();
		expect(ring.size()).toBe(0);
	});
});
