/** SQL of received documents. */
import type { Sql, Tx } from "../database";
import type { ReceivedDocument } from "./received-document";

type Piece = ReturnType<Sql>;

const columns = (sql: Sql | Tx): Piece => sql`
	d.id, d.tenant_id as "tenantId", d.issuer_rnc as "issuerRnc", d.issuer_name as "issuerName", d.buyer_rnc as "buyerRnc", d.type, d.encf,
	d.issue_date::text as "issueDate", d.subtotal::text as subtotal, d.tax::text as tax, d.grand_total::text as "grandTotal",
	d.order_number as "orderNumber", encode(d.sha256, 'hex') as sha256, d.signer, s.authority_status as "authorityStatus", d.source,
	d.received_at as "receivedAt"`;
const tables = (sql: Sql | Tx): Piece => sql`received_documents d join received_standings s on s.document_id = d.id`;

/** A tenant's own document. */
export async function findReceivedDocument(
	sql: Sql | Tx,
	tenantId: string,
	id: string,
): Promise<ReceivedDocument | undefined> {
	const [row] = await sql<ReceivedDocument[]>`
		select ${columns(sql)} from ${tables(sql)} where d.id = ${id} and d.tenant_id = ${tenantId}`;
	return row;
}

/** A tenant's document with an issuer's number. */
export async function findReceivedByNumber(
	sql: Sql | Tx,
	tenantId: string,
	issuerRnc: string,
	encf: string,
): Promise<ReceivedDocument | undefined> {
	const [row] = await sql<ReceivedDocument[]>`
		select ${columns(sql)} from ${tables(sql)}
		where d.tenant_id = ${tenantId} and d.issuer_rnc = ${issuerRnc} and d.encf = ${encf}`;
	return row;
}

/** The bytes of a tenant's document as they were received, and the signed answer. */
export async function findReceivedFile(
	sql: Sql | Tx,
	tenantId: string,
	id: string,
): Promise<{ readonly xml: Uint8Array; readonly arecf: Uint8Array | null } | undefined> {
	const [row] = await sql<{ xml: Uint8Array; arecf: Uint8Array | null }[]>`
		select xml, arecf from received_documents where id = ${id} and tenant_id = ${tenantId}`;
	return row;
}
