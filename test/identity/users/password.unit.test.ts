import { describe, expect, test } from "bun:test";
import { findWeakness, hashPassword, verifyPassword } from "../../../src/identity/users/password";

const OWNER = { email: "ana.perez@farmacia.do", companyNames: ["FARMACIA CENTRAL, S.R.L.", "ABC SA"] };
const weaknessOf = (text: string) => findWeakness(text, OWNER)?.toString();

describe("a new password", () => {
	test("of twelve to 256 characters is strong enough", () => {
		expect(weaknessOf("caballo pila")).toBeUndefined();
		expect(weaknessOf("ñandú ".repeat(42))).toBeUndefined();
		expect(weaknessOf("🐴🔋🧷🌊🌴🐟🍍🥭🛶🎣🎲🎷")).toBeUndefined();
	});

	test.each([
		["caballo pil", "at least 12 characters"],
		["🐴🔋🧷🌊🌴🐟🍍🥭🛶🎣🎲", "at least 12 characters"],
		["caballo pila ".repeat(20), "at most 256 characters"],
		["abcdabcdabcdabcd", "at least 5 different"],
		["xx Ana-Pérez 2026", "e-mail address"],
		["LaFarmaciaCentral!", "name of your company"],
	])("is refused: %p", (text, reason) => {
		expect(weaknessOf(text)).toContain(reason);
	});

	test("may contain a name that is too short to be one", () => {
		expect(weaknessOf("abc caballo pila")).toBeUndefined();
	});
});

describe("a password's hash", () => {
	test("fits its password alone, in any spelling of its letters", async () => {
		const hash = await hashPassword("contraseña larga");
		expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
		expect(await verifyPassword("contraseña larga".normalize("NFD"), hash)).toBe(true);
		expect(await verifyPassword("contrasena larga", hash)).toBe(false);
		expect(await verifyPassword("", hash)).toBe(false);
		expect(await verifyPassword("x".repeat(100_000), hash)).toBe(false);
	});

	test("is never matched where there is none", async () => {
		expect(await verifyPassword("contraseña larga", undefined)).toBe(false);
		expect(await verifyPassword("-", undefined)).toBe(false);
	});

	test("is refused while fifty others wait", async () => {
		const calls = Array.from({ length: 60 }, () => verifyPassword("contraseña larga", "$argon2id$v=19$m=8,t=1,p=1$"));
		const results = await Promise.allSettled(calls);
		const refused = results.filter(
			(one) => one.status === "rejected" && String(one.reason).includes("service-unavailable"),
		);
		expect(refused.length).toBe(6);
	});
});
