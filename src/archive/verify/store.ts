/** SQL of the verification: leaves with everything that must agree with them, and surplus rows. */
import type { Sql, Tx } from "../../platform/database";
import { ARCHIVE_KINDS } from "../../platform/outbox";
import type { Piece } from "../merkle";

/** A leaf, the previous link of its chain, and its row of the index. */
export type VerifiedLeaf = {
	readonly leafIndex: number;
	readonly tenantId: string;
	readonly chainIndex: number;
	readonly objectKey: string;
	readonly docId: string;
	readonly sha256: Uint8Array;
	readonly decidedAt: Date;
	readonly leafHash: Uint8Array;
	readonly chainHash: Uint8Array;
	/** Hash of the previous link; null for the first link or if it is missing. */
	readonly previousHash: Uint8Array | null;
	readonly previousLeafIndex: number | null;
	readonly row: IndexRow | null;
	/** True if the object may be gone: its retention is over, or the public sandbox deleted its document. */
	readonly isLetGo: boolean;
};

export type IndexRow = {
	readonly tenantId: string;
	readonly docId: string;
	/** Hex. */
	readonly sha256: string;
	readonly bytes: number;
	readonly decidedAt: Date;
	readonly retainUntil: Date;
	readonly versionId: string | null;
};

type JsonRow = Omit<IndexRow, "decidedAt" | "retainUntil"> & { decidedAt: string; retainUntil: string };

const indexRow = (sql: Sql | Tx) => sql`
	json_build_object('tenantId', o.tenant_id, 'docId', o.doc_id, 'sha256', encode(o.sha256, 'hex'), 'bytes', o.bytes, 'decidedAt', o.decided_at,
		'retainUntil', o.retain_until, 'versionId', o.version_id)`;

function toIndexRow(row: JsonRow): IndexRow {
	return { ...row, decidedAt: new Date(row.decidedAt), retainUntil: new Date(row.retainUntil) };
}

/** The leaves of a range of indexes, in order. */
export async function findVerifiedLeaves(
	sql: Sql,
	page: { readonly from: number; readonly to: number; readonly limit: number; readonly isForgetful: boolean },
): Promise<VerifiedLeaf[]> {
	const rows = await sql<(Omit<VerifiedLeaf, "row"> & { row: JsonRow | null })[]>`
		select l.leaf_index as "leafIndex", l.tenant_id as "tenantId", l.chain_index as "chainIndex", l.object_key as "objectKey",
			l.doc_id as "docId", l.sha256, l.decided_at as "decidedAt", l.leaf_hash as "leafHash", l.chain_hash as "chainHash",
			p.chain_hash as "previousHash", p.leaf_index as "previousLeafIndex",
			case when o.object_key is not null then ${indexRow(sql)} end as row,
			exists (select from archive_removals r where r.object_key = l.object_key)
				or (${page.isForgetful} and not exists (select from documents d where d.tenant_id = l.tenant_id and d.doc_id = l.doc_id)) as "isLetGo"
		from archive_leaves l
		left join archive_leaves p on p.tenant_id = l.tenant_id and p.chain_index = l.chain_index - 1
		left join archive_objects o on o.object_key = l.object_key
		where l.leaf_index >= ${page.from} and l.leaf_index < ${page.to} order by l.leaf_index limit ${page.limit}`;
	return rows.map((leaf) => ({ ...leaf, row: leaf.row && toIndexRow(leaf.row) }));
}

export async function countObjects(sql: Sql): Promise<number> {
	const [row] = await sql<{ count: number }[]>`select count(*) from archive_objects`;
	return row?.count ?? 0;
}

/** Rows of the index without a leaf, after a key. */
export async function findRowsWithoutLeaf(
	sql: Sql,
	page: { readonly after: string; readonly limit: number },
): Promise<(IndexRow & { readonly objectKey: string })[]> {
	const rows = await sql<{ objectKey: string; row: JsonRow }[]>`
		select o.object_key as "objectKey", ${indexRow(sql)} as row from archive_objects o
		where o.object_key > ${page.after} and not exists (select from archive_leaves l where l.object_key = o.object_key)
		order by o.object_key limit ${page.limit}`;
	return rows.map(({ objectKey, row }) => ({ objectKey, ...toIndexRow(row) }));
}

/** The nodes at these positions: `level/index` → hash. */
export async function findNodes(sql: Sql, places: readonly Piece[]): Promise<Map<string, Uint8Array>> {
	const rows = await sql<{ place: string; hash: Uint8Array }[]>`
		select n.level || '/' || n.node_index as place, n.hash
		from unnest(${places.map(({ level }) => level)}::int[], ${places.map(({ index }) => index)}::bigint[]) as w(level, index)
		join archive_nodes n on n.level = w.level and n.node_index = w.index`;
	return new Map(rows.map(({ place, hash }) => [place, hash]));
}

export async function findSurplusNodes(sql: Sql, limit: number): Promise<Piece[]> {
	return sql<Piece[]>`
		select level, node_index as index from archive_nodes
		where (node_index + 1) * (1::numeric * 2 ^ level) > (select coalesce(max(leaf_index) + 1, 0) from archive_leaves)
		order by level, node_index limit ${limit}`;
}

/** Which of these keys have a row, which have a leaf only, and which were removed after their retention. */
export async function findKnownKeys(
	sql: Sql,
	keys: readonly string[],
): Promise<Map<string, { readonly hasRow: boolean; readonly isRemoved: boolean }>> {
	const rows = await sql<{ key: string; hasRow: boolean; isRemoved: boolean }[]>`
		select k.key, o.object_key is not null as "hasRow",
			exists (select from archive_removals r where r.object_key = k.key) as "isRemoved"
		from unnest(${[...keys]}::text[]) as k(key)
		left join archive_objects o on o.object_key = k.key
		left join archive_leaves l on l.object_key = k.key
		where o.object_key is not null or l.object_key is not null`;
	return new Map(rows.map(({ key, ...known }) => [key, known]));
}

/** The documents with these digests (hex): digest → document and its key. */
export async function findByDigest(
	sql: Sql,
	digests: readonly string[],
): Promise<Map<string, { readonly docId: string; readonly objectKey: string }>> {
	if (digests.length === 0) return new Map();
	const rows = await sql<{ digest: string; docId: string; objectKey: string }[]>`
		select encode(sha256, 'hex') as digest, doc_id as "docId", object_key as "objectKey" from archive_leaves
		where sha256 in (select decode(d, 'hex') from unnest(${[...new Set(digests)]}::text[]) d)`;
	return new Map(rows.map(({ digest, ...one }) => [digest, one]));
}

export async function findWaitingDocuments(sql: Sql, docIds: readonly string[]): Promise<Set<string>> {
	const rows = await sql<{ docId: string }[]>`
		select distinct subject as "docId" from outbox
		where subject = any(${[...docIds]}::uuid[]) and kind = any(${[...ARCHIVE_KINDS]}::text[]) and state = 'ready'`;
	return new Set(rows.map(({ docId }) => docId));
}
