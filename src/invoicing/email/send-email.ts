/**
 * Handler of `invoice.email`: sends one e-mail to each of its recipients in turn.
 *
 *   queued ──begun──▶ the server ──takes it──▶ sent ──notice──▶ delivered, bounced, complained
 *     ▲                  ├──4xx, silence──┐
 *     └──────────────────┼────────────────┘   until twelve hours are over, then failed
 *                        └──5xx about the recipient or the content──▶ failed
 *
 * Where mail is off, each recipient becomes `skipped` and nothing is composed.
 *
 * The message is composed when it is sent, and shows the document's standing at that time. Each recipient gets its own message, whose Message-ID is
 * the id of the recipient's row. The result is written before the next recipient's turn. A recipient gets a second copy only if the process dies, the
 * database fails or the server's answer is lost between acceptance and that write. Both copies then have the same Message-ID.
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
import { findWholeInvoice, gatherPrintJob, type InvoiceRow, xmlNameOf } from "../invoices";
import type { EmailDeps, EmailRow, EmailTransports, RecipientRow } from "./email";
import { toLetter } from "./letter";
import { beginSending, findEmail, recordFailed, recordSent, recordSkipped, recordTrouble } from "./store";

/** A mail server may be down for a night. */
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
		// The e-mail may have been wiped with its document.
		if (!email || waiting.length === 0) return done;
		const [invoice, company] = await Promise.all([
			findWholeInvoice(deps, email),
			findCompany(deps.sql, message.tenantId),
		]);
		if (!invoice || !company) throw new Error(`mail ${email.id} has no document or no company`);
		if (deps.transports.of(company).isOff === true) {
			await writeUnderLease(deps.sql, message, (tx) => recordSkipped(tx, email, deps.clock.now()));
			return done;
		}
		const work = { deps, message, email, invoice, company, waiting };
		const isOver = message.ageSeconds >= TRIED_FOR_SECONDS;
		const letter = await compose(work).catch((error: unknown) => {
			if (isOver) return undefined;
			throw error;
		});
		const trouble = letter ? await sendToEach(work, letter) : "it could not be composed";
		if (trouble === undefined) return done;
		if (!isOver) return retry(RETRY_SECONDS[message.failures] ?? RETRY_LATER_SECONDS, trouble);
		// Only under the lease: a paused holder must not fail recipients that another holder is sending to.
		await writeUnderLease(deps.sql, message, async (tx) => {
			for (const recipient of waiting) await fail(tx, work, recipient, `given up after twelve hours: ${trouble}`);
		});
		return dead(trouble);
	};
}

/** A message without its recipient. */
type Draft = Omit<MailMessage, "id" | "to">;

/** Returns why some recipients still wait; undefined if none does. */
async function sendToEach(work: Work, letter: Draft): Promise<string | undefined> {
	const { deps, message, company, waiting } = work;
	const { sql, clock, log } = deps;
	const { tenantId } = message;
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
			// Trouble with the operator's server or login concerns the operator, not the tenant.
			trouble = isTheirs ? describe(error) : "the mail server does not accept mail at present";
			if (!isTheirs || isRelayRefused(error))
				log.warn(
					{ event: "email.not_accepted", message: message.id, tenantId, err: error },
					"the mail server does not accept mail",
				);
			await recordTrouble(sql, { tenantId, recipientId: recipient.id }, trouble, clock.now());
			if (isTheirs) continue;
			break;
		}
		failpoint("mail-taken");
		await retryOnFailure(() => recordSent(sql, { tenantId, recipientId: recipient.id }, clock.now()));
		failpoint("mail-recorded");
	}
	return trouble;
}

async function compose({ deps, email, invoice, company }: Work): Promise<Draft> {
	const job = await gatherPrintJob(deps, invoice);
	const { type, encf, request, print } = invoice;
	const { qrUrl, standing, isTest, signedXml } = job;
	const facts = { type, encf, request, securityCode: print.securityCode, qrUrl, standing, isTest };
	const attachments: Attachment[] = [];
	for (const what of email.attach) {
		if (what === "pdf") {
			const bytes = await deps.printer.print(job, { tenantId: invoice.tenantId });
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
		text: toLetter(email.locale, email.message, facts, company),
		attachments,
	};
}

/** Counts the sending, under the lease. False if the recipient no longer waits. Throws: LeaseLostError. */
async function begin({ deps, message }: Work, recipient: RecipientRow): Promise<boolean> {
	const key = { tenantId: message.tenantId, recipientId: recipient.id };
	const isBegun = await writeUnderLease(deps.sql, message, (tx) => beginSending(tx, key, deps.clock.now()));
	// The last check before sending: a holder that was paused must not send.
	if (message.leaseLeftMs() <= 0) throw new LeaseLostError(message);
	return isBegun;
}

async function fail(tx: Tx, { deps, email, invoice }: Work, recipient: RecipientRow, cause: string): Promise<void> {
	const at = deps.clock.now();
	const reason = toHeaderText(cause, REASON_LENGTH_MAX);
	if (!(await recordFailed(tx, { tenantId: email.tenantId, recipientId: recipient.id }, reason, at))) return;
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
 * Gap: a public key must not send mail to third parties. The public sandbox composes each message and discards it. Elsewhere the companies of the
 * demo key, which have no owner, get files instead of mail.
 * `openServer` opens the transport to the mail server.
 */
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
