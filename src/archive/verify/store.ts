/** SQL of the verification: leaves with everything that must agree with them, and surplus rows. */
import type { Sql, Tx } from "../../platform/database";
import { ARCHIVE_KINDS, findLogged } from "../../platform/outbox";
import { isId } from "../../platform/values";
import { objectKeyOf } from "../documents/store";
import type { Piece } from "../merkle";

/** A row of the index with its leaf in the tree and the previous link of its chain. */
export type VerifiedLeaf = {
	readonly log: number;
	readonly leafIndex: number;
	readonly tenantId: string;
	readonly chainIndex: number;
	readonly objectKey: string;
	readonly docId: string;
	readonly sha256: Uint8Array;
	readonly decidedAt: Date;
	/** As the tree has it; null if it has none. */
	readonly leafHash: Uint8Array | null;
	readonly chainHash: Uint8Array;
	/** Hash of the previous link; null for the first link or if it is missing. */
	readonly previousHash: Uint8Array | null;
	readonly previousLeafIndex: number | null;
	/** Null if the object was removed, after its retention or from the public sandbox. */
	readonly kept: KeptRow | null;
};

export type KeptRow = {
	readonly bytes: number;
	readonly retainUntil: Date;
	readonly versionId: string | null;
};

type Flat = Omit<VerifiedLeaf, "kept"> & KeptRow & { readonly isRemoved: boolean };

/** Rows of a log's leaves in a range of indexes, in order. */
export async function findVerifiedLeaves(
	sql: Sql,
	page: { readonly log: number; readonly from: number; readonly to: number; readonly limit: number },
): Promise<VerifiedLeaf[]> {
	const rows = await sql<Flat[]>`
		select s.shard as log, s.leaf as "leafIndex", s.tenant_id as "tenantId", s.link as "chainIndex", ${objectKeyOf(sql)} as "objectKey",
			s.doc_id as "docId", s.sha256, s.decided_at as "decidedAt", s.link_hash as "chainHash",
			nullif(substring(b.hashes from (s.leaf % 16)::int * 32 + 1 for 32), ''::bytea) as "leafHash",
			p.link_hash as "previousHash", p.leaf as "previousLeafIndex",
			s.bytes, s.retain_until as "retainUntil", s.version_id as "versionId", s.removed_at is not null as "isRemoved"
		from seals s
		join shards a on a.shard = s.shard
		left join tree_blocks b on b.anchor = a.anchor and b.block = s.leaf >> 4
		left join seals p on p.tenant_id = s.tenant_id and p.link = s.link - 1 and p.link >= 0
		where s.shard = ${page.log} and s.leaf >= ${page.from} and s.leaf < ${page.to} order by s.leaf limit ${page.limit}`;
	return rows.map(({ isRemoved, bytes, retainUntil, versionId, ...leaf }) => ({
		...leaf,
		kept: isRemoved ? null : { bytes, retainUntil, versionId },
	}));
}

/** How many seals of each log were dropped after their retention, and whose. */
export async function findRemovals(
	sql: Sql,
): Promise<readonly { readonly tenantId: string; readonly log: number; readonly seals: number }[]> {
	return sql<{ tenantId: string; log: number; seals: number }[]>`
		select tenant_id as "tenantId", shard as log, sum(seals)::float8 as seals from archive_removals group by 1, 2`;
}

export async function countObjects(sql: Sql): Promise<number> {
	const [row] = await sql<{ count: number }[]>`select count(*) from seals where removed_at is null`;
	return row?.count ?? 0;
}

/** Rows of the index that name a leaf that their tree does not have. */
export async function findRowsWithoutLeaf(
	sql: Sql | Tx,
	limit: number,
): Promise<{ readonly docId: string; readonly objectKey: string }[]> {
	return sql<{ docId: string; objectKey: string }[]>`
		select s.doc_id as "docId", ${objectKeyOf(sql)} as "objectKey"
		from shards a join seals s on s.shard = a.shard and s.leaf >= tree_size(a.anchor) order by s.shard, s.leaf limit ${limit}`;
}

