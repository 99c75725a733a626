import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deriveKey, readKek, readOrMakeKek } from "../../../src/platform/secrets";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "sello-kek-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a missing key is made, for the owner's eyes only, in a folder that is made too", () => {
	const path = join(folder, "new/deep/kek");
	const kek = readOrMakeKek(path);
	expect(kek.length).toBe(32);
	expect(statSync(path).mode & 0o777).toBe(0o600);
	expect(readKek(path).equals(kek)).toBe(true);
});

test("a key that is there is read and never written over", () => {
	const path = join(folder, "kek");
	const first = readOrMakeKek(path);
	const bytes = readFileSync(path);
	for (let i = 0; i < 5; i++) expect(readOrMakeKek(path).equals(first)).toBe(true);
	expect(readFileSync(path).equals(bytes)).toBe(true);
});

test("a file that holds something else is refused by name and left as it is", () => {
	for (const [name, text] of [
		["short", Buffer.alloc(16).toString("base64")],
		["long", Buffer.alloc(33).toString("base64")],
		["empty", ""],
	] as const) {
		const path = join(folder, name);
		writeFileSync(path, text);
		expect(() => readKek(path)).toThrow(`expected ${path} to hold 32 bytes in base64`);
		expect(() => readOrMakeKek(path)).toThrow(`expected ${path} to hold 32 bytes in base64`);
		expect(readFileSync(path, "utf8")).toBe(text);
	}
});

test("a missing key is not created on reading", () => {
	const path = join(folder, "nowhere");
	expect(() => readKek(path)).toThrow("ENOENT");
	expect(() => statSync(path)).toThrow("ENOENT");
});

test("derived keys depend on the key and the purpose alone", () => {
	const [kek, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
	const key = deriveKey(kek, "tombstones");
	expect(key.length).toBe(32);
	expect(deriveKey(kek, "tombstones").equals(key)).toBe(true);
	expect(deriveKey(kek, "cursors").equals(key)).toBe(false);
	expect(deriveKey(other, "tombstones").equals(key)).toBe(false);
	expect(key.equals(kek)).toBe(false);
});
