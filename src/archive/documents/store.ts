/** SQL of the index: objects with their places in the tree and the chains, and lists of a tenant's objects. */

import { type Sql, type Tx, toJsonText } from "../../platform/database";
import { leaseParts, type Message } from "../../platform/outbox";

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

/** What lists show of a document. Null, as all of it, if the index was restored and the object could not be read. */
export type Described = {
	readonly encf: string | null;
	readonly type: string | null;
	readonly status: string | null;
};

/** An object to be added to the index. Its key follows from it. */
export type NewObject = Omit<ArchiveObject, "objectKey"> & Partial<Described>;

/** An object of the index, with its positions in its log and its tenant's chain. */
export type ArchivedObject = ArchiveObject & {
	/** Which of the document's objects, from 1. */
	readonly n: number;
	/** The log with the tenant's leaves. */
	readonly log: number;
	readonly leafIndex: number;
	/** Index of the link in the tenant's chain, from 0. */
	readonly chainIndex: number;
	/** Hex. */
	readonly chainHash: string;
	readonly archivedAt: Date;
};

/** The key of an object in the store. */
export const objectKeyOf = (sql: Sql | Tx) => sql`sealed_object_key(s.tenant_id, s.doc_id, s.decided_at, s.sha256)`;

const columns = (sql: Sql | Tx) => sql`
	s.doc_id as "docId", s.n, ${objectKeyOf(sql)} as "objectKey", encode(s.sha256, 'hex') as sha256, s.bytes, s.decided_at as "decidedAt",
	s.retain_until as "retainUntil", s.version_id as "versionId", s.shard as log, s.leaf as "leafIndex", s.link as "chainIndex",
	encode(s.link_hash, 'hex') as "chainHash", s.sealed_at as "archivedAt"`;

/**
 * Writes different objects into the index, and their leaves and links. The same object again changes nothing. For callers without a message, such as
 * tests; a paused handler could write a row of a removed document.
 */
export async function insertArchiveObjects(sql: Sql | Tx, objects: readonly NewObject[]): Promise<void> {
	await sql`select append_seals(${toJsonText(objects)}::text::json)`;
}

/** An object and the message it was written for. */
export type LeasedObject = { readonly message: Message; readonly object: NewObject };

/**
 * Writes objects into the index as `insertArchiveObjects` does, each only while its message is held. A handler that was paused for longer than its
 * lease may return when the document and its company are deleted. Returns for each whether it is in the index.
 */
export async function insertLeasedObjects(sql: Sql, all: readonly LeasedObject[]): Promise<boolean[]> {
	const named = all.map(({ message, object }) => ({ message: message.id, object }));
	const rows = await sql<{ id: string }[]>`
		with ${leaseParts(sql, all)}, given as materialized (
			select json_agg(n -> 'object') as objects from json_array_elements(${toJsonText(named)}::text::json) n
			where (n ->> 'message')::uuid in (select id from held)
		)
		select tenant || '/' || document || '/' || encode(digest, 'hex') as id
		from given, append_seals(given.objects) where given.objects is not null`;
	const indexed = new Set(rows.map(({ id }) => id));
	return all.map(({ object: { tenantId, docId, sha256 } }) => indexed.has(`${tenantId}/${docId}/${sha256}`));
}

/** A document's object of its latest decision; undefined if it was removed. */
export async function getArchiveObject(
	sql: Sql | Tx,
	tenantId: string,
	docId: string,
): Promise<ArchivedObject | undefined> {
	const [row] = await sql<(ArchivedObject & { isRemoved: boolean })[]>`
		select s.tenant_id as "tenantId", ${columns(sql)}, s.removed_at is not null as "isRemoved" from seals s
		where s.tenant_id = ${tenantId} and s.doc_id = ${docId} order by s.decided_at desc, s.n desc limit 1`;
	if (!row || row.isRemoved) return undefined;
	const { isRemoved: _, ...object } = row;
	return object;
}

/** The same of many documents; documents without one are left out. */
export async function findArchiveObjects(
	sql: Sql | Tx,
	keys: readonly { readonly tenantId: string; readonly docId: string }[],
): Promise<ArchivedObject[]> {
	const ids = keys.map(({ docId }) => docId).toSorted();
	const rows = await sql<(ArchivedObject & { isRemoved: boolean })[]>`
		select distinct on (s.tenant_id, s.doc_id) s.tenant_id as "tenantId", ${columns(sql)}, s.removed_at is not null as "isRemoved"
		from unnest(${keys.map(({ tenantId }) => tenantId)}::uuid[], ${keys.map(({ docId }) => docId)}::uuid[]) as w(tenant_id, doc_id)
		join seals s on s.tenant_id = w.tenant_id and s.doc_id = w.doc_id and s.doc_id between ${ids[0] ?? null}::uuid and ${ids.at(-1) ?? null}::uuid
		order by s.tenant_id, s.doc_id, s.decided_at desc, s.n desc`;
	return rows.filter(({ isRemoved }) => !isRemoved);
}

/** The tenant of an archived document. */
export async function findTenantOf(sql: Sql, docId: string): Promise<string | undefined> {
	const [row] = await sql<{ tenantId: string }[]>`
		select tenant_id as "tenantId" from seals where doc_id = ${docId} and removed_at is null limit 1`;
	return row?.tenantId;
}

