import { expect, test } from "bun:test";
import { readIdempotencyKey } from "../../../src/platform/idempotency";
import { Problem } from "../../../src/platform/problem";

const KEY = "9f1b2c3d-4e5f-4a6b-8c7d-0123456789ab";
const withKeys = (...keys: string[]) =>
	new Request("http://sello.test/", { headers: keys.map((key): [string, string] => ["Idempotency-Key", key]) });

function refusal(request: Request, need: "required" | "optional" = "required") {
	try {
		return need === "required" ? readIdempotencyKey(request, need) : readIdempotencyKey(request, "optional");
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		return [error.slug, ...error.faults.map(({ pointer, code }) => [pointer, code])];
	}
}

test("a UUID of version 4 is a key, and capitals do not make it another one", () => {
	expect(readIdempotencyKey(withKeys(KEY), "required")).toBe(KEY);
	expect(readIdempotencyKey(withKeys(KEY.toUpperCase()), "required")).toBe(KEY);
	expect(readIdempotencyKey(withKeys(crypto.randomUUID()), "optional")).toMatch(/^[0-9a-f-]{36}$/);
});

test("a missing key is refused where it is required and absent where it is not", () => {
	expect(refusal(withKeys())).toEqual(["validation-error", ["#/headers/idempotency-key", "required"]]);
	expect(readIdempotencyKey(withKeys(), "optional")).toBeUndefined();
});

test("everything else is refused, required or not", () => {
	const invalid = ["validation-error", ["#/headers/idempotency-key", "invalid-format"]];
	for (const key of [
		"",
		"key-1",
		"00000000-0000-0000-0000-000000000000",
		"ffffffff-ffff-ffff-ffff-ffffffffffff",
		"c232ab00-9414-11ec-b3c8-9f6bdeced846",
		"5df41881-3aed-3515-88a7-2f4a814cf09e",
		"2ed6657d-e927-568b-95e1-2665a8aea6a2",
		"1ec9414c-232a-6b00-b3c8-9f6bdeced846",
		"0192f0c0-7a00-7b11-9c22-334455667788",
		"9f1b2c3d-4e5f-4a6b-cc7d-0123456789ab",
		`{${KEY}}`,
		`urn:uuid:${KEY}`,
		`"${KEY}"`,
		KEY.replaceAll("-", ""),
		KEY.slice(1),
		`${KEY}0`,
		`${KEY} ${KEY}`,
		KEY.replace("9", " "),
		KEY.replace("b", "g"),
		"a".repeat(10_000),
		`${KEY}${"-".repeat(10_000)}`,
	]) {
		expect([key.slice(0, 60), refusal(withKeys(key))]).toEqual<unknown>([key.slice(0, 60), invalid]);
		expect([key.slice(0, 60), refusal(withKeys(key), "optional")]).toEqual<unknown>([key.slice(0, 60), invalid]);
	}
});

test("two headers are no key, even when they say the same", () => {
	const invalid = ["validation-error", ["#/headers/idempotency-key", "invalid-format"]];
	expect(refusal(withKeys(KEY, KEY))).toEqual<unknown>(invalid);
	expect(refusal(withKeys(KEY, crypto.randomUUID()))).toEqual<unknown>(invalid);
});
