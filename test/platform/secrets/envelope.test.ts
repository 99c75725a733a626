import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { createEnvelope, SealedSecretError } from "../../../src/platform/secrets";

const kek = randomBytes(32);
const envelope = createEnvelope(kek);
const CONTEXT = "signing-key|tenant|certificate";
const secret = Buffer.from("the private key of a company");
const opens = (sealed: Uint8Array, context = CONTEXT, by = envelope) => {
	try {
		by.open(sealed, context);
		return true;
	} catch (error) {
		if (!(error instanceof SealedSecretError)) throw error;
		return false;
	}
};

test("what is sealed opens for the same place, whatever its bytes", () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.string(), (bytes, context) => {
			const sealed = envelope.seal(bytes, context);
			expect(envelope.open(sealed, context).equals(bytes)).toBe(true);
		}),
	);
});

test("the secret is not to be read in what is sealed, and no two sealings are alike", () => {
	const sealed = Buffer.from(envelope.seal(secret, CONTEXT));
	expect(sealed.includes(secret)).toBe(false);
	expect(sealed.includes(kek)).toBe(false);
	expect(sealed.equals(envelope.seal(secret, CONTEXT))).toBe(false);
});

test("another place does not open it: a row copied to another tenant is worth nothing", () => {
	const sealed = envelope.seal(secret, "webhook-secret|tenant-1|endpoint-1");
	for (const context of [
		"webhook-secret|tenant-2|endpoint-1",
		"webhook-secret|tenant-1|endpoint-",
		"",
		"WEBHOOK-SECRET|tenant-1|endpoint-1",
	]) {
		expect([context, opens(sealed, context)]).toEqual([context, false]);
	}
});

test("another key does not open it", () => {
	expect(opens(envelope.seal(secret, CONTEXT), CONTEXT, createEnvelope(randomBytes(32)))).toBe(false);
	// A key that differs in one bit only.
	const near = Buffer.from(kek);
	near.writeUInt8(near.readUInt8(31) ^ 1, 31);
	expect(opens(envelope.seal(secret, CONTEXT), CONTEXT, createEnvelope(near))).toBe(false);
});

test("every flipped bit of every byte is noticed", () => {
	const sealed = envelope.seal(secret, CONTEXT);
	for (let at = 0; at < sealed.length; at++)
		for (let bit = 0; bit < 8; bit++) {
			const changed = Buffer.from(sealed);
			changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at);
			expect([at, bit, opens(changed)]).toEqual([at, bit, false]);
		}
});

test("every cut, added or exchanged part is noticed", () => {
	const [sealed, other] = [envelope.seal(secret, CONTEXT), envelope.seal(secret, CONTEXT)];
	for (let length = 0; length < sealed.length; length++)
		expect([length, opens(sealed.slice(0, length))]).toEqual([length, false]);
	expect(opens(Buffer.concat([sealed, Buffer.from([0])]))).toBe(false);
	// The data key of one sealing with the secret of another.
	for (const at of [9, 21, 69, 81]) expect(opens(Buffer.concat([sealed.slice(0, at), other.slice(at)]))).toBe(at === 9);
});

test("a sealed secret opens also as a view into a larger buffer", () => {
	const sealed = envelope.seal(secret, CONTEXT);
	const larger = Buffer.concat([randomBytes(7), sealed, randomBytes(9)]);
	expect(
		envelope.open(new Uint8Array(larger.buffer, larger.byteOffset + 7, sealed.length), CONTEXT).equals(secret),
	).toBe(true);
});

test("the error names the place and never the secret", () => {
	const sealed = envelope.seal(secret, CONTEXT);
	expect(() => envelope.open(sealed, "elsewhere")).toThrow("does not open for elsewhere: check KEK_FILE");
});

test("a key of another length is refused at once", () => {
	for (const length of [0, 16, 31, 33, 64]) expect(() => createEnvelope(randomBytes(length))).toThrow(RangeError);
});