/** Those of these decisions on documents that are archived. */
export async function findArchived(
	sql: Sql | Tx,
	decisions: readonly { readonly tenantId: string; readonly docId: string; readonly decidedAt: Date }[],
): Promise<Set<string>> {
	if (decisions.length === 0) return new Set();
	const ids = decisions.map(({ docId }) => docId);
	const rows = await sql<{ docId: string }[]>`
		select s.doc_id as "docId"
		from unnest(${decisions.map(({ tenantId }) => tenantId)}::uuid[], ${ids}::uuid[],
			${decisions.map(({ decidedAt }) => decidedAt.toISOString())}::timestamptz[]) d(tenant_id, doc_id, decided_at)
		join seals s on s.tenant_id = d.tenant_id and s.doc_id = d.doc_id and s.decided_at = d.decided_at`;
	return new Set(rows.map(({ docId }) => docId));
}

/** True if a document's object was removed after its retention. */
export async function isArchiveObjectRemoved(sql: Sql | Tx, tenantId: string, docId: string): Promise<boolean> {
	const rows = await sql`
		select 1 from seals where tenant_id = ${tenantId} and doc_id = ${docId} and removed_at is not null limit 1`;
	return rows.length > 0;
}

/** The newest object; undefined if the last one of every log was removed. */
export async function findNewestObject(
	sql: Sql | Tx,
): Promise<Pick<ArchiveObject, "objectKey" | "versionId"> | undefined> {
	const [row] = await sql<Pick<ArchiveObject, "objectKey" | "versionId">[]>`
		select ${objectKeyOf(sql)} as "objectKey", s.version_id as "versionId"
		from shards a cross join lateral (select * from seals where shard = a.shard order by leaf desc limit 1) s
		where s.removed_at is null order by s.sealed_at desc, s.leaf desc limit 1`;
	return row;
}

export type ListedObject = Omit<ArchivedObject, "tenantId"> & Described;

/** Where a page ended. Documents of the same instant are in the order of their ids. */
export type ListCursor = Pick<ListedObject, "decidedAt" | "docId" | "n">;

/** Days of decision (UTC-4), both included. */
export type Period = { readonly from: string; readonly to: string };
type OpenPeriod = { readonly [Day in keyof Period]?: string | undefined };

type ListFilter = OpenPeriod & {
	readonly type?: string | undefined;
	readonly status?: string | undefined;
	readonly after?: ListCursor | undefined;
};

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
 * Every page is a walk along an index of tenant and order, from where the previous page ended, so the thousandth page costs as much as the first. Type
 * and status are checked in the index. The walk has one start, the day's end or the cursor: given both, the database would start at the farther one and skip rows one by one.
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
		select ${columns(sql)}, s.encf, s.type, s.status from seals s
		where s.tenant_id = ${tenantId} and s.removed_at is null
			${continues ? sql`and (s.decided_at, s.doc_id, s.n) < (${after.decidedAt}, ${after.docId}, ${after.n})` : sql``}
			${continues || end === undefined ? sql`` : sql`and s.decided_at < ${end}`}
			${from === undefined ? sql`` : sql`and s.decided_at >= ${startOf(from)}`}
			${type === undefined ? sql`` : sql`and s.type = ${type}`}
			${status === undefined ? sql`` : sql`and s.status = ${status}`}
		order by s.decided_at desc, s.doc_id desc, s.n desc limit ${limit + 1}`;
}

/** Objects whose leaf index is below `leafBound`: those of a period, or of chosen documents. */
export type Selection = Period & {
	readonly tenantId: string;
	readonly leafBound: number;
	/** Null: the period's. */
	readonly docIds: readonly string[] | null;
};

/** How many objects a selection has, and their bytes. Reads at most one row more than `documentsMax`. */
export async function measureSelected(
	tx: Tx,
	selection: Selection,
	documentsMax: number,
): Promise<{ readonly documents: number; readonly bytes: number }> {
	const [row] = await tx<{ documents: number; bytes: number }[]>`
		select count(*)::int as documents, coalesce(sum(bytes), 0)::bigint as bytes from (
			select s.bytes from seals s where s.tenant_id = ${selection.tenantId} and ${isSelected(tx, selection)}
			limit ${documentsMax + 1}
		) selected`;
	return row ?? { documents: 0, bytes: 0 };
}

function isSelected(sql: Sql | Tx, { leafBound, docIds, from, to }: Selection) {
	const isThere = sql`s.removed_at is null and s.leaf < ${leafBound}`;
	if (docIds === null) return sql`${isThere} and s.decided_at >= ${startOf(from)} and s.decided_at < ${endOf(to)}`;
	const inOrder = docIds.toSorted();
	const [first, last] = [inOrder[0] ?? null, inOrder.at(-1) ?? null];
	return sql`${isThere} and s.doc_id between ${first}::uuid and ${last}::uuid and s.doc_id = any(${[...docIds]}::uuid[])`;
}

/** The objects of a selection after a cursor, the earliest decision first. The same selection always gives the same list. */
export async function listSelected(
	sql: Sql,
	selection: Selection,
	after: ListCursor | undefined,
	limit: number,
): Promise<ListedObject[]> {
	return sql<ListedObject[]>`
		select ${columns(sql)}, s.encf, s.type, s.status from seals s
		where s.tenant_id = ${selection.tenantId} and ${isSelected(sql, selection)}
			${after === undefined ? sql`` : sql`and (s.decided_at, s.doc_id, s.n) > (${after.decidedAt}, ${after.docId}, ${after.n})`}
		order by s.decided_at, s.doc_id, s.n limit ${limit}`;
}
