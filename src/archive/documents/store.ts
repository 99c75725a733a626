/** SQL of the index: objects with their places in the tree and the chains, and lists of a tenant's objects. */

import { type Sql, type Tx, toJsonText } from "../../platform/database";
import { leaseParts, type Message } from "../../platform/outbox";
import { ArchiveConflictError } from "../object-store/archive";

export type ArchiveObject = {
	readonly docId: string;
	readonly tenantId: string;
	readonly objectKey: string;
	/** Hex. */
	readonly sha256: string;
	readonly bytes: number;
	readonly decidedAt: Date;
	readonly retainUntil: Date;
	/** The version's id in S3; null for files. */
	readonly versionId: string | null;
};

/** An object of the index, with its positions in the archive's tree and its tenant's chain. */
export type ArchivedObject = ArchiveObject & {
	readonly leafIndex: number;
	/** Index of the link in the tenant's chain, from 0. */
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
 * Writes objects with different keys into the index, and their leaves. The same object again changes nothing. For callers without a message, such
 * as tests; a paused handler could write a row of a removed document. Throws ArchiveConflictError if a key already has another object.
 */
export async function insertArchiveObjects(sql: Sql | Tx, objects: readonly ArchiveObject[]): Promise<void> {
	const rows = await sql<Indexed[]>`
		select key as "objectKey", encode(digest, 'hex') as sha256, document as "docId"
		from store_archive_objects(${toJsonText(objects)}::text::json)`;
	checkConflicts(objects, rows);
}

type Indexed = Pick<ArchiveObject, "objectKey" | "sha256" | "docId">;

function checkConflicts(objects: readonly ArchiveObject[], indexed: readonly Indexed[]): void {
	for (const { objectKey, sha256, docId } of indexed) {
		const given = objects.find((one) => one.objectKey === objectKey);
		if (given && (given.sha256 !== sha256 || given.docId !== docId))
			throw new ArchiveConflictError(objectKey, given.sha256, sha256);
	}
}

/** An object and the message it was written for. */
export type LeasedObject = { readonly message: Message; readonly object: ArchiveObject };

/**
 * Writes objects into the index as `insertArchiveObjects` does, each only while its message is held. A handler that was paused for longer than its
 * lease may return when the document and its company are deleted. Returns for each whether it is in the index.
 */
export async function insertLeasedObjects(sql: Sql, all: readonly LeasedObject[]): Promise<boolean[]> {
	const named = all.map(({ message, object }) => ({ message: message.id, object }));
	const rows = await sql<Indexed[]>`
		with ${leaseParts(sql, all)}, given as materialized (
			select json_agg(n -> 'object') as objects from json_array_elements(${toJsonText(named)}::text::json) n
			where (n ->> 'message')::uuid in (select id from held)
		)
		select key as "objectKey", encode(digest, 'hex') as sha256, document as "docId"
		from given, store_archive_objects(given.objects) where given.objects is not null`;
	checkConflicts(
		all.map(({ object }) => object),
		rows,
	);
	const indexed = new Set(rows.map(({ objectKey }) => objectKey));
	return all.map(({ object }) => indexed.has(object.objectKey));
}

export async function getArchiveObject(sql: Sql | Tx, docId: string): Promise<ArchivedObject | undefined> {
	const [row] = await sql<ArchivedObject[]>`
		${archived(sql)} where o.doc_id = ${docId} order by o.decided_at desc, o.archived_at desc limit 1`;
	return row;
}

/** True if a document's object was removed after its retention. */
export async function isArchiveObjectRemoved(sql: Sql | Tx, docId: string): Promise<boolean> {
	return (await sql`select 1 from archive_removals where doc_id = ${docId} limit 1`).length > 0;
}

/** How many leaves to search. Leaves are never removed, but their objects may be. */
const NEWEST_AMONG = 100;

/** The newest object; undefined if the last leaves have none. */
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

export type ListedObject = {
	readonly docId: string;
	readonly objectKey: string;
	readonly versionId: string | null;
	/** Null, as are type and status, if the index was restored and the object could not be read. */
	readonly encf: string | null;
	readonly type: string | null;
	readonly status: string | null;
	/** Hex. */
	readonly sha256: string;
	readonly bytes: number;
	readonly decidedAt: Date;
	readonly archivedAt: Date;
	readonly retainUntil: Date;
	readonly leafIndex: number;
	readonly chainIndex: number;
	/** Hex. */
	readonly chainHash: string;
};

export type ListCursor = Pick<ListedObject, "decidedAt" | "objectKey">;

/** Days of decision (UTC-4), both included. */
export type Period = { readonly from: string; readonly to: string };
type OpenPeriod = { readonly [Day in keyof Period]?: string | undefined };

type ListFilter = OpenPeriod & {
	readonly type?: string | undefined;
	readonly status?: string | undefined;
	readonly after?: ListCursor | undefined;
};

const columns = (sql: Sql) => sql`
	o.doc_id as "docId", o.object_key as "objectKey", o.version_id as "versionId", o.encf, o.type, o.status, encode(o.sha256, 'hex') as sha256,
	o.bytes, o.decided_at as "decidedAt", o.archived_at as "archivedAt", o.retain_until as "retainUntil",
	l.leaf_index as "leafIndex", l.chain_index as "chainIndex", encode(l.chain_hash, 'hex') as "chainHash"`;

const DAY_MS = 86_400_000;

/** The first instant of a day of UTC-4. */
function startOf(day: string): Date {
	return new Date(`${day}T04:00:00Z`);
}
/** The first instant after a day of UTC-4. */
function endOf(day: string): Date {
	return new Date(startOf(day).getTime() + DAY_MS);
}

/**
 * A tenant's objects, the latest decision first. One row more than `limit` means that there are more.
 *
 * Every page is a walk along an index of tenant, filter and order, from where the previous page ended, so the thousandth page costs as much as the
 * first. The walk has one start, the day's end or the cursor: given both, the database would start at the farther one and skip rows one by one.
 */
export async function listArchived(
	sql: Sql,
	tenantId: string,
	{ from, to, type, status, after }: ListFilter,
	limit: number,
): Promise<ListedObject[]> {
	const end = to === undefined ? undefined : endOf(to);
	const continues = after !== undefined && (end === undefined || after.decidedAt < end);
	return sql<ListedObject[]>`
		select ${columns(sql)} from archive_objects o join archive_leaves l on l.object_key = o.object_key
		where o.tenant_id = ${tenantId}
			${continues ? sql`and (o.decided_at, o.object_key) < (${after.decidedAt}, ${after.objectKey})` : sql``}
			${continues || end === undefined ? sql`` : sql`and o.decided_at < ${end}`}
			${from === undefined ? sql`` : sql`and o.decided_at >= ${startOf(from)}`}
			${type === undefined ? sql`` : sql`and o.type = ${type}`}
			${status === undefined ? sql`` : sql`and o.status = ${status}`}
			${status === undefined || status === "accepted" ? sql`` : sql`and o.status <> 'accepted'`}
		order by o.decided_at desc, o.object_key desc limit ${limit + 1}`;
}

/** A period's objects whose leaf index is below `leafBound`. */
export type Selection = Period & { readonly tenantId: string; readonly leafBound: number };

/** The objects of a selection after a cursor, the earliest decision first. The same selection always gives the same list. */
export async function listSelected(
	sql: Sql,
	{ tenantId, leafBound, from, to }: Selection,
	after: ListCursor | undefined,
	limit: number,
): Promise<ListedObject[]> {
	return sql<ListedObject[]>`
		select ${columns(sql)} from archive_objects o join archive_leaves l on l.object_key = o.object_key
		where o.tenant_id = ${tenantId} and o.decided_at < ${endOf(to)} and l.leaf_index < ${leafBound}
			${
				after === undefined
					? sql`and o.decided_at >= ${startOf(from)}`
					: sql`and (o.decided_at, o.object_key) > (${after.decidedAt}, ${after.objectKey})`
			}
		order by o.decided_at, o.object_key limit ${limit}`;
}
