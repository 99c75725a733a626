import type { Sql, Tx } from "../database";
import { ArchiveConflictError } from "./archive";

/** Which object of the write-once store holds a document. */
export type ArchiveObject = {
	readonly docId: string;
	readonly tenantId: string;
	readonly objectKey: string;
	/** Hex. */
	readonly sha256: string;
	readonly bytes: number;
	readonly decidedAt: Date;
	readonly retainUntil: Date;
};

const columns = (sql: Sql | Tx) => sql`
	doc_id as "docId", tenant_id as "tenantId", object_key as "objectKey", encode(sha256, 'hex') as sha256, bytes,
	decided_at as "decidedAt", retain_until as "retainUntil"`;

/** Writes an object into the index; the same object again changes nothing. Throws ArchiveConflictError for another one. */
export async function insertArchiveObject(tx: Tx, o: ArchiveObject): Promise<void> {
	const inserted = await tx`
		insert into archive_objects (object_key, doc_id, tenant_id, sha256, bytes, decided_at, retain_until)
		values (${o.objectKey}, ${o.docId}, ${o.tenantId}, ${Buffer.from(o.sha256, "hex")}, ${o.bytes}, ${o.decidedAt}, ${o.retainUntil})
		on conflict (object_key) do nothing
		returning 1`;
	if (inserted.length === 1) return;
	const [standing] = await tx<ArchiveObject[]>`
		select ${columns(tx)} from archive_objects where object_key = ${o.objectKey}`;
	if (standing?.sha256 !== o.sha256 || standing.docId !== o.docId) {
		throw new ArchiveConflictError(o.objectKey, o.sha256, standing?.sha256 ?? "nothing");
	}
}

/** The object of a document's latest decision. */
export async function getArchiveObject(sql: Sql | Tx, docId: string): Promise<ArchiveObject | undefined> {
	const [row] = await sql<ArchiveObject[]>`
		select ${columns(sql)} from archive_objects where doc_id = ${docId}
		order by decided_at desc, archived_at desc limit 1`;
	return row;
}

/** Objects in the order of their keys, after one of them. */
export async function listArchiveObjects(
	sql: Sql,
	page: { readonly after?: string; readonly limit: number },
): Promise<ArchiveObject[]> {
	return sql<ArchiveObject[]>`
		select ${columns(sql)} from archive_objects
		${page.after === undefined ? sql`` : sql`where object_key > ${page.after}`}
		order by object_key limit ${page.limit}`;
}
