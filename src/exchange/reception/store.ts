/** SQL for received documents and used seeds. */

import type { ReadSealed } from "../../archive";
import type { Sql, Tx } from "../../platform/database";
import { lockNameOf } from "../../platform/database";
import { firstIdAt } from "../../platform/values";
import type { Copy } from "./number";
import type { AuthorityStatus, ReceivedDocument } from "./received-document";

type Piece = ReturnType<Sql>;

const columns = (sql: Sql | Tx): Piece => sql`
	d.id, d.tenant_id as "tenantId", d.issuer_rnc as "issuerRnc", d.issuer_name as "issuerName", d.buyer_rnc as "buyerRnc", d.type, d.encf,
	d.issue_date::text as "issueDate", d.subtotal::text as subtotal, d.tax::text as tax, d.grand_total::text as "grandTotal",
	d.order_number as "orderNumber", d.segment, encode(d.sha256, 'hex') as sha256, d.signer,
	d.security_code as "securityCode", d.signed_at_text as "signedAtText", s.authority_status as "authorityStatus",
	case
		when s.authority_status = 'accepted' and not others.accepted then 'proven'
		when s.authority_status <> 'accepted' and others.accepted then 'superseded'
		when others.possible then 'contested'
		else 'unproven'
	end as proof, d.source, d.received_at as "receivedAt"`;
/** A document with the authority's state of it and of others under its number. */
const tables = (sql: Sql | Tx): Piece => sql`
	received_documents d join received_standings s on s.tenant_id = d.tenant_id and s.document_id = d.id
	cross join lateral (
		select coalesce(bool_or(os.authority_status = 'accepted'), false) as accepted,
			coalesce(bool_or(os.authority_status <> 'rejected'), false) as possible
		from received_documents o join received_standings os on os.tenant_id = o.tenant_id and os.document_id = o.id
		where o.tenant_id = d.tenant_id and o.issuer_rnc = d.issuer_rnc and o.encf = d.encf and o.segment = d.segment and o.id <> d.id
	) others`;

export async function findReceivedDocument(
	sql: Sql | Tx,
	tenantId: string,
	id: string,
): Promise<ReceivedDocument | undefined> {
	const [row] = await sql<ReceivedDocument[]>`
		select ${columns(sql)} from ${tables(sql)} where d.tenant_id = ${tenantId} and d.id = ${id}`;
	return row;
}

/** Who issued documents that the company received and the authority does not reject, and the day of the newest; newest first. */
export async function listIssuers(
	sql: Sql,
	tenantId: string,
): Promise<{ readonly document: string; readonly day: string }[]> {
	return sql<{ document: string; day: string }[]>`
		select d.issuer_rnc as document, to_char(max(d.issue_date), 'YYYY-MM-DD') as day
		from received_documents d join received_standings s on s.tenant_id = d.tenant_id and s.document_id = d.id
		where d.tenant_id = ${tenantId} and s.authority_status <> 'rejected'
		group by d.issuer_rnc order by max(d.issue_date) desc, d.issuer_rnc`;
}

/** A tenant's documents under an issuer's number, oldest first. */
export async function findCopies(
	sql: Sql | Tx,
	tenantId: string,
	{ issuerRnc, encf }: Pick<ReceivedDocument, "issuerRnc" | "encf">,
): Promise<Copy[]> {
	return sql<Copy[]>`
		select d.id, encode(d.sha256, 'hex') as sha256, d.signer, d.segment, s.authority_status as "authorityStatus", d.source,
			d.received_at as "receivedAt"
		from received_documents d join received_standings s on s.tenant_id = d.tenant_id and s.document_id = d.id
		where d.tenant_id = ${tenantId} and d.issuer_rnc = ${issuerRnc} and d.encf = ${encf}
		order by d.id`;
}

/** Serialises the storing of documents under the number until the transaction ends. */
export async function lockNumber(
	tx: Tx,
	tenantId: string,
	{ issuerRnc, encf }: Pick<ReceivedDocument, "issuerRnc" | "encf">,
): Promise<void> {
	await tx`select pg_advisory_xact_lock(hashtextextended(${lockNameOf("receivedDocument", tenantId, issuerRnc, encf)}, 0))`;
}

type ReceivedFile = { readonly xml: Uint8Array; readonly arecf: Uint8Array | null };

/** The bytes of a tenant's document as received, and the signed answer; undefined if they have left the database. */
export async function findReceivedFile(sql: Sql | Tx, tenantId: string, id: string): Promise<ReceivedFile | undefined> {
	const [row] = await sql<ReceivedFile[]>`
		select xml, arecf from received_papers where tenant_id = ${tenantId} and id = ${id}`;
	return row;
}

