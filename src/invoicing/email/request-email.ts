/** Requests for e-mails, from callers and from invoices that name addresses. Nothing is sent here. */
import { type CompanyRow, configMissing, findCompany, isActive } from "../../companies";
import { beyondCount } from "../../identity/rate-limits";
import { retryOnFailure, type Tx } from "../../platform/database";
import { append, dead, done, type Handler, OUTBOX_KINDS, snooze, writeUnderLease } from "../../platform/outbox";
import { msg, Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import { findWholeInvoice, readRequestedAddresses, type ShownInvoice } from "../invoices";
import type { VerdictReaction } from "../verdicts";
import type { EmailDeps, EmailLocale, EmailRequest, EmailRow, RecipientRow } from "./email";
import { toSubject } from "./letter";
import { countEmails, findEmail, insertEmail, lockMailsOf } from "./store";

/** Gap: a day means any 24 hours. */
export const MAILS_A_DAY_MAX = 20;
const DAY_SECONDS = 86_400;
const POLICY = {
	name: "mails-of-document",
	slug: "rate-limit-exceeded",
	quota: MAILS_A_DAY_MAX,
	windowSeconds: DAY_SECONDS,
	detail: msg`A document can be mailed at most ${MAILS_A_DAY_MAX} times in ${DAY_SECONDS} seconds.`,
} as const;

/**
 * Writes an e-mail, its recipients and its message in one transaction. `id`: the e-mail's id, if it may exist already. Throws: rate-limit-exceeded
 * beyond 20 e-mails per document and day; tenant-config-missing for a suspended company.
 */
export async function requestEmail(
	tx: Tx,
	invoice: ShownInvoice,
	request: EmailRequest,
	now: Date,
	id: string = newId(),
): Promise<EmailRow> {
	const { tenantId, docId } = invoice;
	if (!(await isActive(tx, tenantId))) throw configMissing(tenantId, ["active"]);
	const company = await findCompany(tx, tenantId);
	if (!company) throw new Error(`tenant ${tenantId} has a document and no company`);
	await lockMailsOf(tx, docId);
	await checkDay(tx, invoice, now);
	const email = { ...toRow(invoice, company, request, now), id };
	await insertEmail(tx, email);
	await append(tx, { kind: OUTBOX_KINDS.emailInvoice, tenantId, subject: email.id });
	return email;
}

async function checkDay(tx: Tx, invoice: ShownInvoice, now: Date): Promise<void> {
	const since = new Date(now.getTime() - DAY_SECONDS * 1_000);
	const { count, first } = await countEmails(tx, invoice, since);
	if (count < MAILS_A_DAY_MAX) return;
	const retryAfter = Math.max(1, Math.ceil(((first ?? now).getTime() - since.getTime()) / 1_000));
	throw beyondCount(POLICY, retryAfter);
}

function toRow(invoice: ShownInvoice, company: CompanyRow, request: EmailRequest, now: Date): Omit<EmailRow, "id"> {
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

/** Two days: the daily limit is free again after one, and a suspended company may be resumed. */
const WAITS_SECONDS = 2 * 86_400;
const RETRY_SECONDS = 600;

/**
 * Handler of `invoice.asked-mail`: mails an accepted document to the addresses that its request names. The e-mail has the message's id, so a repeated
 * run finds it. From then on it is an ordinary e-mail.
 */
export function createMailAccepted({
	sql,
	readSealed,
	clock,
	wake,
}: Pick<EmailDeps, "sql" | "readSealed" | "clock" | "wake">): Handler {
	return async (message) => {
		const { tenantId, subject, id } = message;
		const [invoice, email] = await retryOnFailure(() =>
			Promise.all([findWholeInvoice({ sql, readSealed }, { tenantId, docId: subject }), findEmail(sql, tenantId, id)]),
		);
		const to = invoice ? readRequestedAddresses(invoice.request) : [];
		if (!invoice || email || to.length === 0) return done;
		try {
			await writeUnderLease(sql, message, (tx) => requestEmail(tx, invoice, { to }, clock.now(), id));
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			const reason = String(error.detail);
			return message.ageSeconds < WAITS_SECONDS ? snooze(RETRY_SECONDS) : dead(reason);
		}
		wake();
		return done;
	};
}

/** An accepted document is mailed to the addresses that its request names, unless it belongs to a certification test set. */
export const mailAccepted: VerdictReaction = {
	messages: ({ decision, invoice }) => {
		const { testSetId, request, tenantId, docId } = invoice;
		if (decision?.status !== "accepted" || testSetId !== null || readRequestedAddresses(request).length === 0)
			return [];
		return [{ kind: OUTBOX_KINDS.emailOnRequest, tenantId, subject: docId }];
	},
};