/** A log's nodes at these positions: `level/index` → hash. */
export async function findNodes(sql: Sql, log: number, places: readonly Piece[]): Promise<Map<string, Uint8Array>> {
	const rows = await sql<{ place: string; hash: Uint8Array }[]>`
		select n.level || '/' || n.node as place, n.hash
		from unnest(${places.map(({ level }) => level)}::int[], ${places.map(({ index }) => index)}::bigint[]) as w(level, index)
		join shards a on a.shard = ${log}
		join tree_nodes n on n.anchor = a.anchor and n.level = w.level and n.node = w.index`;
	return new Map(rows.map(({ place, hash }) => [place, hash]));
}

export async function findSurplusNodes(sql: Sql, limit: number): Promise<(Piece & { readonly log: number })[]> {
	return sql<(Piece & { log: number })[]>`
		select a.shard as log, n.level, n.node as index from shards a join tree_nodes n on n.anchor = a.anchor
		where (n.node + 1) * (1::numeric * 2 ^ n.level) > tree_size(a.anchor)
		order by a.shard, n.level, n.node limit ${limit}`;
}

type KnownKey = { readonly log: number; readonly leafIndex: number; readonly isRemoved: boolean };

const KEY = /^([0-9a-f-]{36})\/\d{4}\/([0-9a-f-]{36})-[0-9a-f]{16}\.zip$/;

/** Which of these keys have a row, its leaf, and whether the object was removed. */
export async function findKnownKeys(sql: Sql | Tx, keys: readonly string[]): Promise<Map<string, KnownKey>> {
	const names = keys.flatMap((key) => {
		const [, tenantId, docId] = KEY.exec(key) ?? [];
		return tenantId !== undefined && isId(tenantId) && docId !== undefined && isId(docId)
			? [{ key, tenantId, docId }]
			: [];
	});
	const rows = await sql<(KnownKey & { key: string })[]>`
		select k.key, s.shard as log, s.leaf as "leafIndex", s.removed_at is not null as "isRemoved"
		from unnest(${names.map(({ key }) => key)}::text[], ${names.map(({ tenantId }) => tenantId)}::uuid[],
			${names.map(({ docId }) => docId)}::uuid[]) as k(key, tenant_id, doc_id)
		join seals s on s.tenant_id = k.tenant_id and s.doc_id = k.doc_id and ${objectKeyOf(sql)} = k.key`;
	return new Map(rows.map(({ key, ...known }) => [key, known]));
}

/** The documents with these digests (hex): digest → document and its key. */
export async function findByDigest(
	sql: Sql,
	digests: readonly string[],
): Promise<Map<string, { readonly docId: string; readonly objectKey: string }>> {
	if (digests.length === 0) return new Map();
	const rows = await sql<{ digest: string; docId: string; objectKey: string }[]>`
		select encode(s.sha256, 'hex') as digest, s.doc_id as "docId", ${objectKeyOf(sql)} as "objectKey" from seals s
		where s.sha256 in (select decode(d, 'hex') from unnest(${[...new Set(digests)]}::text[]) d)`;
	return new Map(rows.map(({ digest, ...one }) => [digest, one]));
}

/** Which of these documents have an archiving under way. */
export async function findWaitingDocuments(
	sql: Sql,
	documents: readonly { readonly tenantId: string; readonly docId: string }[],
): Promise<Set<string>> {
	const rows = await sql<{ docId: string }[]>`
		select distinct m.subject as "docId"
		from unnest(${documents.map(({ tenantId }) => tenantId)}::uuid[], ${documents.map(({ docId }) => docId)}::uuid[]) as d (tenant_id, doc_id)
		join outbox m on m.tenant_id = d.tenant_id and m.subject = d.doc_id
		where m.kind = any(${[...ARCHIVE_KINDS]}::text[]) and m.state = 'ready'`;
	return new Set([...rows.map(({ docId }) => docId), ...(await findLogged(sql, documents))]);
}
