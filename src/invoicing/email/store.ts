/** SQL on e-mails and their recipients. */

import type { Sql, Tx } from "../../platform/database";
import { LOCKS } from "../../platform/database";
import type { EmailRow, EmailStatus, RecipientRow } from "./email";

/** Lets one transaction at a time count a document's e-mails. */
export async function lockMailsOf(tx: Tx, docId: string): Promise<void> {
	await tx`select pg_advisory_xact_lock(${LOCKS.documentEmails}, hashtext(${docId}))`;
}

/** The number of a document's e-mails since a time, and the time of the first. */
export async function countEmails(
	tx: Tx,
	{ tenantId, docId }: Pick<EmailRow, "tenantId" | "docId">,
	since: Date,
): Promise<{ count: number; first: Date | null }> {
	const [row] = await tx<{ count: number; first: Date | null }[]>`
		select count(*)::int as count, min(created_at) as first from emails
		where tenant_id = ${tenantId} and doc_id = ${docId} and created_at > ${since}`;
	return row ?? { count: 0, first: null };
}

export async function insertEmail(tx: Tx, { recipients, ...email }: EmailRow): Promise<void> {
	await tx`
		insert into emails (id, tenant_id, doc_id, subject, message, attach, locale, created_at)
		values (${email.id}, ${email.tenantId}, ${email.docId}, ${email.subject}, ${email.message}, ${[...email.attach]}::text[],
			${email.locale}, ${email.createdAt})`;
	await tx`
		insert into email_recipients ${tx(
			recipients.map(({ id, kind, address, updatedAt }, place) => ({
				...{ tenant_id: email.tenantId, id, email_id: email.id, place, kind, address, updated_at: updatedAt },
			})),
		)}`;
}

const columns = (sql: Sql | Tx) => sql`
	e.id, e.tenant_id as "tenantId", e.doc_id as "docId", e.subject, e.message, e.attach, e.locale, e.created_at as "createdAt"`;

async function withRecipients(
	sql: Sql,
	tenantId: string,
	emails: readonly Omit<EmailRow, "recipients">[],
): Promise<EmailRow[]> {
	const rows = await sql<(RecipientRow & { emailId: string })[]>`
		select id, email_id as "emailId", kind, address, status, reason, attempts, sent_at as "sentAt", updated_at as "updatedAt"
		from email_recipients
		where tenant_id = ${tenantId} and email_id = any(${emails.map(({ id }) => id)}::uuid[]) order by email_id, place`;
	const byEmail = Map.groupBy(rows, ({ emailId }) => emailId);
	return emails.map((email) => ({ ...email, recipients: byEmail.get(email.id) ?? [] }));
}

export async function findEmail(sql: Sql, tenantId: string, id: string): Promise<EmailRow | undefined> {
	const rows = await sql<Omit<EmailRow, "recipients">[]>`
		select ${columns(sql)} from emails e where e.tenant_id = ${tenantId} and e.id = ${id}`;
	return (await withRecipients(sql, tenantId, rows))[0];
}

/** A document's e-mails, newest first, after a cursor. One more than `limit` means that there are more. */
export async function listEmails(
	sql: Sql,
	{ tenantId, docId }: Pick<EmailRow, "tenantId" | "docId">,
	after: string | undefined,
	limit: number,
): Promise<EmailRow[]> {
	const rows = await sql<Omit<EmailRow, "recipients">[]>`
		select ${columns(sql)} from emails e
		where e.tenant_id = ${tenantId} and e.doc_id = ${docId} ${after === undefined ? sql`` : sql`and e.id < ${after}`}
		order by e.id desc limit ${limit + 1}`;
	return withRecipients(sql, tenantId, rows);
}

type RecipientKey = { readonly tenantId: string; readonly recipientId: string };

/** Counts a sending before it starts. False if the recipient no longer waits. */
export async function beginSending(tx: Tx, { tenantId, recipientId }: RecipientKey, at: Date): Promise<boolean> {
	const rows = await tx`
		update email_recipients set attempts = attempts + 1, updated_at = ${at}
		where tenant_id = ${tenantId} and id = ${recipientId} and status = 'queued' returning id`;
	return rows.length === 1;
}

/** Records that a server accepted the message. Written without the lease, because it is true for every holder. */
export async function recordSent(sql: Sql, { tenantId, recipientId }: RecipientKey, at: Date): Promise<void> {
	await sql`
		update email_recipients set status = 'sent', reason = null, sent_at = ${at}, updated_at = ${at}
		where tenant_id = ${tenantId} and id = ${recipientId} and status = 'queued'`;
}

/** Records that no message will be sent, because mail is off. */
export async function recordSkipped(
	tx: Tx,
	{ tenantId, id }: Pick<EmailRow, "tenantId" | "id">,
	at: Date,
): Promise<void> {
	await tx`
		update email_recipients set status = 'skipped', reason = 'this service sends no mail', updated_at = ${at}
		where tenant_id = ${tenantId} and email_id = ${id} and status = 'queued'`;
}

/** False if the recipient no longer waits. */
export async function recordFailed(
	tx: Tx,
	{ tenantId, recipientId }: RecipientKey,
	reason: string,
	at: Date,
): Promise<boolean> {
	const rows = await tx`
		update email_recipients set status = 'failed', reason = ${reason}, updated_at = ${at}
		where tenant_id = ${tenantId} and id = ${recipientId} and status = 'queued' returning id`;
	return rows.length === 1;
}

export async function recordTrouble(
	sql: Sql,
	{ tenantId, recipientId }: RecipientKey,
	reason: string,
	at: Date,
): Promise<void> {
	await sql`
		update email_recipients set reason = ${reason}, updated_at = ${at}
		where tenant_id = ${tenantId} and id = ${recipientId} and status = 'queued'`;
}

export type AffectedRecipient = {
	readonly status: EmailStatus;
	readonly address: string;
	readonly emailId: string;
	readonly tenantId: string;
	readonly docId: string;
	readonly encf: string;
};

/** The recipient of a notice, of any tenant, locked until the transaction ends. */
export async function lockRecipient(tx: Tx, recipientId: string): Promise<AffectedRecipient | undefined> {
	const [row] = await tx<AffectedRecipient[]>`
		select r.status, r.address, e.id as "emailId", e.tenant_id as "tenantId", e.doc_id as "docId", d.encf
		from email_recipients r
		join emails e on e.tenant_id = r.tenant_id and e.id = r.email_id
		join documents d on d.tenant_id = e.tenant_id and d.doc_id = e.doc_id
		where r.id = ${recipientId} for update of r`;
	return row;
}

/** Writes the status of a notice. A notice proves that the message was sent. */
export async function recordNotice(
	tx: Tx,
	{ tenantId, recipientId }: RecipientKey,
	{ status, reason, at }: { readonly status: EmailStatus; readonly reason: string | null; readonly at: Date },
): Promise<void> {
	await tx`
		update email_recipients set status = ${status}, reason = ${reason}, sent_at = coalesce(sent_at, ${at}), updated_at = ${at}
		where tenant_id = ${tenantId} and id = ${recipientId}`;
}
