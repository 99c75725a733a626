import { afterAll, beforeAll, beforeEach, expect, mock, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	isAboutThisMail,
	isMailAddress,
	isRelayRefused,
	MAIL_BYTES_MAX,
	type MailMessage,
	MailRefusedError,
	openMailTransport,
	openNowhere,
	sendMail,
	toHeaderText,
} from "../../../src/platform/mail";
import { isThisMachine } from "../../../src/platform/mail/transport";
import { type SmtpReceiver, startSmtpReceiver } from "../../support/smtp-receiver";

const from = "no-reply@sello.example";
const message: MailMessage = {
	id: "mail-1",
	to: "ana@client.example",
	subject: "Facturación: é",
	text: "Hola\n.\nadiós",
};

let receiver: SmtpReceiver;
let directory: string;
beforeAll(async () => {
	receiver = await startSmtpReceiver();
	directory = mkdtempSync(join(tmpdir(), "sello-mail-"));
});
beforeEach(() => {
	receiver.mails.length = 0;
	receiver.answerWith = () => undefined;
});
afterAll(async () => {
	await receiver.stop();
	rmSync(directory, { recursive: true });
});

const bySmtp = () => openMailTransport({ smtpUrl: receiver.url, directory, from });
const errorOf = (work: Promise<unknown>) =>
	work.then(
		() => undefined,
		(error: unknown) => error,
	);

test("an SMTP server gets the mail with a stable Message-ID", async () => {
	const attachments = [
		{ fileName: "e-CF.xml", contentType: "application/xml", bytes: new TextEncoder().encode("<a/>") },
	];
	const sent = await sendMail(bySmtp(), { ...message, html: "<p>Hola</p>", attachments });
	expect(sent).toEqual({ messageId: "<mail-1@sello.example>" });
	const [mail] = receiver.mails;
	expect(mail).toMatchObject({ from, to: "ana@client.example" });
	expect(mail?.message).toContain("Message-ID: <mail-1@sello.example>");
	expect(mail?.message).toContain("Auto-Submitted: auto-generated");
	expect(mail?.message).toContain("Subject: =?UTF-8?Q?Facturaci=C3=B3n=3A_=C3=A9?=");
	expect(mail?.message).toMatch(/filename=e-CF\.xml/);
	expect(mail?.message).toContain(Buffer.from("<a/>").toString("base64"));
});

test("shown recipients stand in the header, the envelope has one", async () => {
	const shown = { to: ["ana@client.example", "eva@client.example"], cc: ["luz@client.example"] };
	await sendMail(bySmtp(), { ...message, shown, fromName: 'Ñandú "SRL", <x>', replyTo: "ventas@progreso.example" });
	const [mail] = receiver.mails;
	expect(mail).toMatchObject({ from, to: "ana@client.example" });
	const head = mail?.message.slice(0, mail.message.indexOf("\r\n\r\n")).replace(/\r\n\s+/g, " ") ?? "";
	expect(head).toContain("To: ana@client.example, eva@client.example");
	expect(head).toContain("Cc: luz@client.example");
	expect(head).toContain("Reply-To: ventas@progreso.example");
	expect(head).toMatch(/^From: =\?UTF-8\?Q\?[^ ]+\?= <no-reply@sello\.example>$/m);
	expect(receiver.mails).toHaveLength(1);
});

test("the null transport checks a mail and discards it", async () => {
	const nowhere = openNowhere(from);
	expect(await sendMail(nowhere, message)).toEqual({ messageId: "<mail-1@sello.example>" });
	expect(await errorOf(sendMail(nowhere, { ...message, to: "ana" }))).toBeInstanceOf(MailRefusedError);
	expect(receiver.mails).toEqual([]);
});

test("a header text is one line without hidden characters", () => {
	expect(toHeaderText(" ACME\r\nBcc: x\u202e\u0000\u2028 SRL ")).toBe("ACME Bcc: x SRL");
	for (let length = 2; length < 12; length++) {
		const cut = toHeaderText("🦤🦤🦤🦤🦤🦤", length);
		expect(cut.length).toBeLessThanOrEqual(length);
		expect(cut.isWellFormed()).toBe(true);
	}
});

test("without a server the mail is one file named after its id", async () => {
	const transport = openMailTransport({ smtpUrl: undefined, directory, from });
	await sendMail(transport, message);
	await sendMail(transport, message);
	expect(readdirSync(directory)).toEqual(["mail-1.eml"]);
	const text = readFileSync(join(directory, "mail-1.eml"), "utf8");
	expect(text).toContain("To: ana@client.example\r\n");
	expect(text).toContain("Message-ID: <mail-1@sello.example>\r\n");
});

test("a mail that could not become a file leaves none behind", async () => {
	const place = mkdtempSync(join(tmpdir(), "sello-mail-"));
	mkdirSync(join(place, "mail-1.eml"));
	const failed = errorOf(sendMail(openMailTransport({ smtpUrl: undefined, directory: place, from }), message));
	expect(await failed).toBeInstanceOf(Error);
	expect(readdirSync(place)).toEqual(["mail-1.eml"]);
	rmSync(place, { recursive: true });
});

test("closing a transport whose library could not be opened does not try again", async () => {
	const library = { ...(await import("nodemailer")) };
	const createTransport = mock(() => {
		throw new Error("no library");
	});
	mock.module("nodemailer", () => ({ ...library, createTransport }));
	try {
		const transport = openMailTransport({ smtpUrl: undefined, directory, from });
		expect(await errorOf(sendMail(transport, message))).toEqual(new Error("no library"));
		transport.close();
		await Bun.sleep(1);
		expect(createTransport).toHaveBeenCalledTimes(1);
	} finally {
		mock.module("nodemailer", () => library);
	}
});

