import { describe, expect, test } from "bun:test";
import { digestOfRecoveryCode, makeRecoveryCodes } from "../../../src/identity/users/recovery-codes";
import { checkTotp, codeAt, fromBase32, makeTotpSecret, toBase32, toTotpUri } from "../../../src/identity/users/totp";

/** Source: RFC 6238, appendix B: the last six of its eight digits. */
const SECRET = Buffer.from("12345678901234567890");
const VECTORS: [number, string][] = [
	[59, "287082"],
	[1_111_111_109, "081804"],
	[1_111_111_111, "050471"],
	[1_234_567_890, "005924"],
	[2_000_000_000, "279037"],
	[20_000_000_000, "353130"],
];

describe("a code of an authenticator app", () => {
	test.each(VECTORS)("at second %d is %s", (seconds, code) => {
		expect(codeAt(SECRET, Math.floor(seconds / 30))).toBe(code);
		expect(checkTotp(SECRET, code, seconds * 1_000)).toBe(Math.floor(seconds / 30));
		expect(checkTotp(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)}`, seconds * 1_000)).toBeDefined();
	});

	test("is accepted one step early and one step late", () => {
		const code = codeAt(SECRET, 100);
		const accepted = [98, 99, 100, 101, 102].map((step) => checkTotp(SECRET, code, step * 30_000));
		expect(accepted).toEqual([undefined, 100, 100, 100, undefined]);
	});

	test("works once", () => {
		expect(checkTotp(SECRET, codeAt(SECRET, 100), 3_000_000, 100)).toBeUndefined();
		expect(checkTotp(SECRET, codeAt(SECRET, 99), 3_000_000, 100)).toBeUndefined();
		expect(checkTotp(SECRET, codeAt(SECRET, 101), 3_000_000, 100)).toBe(101);
	});

	test.each(["", "28708", "2870822", "28708a", "٢٨٧٠٨٢"])("is never %p", (code) => {
		expect(checkTotp(SECRET, code, 59_000)).toBeUndefined();
	});

	test("comes from a secret that apps read as base32", () => {
		expect(toBase32(Buffer.from("foobar"))).toBe("MZXW6YTBOI");
		expect(toBase32(SECRET)).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
		expect(fromBase32("gezd gnbv gy3t qojq gezd gnbv gy3t qojq")).toEqual(SECRET);
		expect(fromBase32("MZXW6YTBOI")?.toString()).toBe("foobar");
		expect(fromBase32("MZXW1")).toBeUndefined();
		expect(makeTotpSecret().length).toBe(20);
		expect(toTotpUri({ secret: SECRET, account: "ana@farmacia.do", issuer: "Sello (sandbox)" })).toBe(
			"otpauth://totp/Sello%20(sandbox):ana%40farmacia.do?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Sello%20(sandbox)",
		);
	});
});

describe("recovery codes", () => {
	test("are ten different ones that survive copying by hand", () => {
		const codes = makeRecoveryCodes();
		expect(new Set(codes).size).toBe(10);
		for (const code of codes) {
			expect(code).toMatch(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/);
			const careless = code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l");
			expect(digestOfRecoveryCode(careless)).toEqual(digestOfRecoveryCode(code) as Buffer);
		}
	});

	test("are not other texts", () => {
		expect(digestOfRecoveryCode("")).toBeUndefined();
		expect(digestOfRecoveryCode("UUUU-UUUU-UUUU-UUUU")).toBeUndefined();
		expect(digestOfRecoveryCode("0000-0000-0000-000")).toBeUndefined();
	});
});
