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
	/** What S3 calls the version that was written; null in files. */
	readonly versionId: string | null;
};

/** An object of the index, with its place in the archive's tree and in its tenant's chain. */
export type ArchivedObject = ArchiveObject & {
	readonly leafIndex: number;
	/** Which link of the tenant's chain, from 0. */
	readonly chainIndex: number;
	/** Hex. */
	readonly chainHash: string;
	readonly archivedAt: Date;
};

const archived = (sql: Sql | Tx) => sql`
	select o.doc_id as "docId", o.tenant_id as "tenantId", o.object_key as "objectKey", encode(o.sha256, 'hex') as sha256, o.bytes,
		o.decided_at as "decidedAt", o.retain_until as "retainUntil", o.version_id as "versionId",
		l.leaf_index as "leafIndex", l.chain_index as "chainIndex", encode(l.chain_hash, 'hex') as "chainHash",
		o.archived_at as "archivedAt"
	from archive_objects o join archive_leaves l on l.object_key = o.object_key`;

/**
 * Writes objects with different keys into the index, and their leaves; the same object again changes nothing. Throws ArchiveConflictError
 * when a key has another one already; its row stays as it was.
 */
export async function insertArchiveObjects(sql: Sql | Tx, objects: readonly ArchiveObject[]): Promise<void> {
	const rows = await sql<{ objectKey: string; sha256: string; docId: string }[]>`
		select key as "objectKey", encode(digest, 'hex') as sha256, document as "docId"
		from store_archive_objects(${toJsonText(objects)}::text::json)`;
	for (const { objectKey, sha256, docId } of rows) {
		const given = objects.find((one) => one.objectKey === objectKey);
		if (given && (given.sha256 !== sha256 || given.docId !== docId))
			throw new ArchiveConflictError(objectKey, given.sha256, sha256);
	}
}

/** The object of a document's latest decision. */
export async function getArchiveObject(sql: Sql | Tx, docId: string): Promise<ArchivedObject | undefined> {
	const [row] = await sql<ArchivedObject[]>`
		${archived(sql)} where o.doc_id = ${docId} order by o.decided_at desc, o.archived_at desc limit 1`;
	return row;
}

/** True when a document's time was over and its object was removed. */
export async function isArchiveObjectRemoved(sql: Sql | Tx, docId: string): Promise<boolean> {
	return (await sql`select 1 from archive_removals where doc_id = ${docId} limit 1`).length > 0;
}

/** Leaves are never removed, their objects may be: further back than this nobody looks. */
const NEWEST_AMONG = 100;

/** The object that was archived last; undefined where there is none among the last leaves. */
export async function findNewestObject(
	sql: Sql | Tx,
): Promise<Pick<ArchiveObject, "objectKey" | "versionId"> | undefined> {
	const [row] = await sql<Pick<ArchiveObject, "objectKey" | "versionId">[]>`
		select o.object_key as "objectKey", o.version_id as "versionId"
		from archive_leaves l join archive_objects o on o.object_key = l.object_key
		where l.leaf_index > (select max(leaf_index) from archive_leaves) - ${NEWEST_AMONG}::bigint
		order by l.leaf_index desc limit 1`;
	return row;
}