test("a permanent refusal is distinguished from a temporary failure", async () => {
	receiver.answerWith = (command) => (command === "RCPT" ? "550 no such user" : undefined);
	expect(await errorOf(sendMail(bySmtp(), message))).toBeInstanceOf(MailRefusedError);
	receiver.answerWith = (command) => (command === "RCPT" ? "450 later" : undefined);
	const later = await errorOf(sendMail(bySmtp(), message));
	expect(later).toBeInstanceOf(Error);
	expect(later).not.toBeInstanceOf(MailRefusedError);
	receiver.answerWith = (command) => (command === "MAIL" ? "550 sender not allowed" : undefined);
	expect(await errorOf(sendMail(bySmtp(), message))).not.toBeInstanceOf(MailRefusedError);
	receiver.answerWith = (command) => (command === "." ? "hang-up" : undefined);
	expect(await errorOf(sendMail(bySmtp(), message))).not.toBeInstanceOf(MailRefusedError);
});

test("a silent server is waited for, and the mail may be sent again", async () => {
	receiver.answerWith = (command) => (command === "." ? "silence" : undefined);
	const patient = openMailTransport({ smtpUrl: receiver.url, directory, from }, 300);
	const begunAt = performance.now();
	const error = await errorOf(sendMail(patient, message));
	expect(performance.now() - begunAt).toBeGreaterThanOrEqual(290);
	expect(error).toBeInstanceOf(Error);
	expect(isAboutThisMail(error)).toBe(false);
});

test("a server has ten minutes to accept a mail", async () => {
	const waits = spyOn(Socket.prototype, "setTimeout");
	try {
		await sendMail(bySmtp(), message);
		// Before its greeting a server has less.
		const reportedMs = waits.mock.calls.map(([ms]) => ms).filter((ms) => ms > 0);
		expect(reportedMs.at(-1)).toBe(600_000);
	} finally {
		waits.mockRestore();
	}
});

test.each([
	["RCPT", "530 5.7.0 Authentication required"],
	["RCPT", "421 4.3.2 Service shutting down"],
	["DATA", "530 5.7.0 Must issue a STARTTLS command first"],
	[".", "421 4.4.2 Closing"],
])("an answer %s about the server or our login (%s) does not refuse the mail", async (on, line) => {
	receiver.answerWith = (command) => (command === on ? line : undefined);
	const failure = await errorOf(sendMail(bySmtp(), message));
	expect(failure).toBeInstanceOf(Error);
	expect(isAboutThisMail(failure)).toBe(false);
});

test.each([
	["554 5.7.1 <ana@client.example>: Relay access denied", true],
	["550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", true],
	["550 5.1.1 <ana@relay.example>: Recipient address rejected", false],
	["550 5.1.1 relay@client.example: no such user", false],
])("a server that says %s of a recipient does not pass mail on for us: %p", async (line, isRelay) => {
	receiver.answerWith = (command) => (command === "RCPT" ? line : undefined);
	const failure = await errorOf(sendMail(bySmtp(), message));
	// Others may get theirs; this one is not given up where it is ours to mend.
	expect(isAboutThisMail(failure)).toBe(true);
	expect(failure instanceof MailRefusedError).toBe(!isRelay);
	expect(isRelayRefused(failure)).toBe(isRelay);
});

test.each([
	["another recipient behind a line end", { to: "ana@client.example\r\nBcc: eve@evil.example" }],
	["two recipients", { to: "ana@client.example, eve@evil.example" }],
	["a display name", { to: "Ana <ana@client.example>" }],
	["a header behind the subject", { subject: "Hola\r\nBcc: eve@evil.example" }],
	["a subject of 251 characters", { subject: "😀".repeat(251) }],
	["a header behind the sender's name", { fromName: "ACME\r\nBcc: eve@evil.example" }],
	["a header behind the address for answers", { replyTo: "ana@client.example\r\nBcc: eve@evil.example" }],
	["a malformed address in the header", { shown: { to: ["ana@client.example"], cc: ["x\r\ny"] } }],
	["an id that is a path", { id: "." }],
	["more bytes than the limit", { text: "x".repeat(MAIL_BYTES_MAX + 1) }],
	[
		"a 21st attachment",
		{ attachments: Array(21).fill({ fileName: "a", contentType: "text/plain", bytes: new Uint8Array() }) },
	],
])("%s is refused before anything is sent", async (_, over) => {
	expect(await errorOf(sendMail(bySmtp(), { ...message, ...over }))).toBeInstanceOf(MailRefusedError);
	expect(receiver.mails).toEqual([]);
});

test("a subject's length is counted in characters", async () => {
	await sendMail(bySmtp(), { ...message, subject: "😀".repeat(250) });
	expect(receiver.mails).toHaveLength(1);
});

test("only loopback addresses may get a password in clear", () => {
	for (const host of ["localhost", "127.0.0.1", "127.8.9.10", "::1"])
		expect([host, isThisMachine(host)]).toEqual([host, true]);
	for (const host of ["127.example.com", "127.0.0.1.example.com", "mail.example.com", "10.0.0.1", "::2", ""]) {
		expect([host, isThisMachine(host)]).toEqual([host, false]);
	}
});

test("addresses are plain ones", () => {
	for (const good of ["a@b", "ana.maria+sello@cliente.com.do", "x_y@sub.domain.example"])
		expect(isMailAddress(good)).toBe(true);
	for (const bad of [
		"",
		"ana",
		"@b",
		"a@",
		"a@b..c",
		"a b@c",
		"<a@b>",
		"a@b\n",
		`${"a".repeat(65)}@b`,
		"a@[127.0.0.1]",
	]) {
		expect({ bad, is: isMailAddress(bad) }).toEqual({ bad, is: false });
	}
});
