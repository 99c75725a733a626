import { expect, test } from "bun:test";
import { checkEmailRequest } from "../../../src/invoicing/email/email";
import { Problem } from "../../../src/platform/problem";

function faultsOf(value: unknown): string[] {
	try {
		checkEmailRequest(value);
		return [];
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		return error.faults.map(({ pointer, code }) => `${pointer} ${code}`).sort();
	}
}

const addresses = (count: number, at = "client.example") => Array.from({ length: count }, (_, n) => `a${n}@${at}`);

test("one recipient is enough, and ten are the most", () => {
	expect(faultsOf({ to: ["compras@cliente.do"] })).toEqual([]);
	expect(faultsOf({ to: addresses(1), cc: addresses(9, "other.example"), subject: null, attach: [] })).toEqual([]);
	expect(faultsOf({ to: addresses(2), cc: addresses(9, "other.example") })).toEqual(["/cc too-many"]);
	expect(faultsOf({ to: addresses(10_000) })).toEqual(["/to too-many"]);
	expect(faultsOf({ to: [] })).toEqual(["/to too-few"]);
});

test("all violations are reported at once", () => {
	const faults = faultsOf({
		to: ["ana@client.example", "Ana <ana@client.example>", "ANA@client.example"],
		cc: ["ana@client.example", "root@localhost"],
		subject: "Hola\r\nBcc: eva@evil.example",
		message: "x".repeat(4_001),
		attach: ["pdf", "exe"],
		locale: "fr",
		bcc: ["eva@evil.example"],
	});
	expect(faults).toEqual([
		"/attach/1 not-in-list",
		"/bcc unknown-field",
		"/cc/0 repeated",
		"/cc/1 invalid-email",
		"/locale not-in-list",
		"/message too-long",
		"/subject invalid-subject",
		"/to/1 invalid-email",
		"/to/2 repeated",
	]);
});

test.each([
	...["", "ana", "ana@client", "ana@client.example\r\nBcc: eva@evil.example", "ana@client.example, eva@evil.example"],
	...["<ana@client.example>", '"ana"@client.example', "ana@[127.0.0.1]", "ana@127.0.0.1", "ana@client.example\u0000"],
	...["ana@clïent.example", `${"a".repeat(65)}@client.example`, "a@b..example", "a@-b.example", "ana@client.example ."],
])("%j is no address", (address) => {
	expect(faultsOf({ to: [address] })).toContain("/to/0 invalid-email");
});

test("a subject is one line, whatever ends a line", () => {
	for (const end of ["\r", "\n", "\u0085", "\u2028", "\u2029", "\u0000", "\u001b"])
		expect(faultsOf({ to: ["a@client.example"], subject: `Hola${end}x` })).toContain("/subject invalid-subject");
	expect(faultsOf({ to: ["a@client.example"], subject: "" })).toEqual(["/subject too-short"]);
});
