import { type Sql, type Tx, toJsonText } from "../platform/database";
import { heldParts, type Message } from "../platform/outbox";
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
 * Writes objects with different keys into the index, and their leaves; the same object again changes nothing. For whoever has no message to hold, as
 * tests: a handler that was stopped could write what is gone. Throws ArchiveConflictError
 * when a key has another one already; its row stays as it was.
 */
export async function insertArchiveObjects(sql: Sql | Tx, objects: readonly ArchiveObject[]): Promise<void> {
	const rows = await sql<Indexed[]>`
		select key as "objectKey", encode(digest, 'hex') as sha256, document as "docId"
		from store_archive_objects(${toJsonText(objects)}::text::json)`;
	compare(objects, rows);
}

type Indexed = Pick<ArchiveObject, "objectKey" | "sha256" | "docId">;

function compare(objects: readonly ArchiveObject[], indexed: readonly Indexed[]): void {
	for (const { objectKey, sha256, docId } of indexed) {
		const given = objects.find((one) => one.objectKey === objectKey);
		if (given && (given.sha256 !== sha256 || given.docId !== docId))
			throw new ArchiveConflictError(objectKey, given.sha256, sha256);
	}
}

/** An object, and the message on whose behalf it was written. */
export type HeldObject = { readonly message: Message; readonly object: ArchiveObject };

/**
 * Writes objects into the index as `insertArchiveObjects` does, each only while its message is held: whoever was stopped for longer than its
 * lease may come back when the document is wiped, and its company with it. Answers which of them are in the index.
 */
export async function insertHeldObjects(sql: Sql, all: readonly HeldObject[]): Promise<boolean[]> {
	const named = all.map(({ message, object }) => ({ message: message.id, object }));
	const rows = await sql<Indexed[]>`
		with ${heldParts(sql, all)}, given as materialized (
			select json_agg(n -> 'object') as objects from json_array_elements(${toJsonText(named)}::text::json) n
			where (n ->> 'message')::uuid in (select id from held)
		)
		select key as "objectKey", encode(digest, 'hex') as sha256, document as "docId"
		from given, store_archive_objects(given.objects) where given.objects is not null`;
	compare(
		all.map(({ object }) => object),
		rows,
	);
	const indexed = new Set(rows.map(({ objectKey }) => objectKey));
	return all.map(({ object }) => indexed.has(object.objectKey));
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
