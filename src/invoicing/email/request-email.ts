/** Takes a request for a mail: its rows and its message in one transaction; nothing is sent here. */
import { type CompanyRow, configMissing, findCompany, isActive } from "../../companies";
import { beyondCount } from "../../identity/rate-limits";
import type { Tx } from "../../platform/database";
import { append } from "../../platform/outbox";
import { newId } from "../../platform/values";
import type { InvoiceRow } from "../invoices";
import type { EmailLocale, EmailRequest } from "./email";
import { toSubject } from "./letter";
import { countEmails, type EmailRow, insertEmail, lockMailsOf, type RecipientRow } from "./store";

/** The outbox message of a mail; its subject is the mail. */
export const EMAIL_KIND = "invoice.email";

/** Gap: a day is any 24 hours. */
export const MAILS_A_DAY_MAX = 20;
const DAY_SECONDS = 86_400;
const POLICY = {
	name: "mails-of-document",
	slug: "rate-limit-exceeded",
	quota: MAILS_A_DAY_MAX,
	windowSeconds: DAY_SECONDS,
	detail: `A document is mailed at most ${MAILS_A_DAY_MAX} times in ${DAY_SECONDS} seconds.`,
} as const;

/**
 * Writes a mail that waits for all its recipients. Throws: rate-limit-exceeded beyond 20 of a document in a day; tenant-config-missing for
 * a company that is suspended, since what it may not say by an invoice it may not say by mail. `id`: the mail's, where there may be one already.
 */
export async function requestEmail(
	tx: Tx,
	invoice: InvoiceRow,
	request: EmailRequest,
	now: Date,
	id: string = newId(),
): Promise<EmailRow> {
	const { tenantId, docId } = invoice;
	if (!(await isActive(tx, tenantId))) throw configMissing(tenantId, ["active"]);
	const company = await findCompany(tx, tenantId);
	if (!company) throw new Error(`tenant ${tenantId} has a document and no company`);
	await lockMailsOf(tx, docId);
	await checkDay(tx, docId, now);
	const email = { ...toRow(invoice, company, request, now), id };
	await insertEmail(tx, email);
	await append(tx, { kind: EMAIL_KIND, tenantId, subject: email.id });
	return email;
}

async function checkDay(tx: Tx, docId: string, now: Date): Promise<void> {
	const since = new Date(now.getTime() - DAY_SECONDS * 1_000);
	const { count, first } = await countEmails(tx, docId, since);
	if (count < MAILS_A_DAY_MAX) return;
	const retryAfter = Math.max(1, Math.ceil(((first ?? now).getTime() - since.getTime()) / 1_000));
	throw beyondCount(POLICY, retryAfter);
}

function toRow(invoice: InvoiceRow, company: CompanyRow, request: EmailRequest, now: Date): Omit<EmailRow, "id"> {
	const locale = request.locale ?? localeOf(company);
	const waiting = (kind: RecipientRow["kind"]) => (address: string) => ({
		...{ id: newId(), kind, address, status: "queued" as const, reason: null, attempts: 0, sentAt: null },
		updatedAt: now,
	});
	return {
		tenantId: invoice.tenantId,
		docId: invoice.docId,
		subject: request.subject ?? toSubject(locale, invoice, company.name),
		message: request.message ?? "",
		attach: request.attach ?? ["pdf", "xml"],
		locale,
		createdAt: now,
		recipients: [...request.to.map(waiting("to")), ...(request.cc ?? []).map(waiting("cc"))],
	};
}

const localeOf = ({ settings }: CompanyRow): EmailLocale => (settings.locale === "en-US" ? "en" : "es");
