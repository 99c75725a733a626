/** Mails on their way: to a real SMTP server, by a dispatcher of the test's own, or by one in another process that is killed. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWake } from "../../../src/platform/outbox";
import { askForEmail, eventsOf, postNotice, untilEmail } from "../../api/support/emails";
import { readPapers } from "../../support/documents";
import { buildInvoice, createTenant, openServiceIn, postInvoice, type Tenant } from "../../support/service";
import { type SmtpReceiver, startSmtpReceiver } from "../../support/smtp-receiver";
import { until } from "../../support/until";
import { statusNotice } from "./support/notices";
import { readMail } from "./support/read-mail";
import { type MailsSetup, runMails } from "./support/run-mails";

const TIMEOUT_MS = 240_000;
const [ana, eva, luz] = ["ana@client.example", "eva@client.example", "luz@client.example"];

let service: Awaited<ReturnType<typeof openServiceIn>>;
let receiver: SmtpReceiver;
let tenant: Tenant;
let docId: string;
let encf: unknown;
let directory: string;
let stopMails: (() => Promise<void>) | undefined;

beforeAll(async () => {
	// Only the tests run messages, and no document gets a verdict.
	service = await openServiceIn("sandbox", { ROLE: "api" });
	receiver = await startSmtpReceiver();
	directory = mkdtempSync(join(tmpdir(), "sello-test-mails-"));
	tenant = await createTenant(service, { company: { email: "ventas@espiga.example" } });
	const invoice = buildInvoice(tenant);
	encf = invoice.encf;
	({ docId } = (await (await postInvoice(service, tenant, invoice)).json()) as { docId: string });
}, TIMEOUT_MS);
beforeEach(() => {
	receiver.mails.length = 0;
	receiver.answerWith = () => undefined;
});
afterEach(async () => {
	await stopMails?.();
	stopMails = undefined;
});
afterAll(async () => {
	await receiver.stop();
	await service.stop();
	rmSync(directory, { recursive: true });
}, TIMEOUT_MS);

const setup = (): MailsSetup => ({
	...{ databaseUrl: service.databaseUrl, smtpUrl: receiver.url, directory, environment: "sandbox" },
	wantsNotices: true,
});
const carryOut = (over: Partial<MailsSetup> = {}) => {
	stopMails = runMails({ ...setup(), ...over });
};
const takenBy = (address: string) => receiver.mails.filter(({ to }) => to === address);

test(
	"each recipient gets the document in a message of its own, and sees who else does",
	async () => {
		const lines: string[] = [];
		receiver.answerWith = (command, line) => {
			if (command === "MAIL" || command === "RCPT") lines.push(line);
			return command === "EHLO" ? "250-receiver.test\r\n250 DSN" : undefined;
		};
		const message = "Estimados:\n<script>alert(1)</script>\n.\nAdiós";
		const queued = await askForEmail(service, tenant, docId, { to: [ana, eva], cc: [luz], message });
		carryOut();
		const sent = await untilEmail(service, tenant, queued, "sent");
		expect(receiver.mails.map(({ to }) => to)).toEqual([ana, eva, luz]);
		const ids = sent.recipients.map(({ messageId }) => messageId);
		expect(receiver.mails.map((mail) => readMail(mail.message).header("message-id"))).toEqual(
			ids.map((id) => `<${id}@sello.example>`),
		);
		const mail = readMail(receiver.mails[0]?.message ?? "");
		expect(mail.header("to")).toBe(`${ana}, ${eva}`);
		expect(mail.header("cc")).toBe(luz);
		expect(mail.header("reply-to")).toBe("ventas@espiga.example");
		expect(mail.header("from")).toEndWith("<no-reply@sello.example>");
		expect(mail.header("from")).toContain(tenant.name.slice(0, 8));
		// As text alone, whatever it looks like.
		expect(mail.types).toEqual(["text/plain", "application/pdf", "application/xml"]);
		expect(mail.text).toStartWith(message);
		expect(mail.text).toContain(`Comprobante: Factura de Crédito Fiscal Electrónica ${encf}`);
		expect(mail.text).toContain("Consulte su validez después de 72 horas.");
		expect(mail.files.get(`${encf}.pdf`)?.subarray(0, 5).toString()).toBe("%PDF-");
		const stored = (await readPapers(service.sql, [docId])).get(docId)?.ecf;
		expect(mail.files.get(`${tenant.rnc}${encf}.xml`)?.toString()).toBe(stored ?? "");
		// The servers on the way are asked to say what became of it, by the recipient's id.
		expect(lines[0]).toContain(`ENVID=${ids[0]}`);
		expect(lines[1]).toContain("NOTIFY=SUCCESS,FAILURE");
	},
	TIMEOUT_MS,
);

test(
	"a service without mail records each recipient as skipped",
	async () => {
		const queued = await askForEmail(service, tenant, docId, { to: [ana], cc: [luz] });
		carryOut({ smtpUrl: "none" });
		const { recipients } = await untilEmail(service, tenant, queued, "skipped");
		expect(recipients.map(({ status, sentAt }) => [status, sentAt])).toEqual([
			["skipped", null],
			["skipped", null],
		]);
		expect(receiver.mails).toEqual([]);
	},
	TIMEOUT_MS,
);

test(
	"a permanently refused recipient fails with an event, the others get the mail",
	async () => {
		receiver.answerWith = (command, line) =>
			command === "RCPT" && line.includes(eva) ? "550 5.1.1 no such user\u0007" : undefined;
		const queued = await askForEmail(service, tenant, docId, { to: [ana, eva, luz], attach: [], locale: "en" });
		carryOut();
		const failed = await untilEmail(service, tenant, queued, "failed");
		expect(failed.recipients.map(({ status }) => status)).toEqual(["sent", "failed", "sent"]);
		const [, refused] = failed.recipients;
		expect(refused?.reason).toContain("550 5.1.1 no such user");
		expect(readMail(receiver.mails[0]?.message ?? "").types).toEqual(["text/plain"]);
		const events = (await eventsOf(service, tenant, "email.failed")) as { docId: string; email: object }[];
		expect(events).toHaveLength(1);
		expect(events[0]).toMatchObject({
			docId,
			encf,
			email: { emailId: queued.emailId, recipient: eva, status: "failed" },
		});
		const notice = await postNotice(service, statusNotice({ id: refused?.messageId ?? "" }));
		expect(await notice.json()).toEqual({ matched: true, changed: false });
	},
	TIMEOUT_MS,
);

test(
	"a deferred recipient is retried with the same id and fails at the deadline",
	async () => {
		receiver.answerWith = (command, line) => (command === "RCPT" && line.includes(ana) ? "450 later" : undefined);
		const queued = await askForEmail(service, tenant, docId, { to: [ana, eva], attach: ["xml"] });
		carryOut();
		const state = async () => {
			const [row] = await service.sql<{ state: string; failures: number }[]>`
				select state, failures from outbox where subject = ${queued.emailId}`;
			return row;
		};
		await until(async () => (await state())?.failures === 1, 120_000);
		const waiting = await untilEmail(service, tenant, queued, "queued");
		expect(waiting.recipients.map(({ status }) => status)).toEqual(["queued", "sent"]);
		expect(waiting.recipients[0]?.reason).toContain("450 later");
		await service.sql`
			update outbox set available_at = now(), created_at = now() - interval '13 hours' where subject = ${queued.emailId}`;
		createWake(service.sql)();
		const over = await untilEmail(service, tenant, queued, "failed");
		expect(over.recipients[0]?.reason).toStartWith("given up after twelve hours");
		expect([takenBy(ana).length, takenBy(eva).length]).toEqual([0, 1]);
		await until(async () => (await state())?.state === "dead", 120_000);
	},
	TIMEOUT_MS,
);

test(
	"an unavailable or refusing server delays the mail",
	async () => {
		receiver.answerWith = (command) => (command === "MAIL" ? "535 5.7.8 not for login sello-smtp-user" : undefined);
		const queued = await askForEmail(service, tenant, docId, { to: [ana, eva], attach: [] });
		carryOut();
		let reason: string | null = null;
		await until(async () => {
			const { recipients } = await untilEmail(service, tenant, queued, "queued");
			reason = recipients[0]?.reason ?? null;
			return reason !== null;
		}, 120_000);
		expect(String(reason)).toBe("the mail server does not accept mail at present");
		receiver.answerWith = () => undefined;
		await service.sql`update outbox set available_at = now() where subject = ${queued.emailId} and state = 'ready'`;
		createWake(service.sql)();
		await untilEmail(service, tenant, queued, "sent");
		expect([takenBy(ana).length, takenBy(eva).length]).toEqual([1, 1]);
	},
	TIMEOUT_MS,
);

test(
	"a crash between two recipients sends no message twice",
	async () => {
		const queued = await askForEmail(service, tenant, docId, { to: [ana, eva, luz], attach: [] });
		const killed = await killAt("mail-recorded:1");
		expect(killed).toBe("SIGKILL");
		expect(receiver.mails.map(({ to }) => to)).toEqual([ana]);
		carryOut();
		await untilEmail(service, tenant, queued, "sent");
		expect(receiver.mails.map(({ to }) => to)).toEqual([ana, eva, luz]);
	},
	TIMEOUT_MS,
);

test(
	"a crash before the record sends a copy with the same Message-ID",
	async () => {
		const queued = await askForEmail(service, tenant, docId, { to: [ana], attach: [] });
		expect(await killAt("mail-taken:1")).toBe("SIGKILL");
		carryOut();
		const { recipients } = await untilEmail(service, tenant, queued, "sent");
		expect(recipients[0]?.attempts).toBe(2);
		const ids = takenBy(ana).map((mail) => readMail(mail.message).header("message-id"));
		expect(ids).toEqual(Array(2).fill(`<${recipients[0]?.messageId}@sello.example>`));
	},
	TIMEOUT_MS,
);

test(
	"companies without an owner get files, and the public sandbox sends nothing",
	async () => {
		await service.sql`update companies set owner_id = null where tenant_id = ${tenant.tenantId}`;
		const first = await askForEmail(service, tenant, docId, { to: [ana], attach: [] });
		carryOut();
		const { recipients } = await untilEmail(service, tenant, first, "sent");
		const file = `${recipients[0]?.messageId}.eml`;
		expect(readdirSync(directory)).toEqual([file]);
		await stopMails?.();
		rmSync(join(directory, file));
		const second = await askForEmail(service, tenant, docId, { to: [eva] });
		carryOut({ environment: "public-sandbox" });
		await untilEmail(service, tenant, second, "sent");
		expect([receiver.mails.length, existsSync(directory) && readdirSync(directory).length]).toEqual([0, 0]);
	},
	TIMEOUT_MS,
);

/** Runs the mails in a process of its own until a fault point kills it; answers the signal. */
async function killAt(point: string): Promise<unknown> {
	const child = Bun.spawn([process.execPath, join(import.meta.dir, "support/run-mails.ts")], {
		env: { ...process.env, NODE_ENV: "test", FAULT_POINT: point, MAILS: JSON.stringify(setup()) },
		stdout: "ignore",
		stderr: "inherit",
	});
	await child.exited;
	return child.signalCode;
}
