/** An accepted document by its number, with the bytes that were signed: what the other party's papers are compared with. */
import type { Sql } from "../database";

export type AcceptedEcf = {
	readonly docId: string;
	readonly trackId: string;
	readonly type: string;
	readonly bytes: Uint8Array;
};

export async function findAcceptedEcf(sql: Sql, tenantId: string, encf: string): Promise<AcceptedEcf | undefined> {
	const [row] = await sql<AcceptedEcf[]>`
		select i.doc_id as "docId", i.track_id as "trackId", i.type, s.bytes
		from invoices i join signed_documents s on s.doc_id = i.doc_id and s.kind = 'ecf'
		where i.tenant_id = ${tenantId} and i.encf = ${encf} and not i.encf_released and i.status = 'accepted'`;
	return row;
}
