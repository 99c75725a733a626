import type { EmailDeps, EmailRow, EmailTransports, RecipientRow } from "./email";
/**
 * Handler of `invoice.email`: one mail, to each of its recipients in turn.
 *
 *   queued ──begun──▶ the server ──takes it──▶ sent ──notice──▶ delivered, bounced, complained
 *     ▲                  ├──4xx, silence──┐
 *     └──────────────────┼────────────────┘   until twelve hours are over, then failed
 *                        └──5xx about the recipient or the content──▶ failed
 *
 * What goes out is composed when it goes: it shows where the document stands then. Each recipient gets a message of its own, whose Message-ID
 * is made of the recipient's row, and what came of it is written before the next one's turn. So a mail goes twice to somebody in one case
 * alone: between the server's taking it and that row the process dies, the database is away, or the server's word is lost on the wire. Both
 * copies have one Message-ID then.
 */

import { type CompanyRow, findCompany } from "../../companies";
import { enqueueEvent } from "../../events/webhooks";
import { retryOnFailure, type Tx } from "../../platform/database";
import { failpoint } from "../../platform/failpoints";
import {
	type Attachment,
	isAboutThisMail,
	isMailAddress,
	isRelayRefused,
	type MailMessage,
	MailRefusedError,
	type MailSettings,
	type MailTransport,
	openMailTransport,
	openNowhere,
	sendMail,
	toHeaderText,
} from "../../platform/mail";
import { dead, done, type Handler, LeaseLostError, type Message, retry, writeUnderLease } from "../../platform/outbox";
import type { Environment } from "../../platform/values";
import { findInvoice, gatherPrintJob, type InvoiceRow, xmlNameOf } from "../invoices";
import { toLetter } from "./letter";
import { beginSending, findEmail, recordFailed, recordSent, recordTrouble } from "./store";

/** A mail server may be away for a night. */
const TRIED_FOR_SECONDS = 12 * 3_600;
const RETRY_SECONDS = [30, 120, 600, 1_800];
const RETRY_LATER_SECONDS = 3_600;
const REASON_LENGTH_MAX = 500;

type SendTools = Omit<EmailDeps, "wake" | "mailHookSecret">;

type Work = {
	readonly deps: SendTools;
	readonly message: Message;
	readonly email: EmailRow;
	readonly invoice: InvoiceRow;
	readonly company: CompanyRow;
	readonly waiting: readonly RecipientRow[];
};

export function createSendEmail(deps: SendTools): Handler {
	return async (message) => {
		const email = await findEmail(deps.sql, message.tenantId, message.subject);
		const waiting = email?.recipients.filter(({ status }) => status === "queued") ?? [];
		// A mail that was wiped with its document is nobody's any more.
		if (!email || waiting.length === 0) return done;
		const [invoice, company] = await Promise.all([
			findInvoice(deps.sql, message.tenantId, email.docId),
			findCompany(deps.sql, message.tenantId),
		]);
		if (!invoice || !company) throw new Error(`mail ${email.id} has no document or no company`);
		const work = { deps, message, email, invoice, company, waiting };
		const isOver = message.ageSeconds >= TRIED_FOR_SECONDS;
		const letter = await compose(work).catch((error: unknown) => {
			if (isOver) return undefined;
			throw error;
		});
		const trouble = letter ? await sendToEach(work, letter) : "it could not be composed";
		if (trouble === undefined) return done;
		if (!isOver) return retry(RETRY_SECONDS[message.failures] ?? RETRY_LATER_SECONDS, trouble);
		// Whoever was paused meanwhile gives up nothing that another one may be sending.
		await writeUnderLease(deps.sql, message, async (tx) => {
			for (const recipient of waiting) await fail(tx, work, recipient, `given up after twelve hours: ${trouble}`);
		});
		return dead(trouble);
	};
}

/** All of a message but whom it goes to. */
type Letter = Omit<MailMessage, "id" | "to">;

