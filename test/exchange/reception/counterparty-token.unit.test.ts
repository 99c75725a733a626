import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { checkCounterpartyIsSigner, checkCounterpartyToken } from "../../../src/exchange/reception";
import {
	createCounterpartyToken,
	readSeedValue,
	SEED_LIFE_MS,
	writeSeed,
} from "../../../src/exchange/reception/counterparty-token";
import { makeCall } from "../../platform/operation/support/call";

const NOW = new Date("2026-11-21T12:00:00.500Z");
const after = (ms: number) => new Date(NOW.getTime() + ms);
type TokenDeps = Parameters<typeof checkCounterpartyToken>[0];

const depsAt = (now: Date, over: Partial<TokenDeps> = {}): TokenDeps => ({
	counterpartyKey: key,
	counterpartyAuthentication: "required",
	baseUrl: "https://api.example",
	clock: { now: () => now },
	...over,
});
const key = randomBytes(32);
const ask = (deps: TokenDeps, authorization?: string) =>
	checkCounterpartyToken(deps, makeCall({ headers: authorization === undefined ? {} : { authorization } })).then(
		(peer) => peer?.subject,
		(error: Error) => error.message,
	);

describe("a counterparty's token", () => {
	test("is valid for an hour, in this service only, and for its holder's documents", async () => {
		const { token } = await createCounterpartyToken(depsAt(NOW), { subject: "CN=A" });
		expect(await ask(depsAt(after(3_599_000)), `Bearer ${token}`)).toBe("CN=A");
		expect(await ask(depsAt(NOW), `bearer  ${token}`)).toBe("CN=A");
		for (const deps of [
			depsAt(after(3_601_000)),
			depsAt(NOW, { counterpartyKey: randomBytes(32) }),
			depsAt(NOW, { baseUrl: "https://other.example" }),
			depsAt(after(3_601_000), { counterpartyAuthentication: "optional" }),
		])
			expect(await ask(deps, `Bearer ${token}`)).toContain("was not issued here");
		expect(() => checkCounterpartyIsSigner({ subject: "CN=A" }, "CN=A")).not.toThrow();
		expect(() => checkCounterpartyIsSigner(undefined, "CN=A")).not.toThrow();
		expect(() => checkCounterpartyIsSigner({ subject: "CN=A" }, "CN=B")).toThrow("did not sign the document");
	});

	test("may be left out only where the directory does not declare authentication", async () => {
		expect(await ask(depsAt(NOW))).toContain("Send the token");
		expect(await ask(depsAt(NOW, { counterpartyAuthentication: "optional" }))).toBeUndefined();
	});
});

describe("a seed", () => {
	const seedOf = (xml: string) => /<valor>(.*)<\/valor>/.exec(xml)?.[1] ?? "";

	test("is recognised for five minutes with the key, in its one spelling", () => {
		const value = seedOf(writeSeed(key, NOW));
		const endsAt = after(SEED_LIFE_MS);
		expect(readSeedValue(key, value, NOW)?.endsAt).toEqual(endsAt);
		expect(readSeedValue(key, value, endsAt)).toBeUndefined();
		expect(readSeedValue(randomBytes(32), value, NOW)).toBeUndefined();
		for (const other of [`${value}=`, ` ${value}`, value.toLowerCase(), value.slice(4), ""])
			expect(readSeedValue(key, other, NOW)).toBeUndefined();
	});
});
