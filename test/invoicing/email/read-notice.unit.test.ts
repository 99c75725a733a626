import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readMessageId, readNotice } from "../../../src/invoicing/email/read-notice";
import { complaint, statusNotice } from "./support/notices";

const id = "0192f131-7a00-7b11-9c22-334455667788";
const other = "0192f131-7a00-7b11-9c22-000000000000";
const read = (text: string) => readNotice(Buffer.from(text, "latin1"));

test("a failed delivery is a bounce with the server's answer", () => {
	expect(read(statusNotice({ id }))).toEqual({
		recipientId: id,
		status: "bounced",
		reason: "5.1.1 smtp; 550 5.1.1 <ana@client.example>: no such user",
	});
});

test("the envelope id takes precedence over the returned message", () => {
	expect(read(statusNotice({ id: other, envelopeId: id }))?.recipientId).toBe(id);
	expect(read(statusNotice({ id: other, envelopeId: id, returned: false }))?.recipientId).toBe(id);
});

test("a delivery is recognised; delay, relay and expansion are ignored", () => {
	expect(read(statusNotice({ id, action: "delivered" }))).toEqual({
		recipientId: id,
		status: "delivered",
		reason: null,
	});
	for (const action of ["delayed", "relayed", "expanded", ""])
		expect(read(statusNotice({ id, action }))).toBeUndefined();
});

test("of the recipients behind an address the worst counts", () => {
	const two = statusNotice({ id, action: "delivered" }).replace(
		"Status: 5.1.1",
		"Status: 2.0.0\r\n\r\nFinal-Recipient: rfc822; eva@client.example\r\nAction: failed\r\nStatus: 5.2.2",
	);
	expect(read(two)?.status).toBe("bounced");
});

test("a complaint is recognised, and a not-spam report is none", () => {
	expect(read(complaint(id))).toEqual({ recipientId: id, status: "complained", reason: "abuse" });
	expect(read(complaint(id, "not-spam"))).toBeUndefined();
});

test("content that was encoded for its way is read", () => {
	const encode = (text: string) => Buffer.from(text, "latin1").toString("base64");
	const status = "Reporting-MTA: dns; mx\r\n\r\nAction: failed\r\nStatus: 5.0.0\r\n";
	const text = [
		"Content-Type: Multipart/Report; boundary=b",
		"",
		"--b",
		"Content-Type: message/delivery-status",
		"Content-Transfer-Encoding: base64",
		"",
		encode(status),
		"--b",
		"Content-Type: text/rfc822-headers",
		"Content-Transfer-Encoding: quoted-printable",
		"",
		`Message-ID: <0192f131-7a00-7b11-9c22-=\n334455667788=40sello.example>`,
		"--b--",
	].join("\n");
	expect(read(text)).toEqual({ recipientId: id, status: "bounced", reason: "5.0.0" });
});

describe("what is no notice", () => {
	const notice = statusNotice({ id });
	test.each([
		["nothing", ""],
		["a holiday", "Subject: Out of office\r\n\r\nBack on Monday"],
		["a notice about other mail", statusNotice({ id: "1234" })],
		["an id in the text alone", statusNotice({ id, returned: false })],
		[
			"a report that was forwarded inside a mail",
			`Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n${notice}\r\n--x--`,
		],
		["a report without its boundary", notice.replace('boundary="mx/1.2"', "charset=utf-8")],
		[
			"a hundred thousand empty parts",
			`Content-Type: multipart/report; boundary=x\r\n\r\n${"--x\r\n\r\n".repeat(100_000)}`,
		],
	])("%s", (_, text) => {
		expect(read(text)).toBeUndefined();
	});
});

test("whatever comes, it is read or it is not, and never an error", () => {
	const word = fc.constantFrom(
		...["\r\n", "\n\n", "--b", "--b--", "Content-Type: multipart/report; boundary=b", ":", "=", "Action: failed"],
		...["Content-Type: message/delivery-status", "Message-ID: <x@y>", "Content-Transfer-Encoding: base64", "\u0000ÿ"],
	);
	fc.assert(
		fc.property(fc.oneof(fc.array(word), fc.uint8Array()), (made) => {
			const bytes = made instanceof Uint8Array ? made : Buffer.from(made.join("\n"), "latin1");
			expect(readNotice(bytes)).toBeUndefined();
		}),
		{ numRuns: 300 },
	);
});

test("a Message-ID is ours by its form alone, with brackets or without", () => {
	expect(readMessageId(`<${id}@sello.example>`)).toBe(id);
	expect(readMessageId(` ${id.toUpperCase()}@sello.example `)).toBe(id);
	for (const text of ["", id, `<${id}>`, `<x${id}@a>`, `<${id}@a@b>`, `<${id}@a> <${other}@a>`])
		expect({ text, id: readMessageId(text) }).toEqual({ text, id: undefined });
});