/** Answers why some still wait; undefined when none does. */
async function sendToEach(work: Work, letter: Letter): Promise<string | undefined> {
	const { deps, message, company, waiting } = work;
	const { sql, clock, log } = deps;
	const transport = deps.transports.of(company);
	let trouble: string | undefined;
	for (const recipient of waiting) {
		if (!(await begin(work, recipient))) continue;
		failpoint("mail-begun");
		try {
			await sendMail(transport, { ...letter, id: recipient.id, to: recipient.address });
		} catch (error) {
			if (error instanceof MailRefusedError) {
				await sql.begin((tx) => fail(tx, work, recipient, describe(error)));
				continue;
			}
			const isTheirs = isAboutThisMail(error);
			// What is wrong with our server, or our login there, is the operator's to know.
			trouble = isTheirs ? describe(error) : "the mail server does not take mail at present";
			if (!isTheirs || isRelayRefused(error))
				log.warn({ message: message.id, tenantId: message.tenantId, err: error }, "mail is not taken");
			await recordTrouble(sql, recipient.id, trouble, clock.now());
			if (isTheirs) continue;
			break;
		}
		failpoint("mail-taken");
		await retryOnFailure(() => recordSent(sql, recipient.id, clock.now()));
		failpoint("mail-recorded");
	}
	return trouble;
}

async function compose({ deps, email, invoice, company }: Work): Promise<Letter> {
	const job = await gatherPrintJob(deps, invoice);
	const { type, encf, request, print } = invoice;
	const { qrUrl, standing, isTest, signedXml } = job;
	const told = { type, encf, request, securityCode: print.securityCode, qrUrl, standing, isTest };
	const attachments: Attachment[] = [];
	for (const what of email.attach) {
		if (what === "pdf") {
			const bytes = await deps.printer.print(job);
			attachments.push({ fileName: `${encf}.pdf`, contentType: "application/pdf", bytes });
		} else attachments.push({ fileName: xmlNameOf(signedXml, encf), contentType: "application/xml", bytes: signedXml });
	}
	const addressesOf = (kind: RecipientRow["kind"]) =>
		email.recipients.filter((one) => one.kind === kind).map(({ address }) => address);
	return {
		shown: { to: addressesOf("to"), cc: addressesOf("cc") },
		fromName: toHeaderText(company.name),
		...(company.email !== null && isMailAddress(company.email) ? { replyTo: company.email } : {}),
		wantsNotice: deps.wantsNotices,
		subject: email.subject,
		text: toLetter(email.locale, email.message, told, company),
		attachments,
	};
}

/** Counts the sending on behalf of the message; false when the recipient does not wait any more. Throws: LeaseLostError. */
async function begin({ deps, message }: Work, recipient: RecipientRow): Promise<boolean> {
	const isBegun = await writeUnderLease(deps.sql, message, (tx) => beginSending(tx, recipient.id, deps.clock.now()));
	// The last look before what cannot be undone: whoever was paused has nothing to send any more.
	if (message.leaseLeftMs() <= 0) throw new LeaseLostError(message);
	return isBegun;
}

async function fail(tx: Tx, { deps, email, invoice }: Work, recipient: RecipientRow, told: string): Promise<void> {
	const at = deps.clock.now();
	const reason = toHeaderText(told, REASON_LENGTH_MAX);
	if (!(await recordFailed(tx, recipient.id, reason, at))) return;
	await enqueueEvent(tx, {
		event: "email.failed",
		...{ tenantId: email.tenantId, docId: email.docId, trackId: invoice.trackId, encf: invoice.encf, occurredAt: at },
		email: { emailId: email.id, recipient: recipient.address, status: "failed", reason },
	});
}

function describe(error: unknown): string {
	return toHeaderText(error instanceof Error ? error.message : String(error), REASON_LENGTH_MAX);
}

/**
 * Where a company's mail may go.
 *
 * Gap: a key that everybody knows must not send mail to strangers in our name. In the public sandbox each mail is composed and given to
 * nobody. The companies of the demo key elsewhere, which belong to no owner, get files where others' mail goes to the server.
 */

/** `openServer` opens what leads to the mail server. */
export function openEmailTransports(
	settings: MailSettings,
	environment: Environment,
	openServer: (settings: MailSettings) => MailTransport = openMailTransport,
): EmailTransports {
	if (environment === "public-sandbox") {
		const nowhere = openNowhere(settings.from);
		return { of: () => nowhere, close: nowhere.close };
	}
	const [server, folder] = [openServer(settings), openMailTransport({ ...settings, smtpUrl: undefined })];
	return {
		of: ({ ownerId }) => (ownerId === null ? folder : server),
		close: () => {
			server.close();
			folder.close();
		},
	};
}
