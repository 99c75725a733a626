import { type Sql, type Tx, toJsonText } from "../database";
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

/**
 * Writes objects with different keys into the index; the same object again changes nothing. Throws ArchiveConflictError when a key
 * has another one already; its row stays as it was.
 */
export async function insertArchiveObjects(sql: Sql | Tx, objects: readonly ArchiveObject[]): Promise<void> {
	const rows = await sql<{ objectKey: string; sha256: string; docId: string }[]>`
		with given as materialized (
			select * from json_to_recordset(${toJsonText(objects)}::text::json) as o("objectKey" text, "docId" uuid, "tenantId" uuid,
				sha256 text, bytes int, "decidedAt" timestamptz, "retainUntil" timestamptz)
		), written as (
			insert into archive_objects (object_key, doc_id, tenant_id, sha256, bytes, decided_at, retain_until)
			select g."objectKey", g."docId", g."tenantId", decode(g.sha256, 'hex'), g.bytes, g."decidedAt", g."retainUntil" from given g
			on conflict (object_key) do nothing
			returning object_key
		)
		select g."objectKey", encode(a.sha256, 'hex') as sha256, a.doc_id as "docId"
		from given g join archive_objects a on a.object_key = g."objectKey"
		where a.object_key = any(${objects.map((object) => object.objectKey)}::text[])`;
	for (const { objectKey, sha256, docId } of rows) {
		const given = objects.find((one) => one.objectKey === objectKey);
		if (given && (given.sha256 !== sha256 || given.docId !== docId))
			throw new ArchiveConflictError(objectKey, given.sha256, sha256);
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
