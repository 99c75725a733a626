import { expect, test } from "bun:test";
import fc from "fast-check";
import { isApiKey, makeApiKey, prefixOf } from "../../../src/identity/auth/api-key";
import { DEMO_KEY } from "../../../src/identity/auth/demo";
import { ENVIRONMENTS } from "../../../src/platform/values";

const environments = fc.constantFrom(...ENVIRONMENTS);

test("a key that was made has the form, in its own environment and in no other", () => {
	fc.assert(
		fc.property(environments, environments, (environment, other) => {
			const key = makeApiKey(environment);
			expect(key).toMatch(/^ak_(live|stg|test|demo)_[0-9A-Za-z]{22}_[0-9A-Za-z]{6}$/);
			expect(isApiKey(key, environment)).toBe(true);
			expect(isApiKey(key, other)).toBe(other === environment);
		}),
	);
});

test("a key with one character mistyped is recognised by its checksum", () => {
	const digit = fc.constantFrom(..."0123456789ABCXYZabcxyz_- ");
	fc.assert(
		fc.property(environments, fc.nat(35), digit, (environment, at, character) => {
			const key = makeApiKey(environment);
			const mistyped = key.slice(0, at) + character + key.slice(at + 1);
			expect(isApiKey(mistyped, environment)).toBe(mistyped === key);
		}),
	);
});

test("two neighbouring characters exchanged are recognised", () => {
	fc.assert(
		fc.property(fc.integer({ min: 8, max: 28 }), (at) => {
			const key = makeApiKey("sandbox");
			const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
			expect(isApiKey(swapped, "sandbox")).toBe(swapped === key);
		}),
	);
});

test("text that is no key is refused whatever it holds", () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 100 }), environments, (text, e) => expect(isApiKey(text, e)).toBe(false)),
	);
	const key = makeApiKey("sandbox");
	for (const text of [`${key}\n`, ` ${key}`, `${key}, ${key}`, key.toUpperCase(), DEMO_KEY]) {
		expect(isApiKey(text, "sandbox")).toBe(false);
	}
});

test("the prefix shows four of the random characters", () => {
	expect(prefixOf("ak_live_7Hq2abcdefghijklmnopqr_000000")).toBe("ak_live_7Hq2");
	expect(prefixOf("ak_stg_7Hq2abcdefghijklmnopqr_000000")).toBe("ak_stg_7Hq2");
});

test("keys do not repeat and use every digit about as often", () => {
	const keys = new Set(Array.from({ length: 2_000 }, () => makeApiKey("production")));
	expect(keys.size).toBe(2_000);
	const counts = new Map<string, number>();
	for (const key of keys) for (const c of key.slice(8, 30)) counts.set(c, (counts.get(c) ?? 0) + 1);
	expect(counts.size).toBe(62);
	const expected = (2_000 * 22) / 62;
	for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.3);
});
