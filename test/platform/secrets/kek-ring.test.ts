import { afterAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEnvelope, nextKekFile, rewrap, SealedSecretError } from "../../../src/platform/secrets";

const folder = mkdtempSync(join(tmpdir(), "sello-test-ring-"));
afterAll(() => rmSync(folder, { recursive: true }));

const PLACE = "webhook-secret|tenant|endpoint";
const secret = Buffer.from("whsec_of_a_company");
const write = (name: string, kek: Uint8Array) => {
	writeFileSync(join(folder, name), `${Buffer.from(kek).toString("base64")}\n`);
	return join(folder, name);
};

test("rewrapping keeps the secret's bytes and needs the new key", () => {
	const [from, to, third] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
	const sealed = Buffer.from(createEnvelope(from).seal(secret, PLACE));
	const anew = rewrap(sealed, PLACE, from, to);
	expect(anew?.subarray(69).equals(sealed.subarray(69))).toBe(true);
	expect(
		createEnvelope(to)
			.open(anew ?? secret, PLACE)
			.equals(secret),
	).toBe(true);
	expect(() => createEnvelope(from).open(anew ?? secret, PLACE)).toThrow(SealedSecretError);
	expect(rewrap(anew ?? secret, PLACE, from, to)).toBeUndefined();
	expect(() => rewrap(sealed, PLACE, third, to)).toThrow(SealedSecretError);
	expect(() => rewrap(sealed, "webhook-secret|other|endpoint", from, to)).toThrow(SealedSecretError);
	expect(() => rewrap(anew ?? secret, "webhook-secret|other|endpoint", from, to)).toThrow(SealedSecretError);
});

test("a process goes on through a change of keys, whenever it looks", () => {
	const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
	const file = write("kek", first);
	const [awake, asleep] = [createEnvelope({ file }), createEnvelope({ file })];
	const before = awake.seal(secret, PLACE);

	write("kek.next", second);
	const between = awake.seal(secret, PLACE);
	expect(createEnvelope(second).open(between, PLACE).equals(secret)).toBe(true);
	expect(asleep.open(between, PLACE).equals(secret)).toBe(true);

	renameSync(nextKekFile(file), file);
	write("kek", third);
	// It has seen neither file since, and knows its first key still.
	for (const envelope of [awake, asleep])
		for (const sealed of [before, between, createEnvelope(third).seal(secret, PLACE)])
			expect(envelope.open(sealed, PLACE).equals(secret)).toBe(true);
	expect(createEnvelope(third).open(asleep.seal(secret, PLACE), PLACE).equals(secret)).toBe(true);

	rmSync(file);
	expect(createEnvelope(third).open(asleep.seal(secret, PLACE), PLACE).equals(secret)).toBe(true);
});

test("a file without a key is reported and not ignored", () => {
	const file = write("other", randomBytes(32));
	const envelope = createEnvelope({ file });
	writeFileSync(nextKekFile(file), "half a k");
	expect(() => envelope.seal(secret, PLACE)).toThrow("32 bytes in base64");
});