/** The same, from the archive if need be. Throws: archive-unavailable; not-found when it was removed after its retention. */
export async function readReceivedFile(
	{ sql, readSealed }: { readonly sql: Sql | Tx; readonly readSealed: ReadSealed },
	tenantId: string,
	id: string,
): Promise<ReceivedFile> {
	const file = await findReceivedFile(sql, tenantId, id);
	if (file) return file;
	const { manifest, texts, ecf } = await readSealed({ tenantId, docId: id });
	const answer = manifest.answers.find(({ operation }) => operation === ACKNOWLEDGEMENT);
	const arecf = answer && texts[answer.entry];
	return { xml: ecf, arecf: arecf === undefined ? null : Buffer.from(arecf) };
}

/** What the sealed document calls the signed answer. */
export const ACKNOWLEDGEMENT = "acknowledgement";

/** Writes a document with its answer. */
export async function insertReceived(
	tx: Tx,
	d: Omit<ReceivedDocument, "proof">,
	xml: Uint8Array,
	arecf: Uint8Array | undefined,
): Promise<void> {
	await tx`
		insert into received_documents (tenant_id, id, issuer_rnc, issuer_name, buyer_rnc, type, encf, issue_date, subtotal, tax, grand_total,
			order_number, segment, sha256, signer, security_code, signed_at_text, signature_valid, acknowledgement, source, received_at)
		values (${d.tenantId}, ${d.id}, ${d.issuerRnc}, ${d.issuerName}, ${d.buyerRnc}, ${d.type}, ${d.encf}, ${d.issueDate}::date,
			${d.subtotal}::numeric, ${d.tax}::numeric, ${d.grandTotal}::numeric, ${d.orderNumber}, ${d.segment},
			${Buffer.from(d.sha256, "hex")}, ${d.signer}, ${d.securityCode}, ${d.signedAtText}, true, 'received', ${d.source}, ${d.receivedAt})`;
	await tx`insert into received_papers (tenant_id, id, xml, arecf) values (${d.tenantId}, ${d.id}, ${xml}, ${arecf ?? null})`;
	await tx`insert into received_standings (tenant_id, document_id) values (${d.tenantId}, ${d.id})`;
}

export type ReceivedFilter = {
	/** First and last day of reception, UTC-4. */
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly issuerRnc?: string | undefined;
	readonly status?: AuthorityStatus | undefined;
	readonly after?: string | undefined;
};

const DAY_MS = 86_400_000;
const startOf = (day: string) => new Date(`${day}T04:00:00Z`).getTime();

/** A tenant's documents, newest first. One more than `limit` shows that there are more. Ids are ordered by time of reception. */
export async function listReceived(
	sql: Sql,
	tenantId: string,
	{ from, to, issuerRnc, status, after }: ReceivedFilter,
	limit: number,
): Promise<ReceivedDocument[]> {
	return sql<ReceivedDocument[]>`
		select ${columns(sql)} from ${tables(sql)}
		where d.tenant_id = ${tenantId}
			${from === undefined ? sql`` : sql`and d.id >= ${firstIdAt(new Date(startOf(from)))}`}
			${to === undefined ? sql`` : sql`and d.id < ${firstIdAt(new Date(startOf(to) + DAY_MS))}`}
			${issuerRnc === undefined ? sql`` : sql`and d.issuer_rnc = ${issuerRnc}`}
			${status === undefined ? sql`` : sql`and s.authority_status = ${status}`}
			${after === undefined ? sql`` : sql`and d.id < ${after}`}
		order by d.id desc limit ${limit + 1}`;
}

export async function saveStanding(
	tx: Tx,
	tenantId: string,
	id: string,
	status: AuthorityStatus,
	at: Date,
): Promise<void> {
	await tx`update received_standings set authority_status = ${status}, asked_at = ${at} where tenant_id = ${tenantId} and document_id = ${id}`;
}

/** Takes a seed, which works once; false if it was taken before. */
export async function takeSeed(sql: Sql, digest: Uint8Array, endsAt: Date): Promise<boolean> {
	const rows = await sql`
		insert into peer_seeds_used (digest, expires_at) values (${digest}, ${endsAt}) on conflict do nothing returning 1`;
	return rows.length === 1;
}

export async function sweepSeeds(sql: Sql, now: Date): Promise<number> {
	return (await sql`delete from peer_seeds_used where expires_at < ${now}`).count;
}
