import { expect, test } from "bun:test";
import fc from "fast-check";
import { fromBase64, fromHex, isSameBytes, joinBytes, toBase64, toHex } from "../../../src/platform/values";

const bytes = fc.uint8Array({ maxLength: 20_000 });

test("bytes are spelt as the runtime spells them, and read back", () => {
	fc.assert(
		fc.property(bytes, (some) => {
			expect(toBase64(some)).toBe(Buffer.from(some).toString("base64"));
			expect(toHex(some)).toBe(Buffer.from(some).toString("hex"));
			expect(isSameBytes(fromBase64(toBase64(some)) ?? new Uint8Array(1), some)).toBe(true);
			expect(isSameBytes(fromHex(toHex(some)) ?? new Uint8Array(1), some)).toBe(true);
		}),
		{ numRuns: 50 },
	);
});

test("joined bytes are those of the parts, and equal to no others", () => {
	fc.assert(
		fc.property(bytes, bytes, (one, other) => {
			const whole = joinBytes(one, other);
			expect(Buffer.from(whole).equals(Buffer.concat([one, other]))).toBe(true);
			expect(isSameBytes(whole, joinBytes(whole, Uint8Array.of(0)))).toBe(false);
		}),
		{ numRuns: 50 },
	);
});

test("any text is base64 in the one spelling of its bytes, or nothing", () => {
	for (const text of ["A", "A=", "A===", "=", "====", "AA", "AB==", "AAB=", "AA==AA==", " AAAA", "AA A", "AA-_", "ñ"]) {
		expect({ text, bytes: fromBase64(text) }).toEqual({ text, bytes: undefined });
	}
	for (const text of ["0", "0g", "0x", "ñ0"])
		expect({ text, bytes: fromHex(text) }).toEqual({ text, bytes: undefined });
	fc.assert(
		fc.property(
			fc.string(),
			(text) => fromBase64(text) === undefined || Buffer.from(text, "base64").toString("base64") === text,
		),
	);
});
