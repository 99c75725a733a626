/** SQL of checkpoints, of the keys that sign them, and of the leaves that they cover. */
import { LOCKS, mayWaitOutside, type Sql, type Tx } from "../../platform/database";
import { objectKeyOf } from "../documents/store";
import type { SignedLog } from "./log-list";

export type LogRow = {
	/** Hex. */
	readonly logId: string;
	readonly environment: string;
};

export type KeyRow = {
	readonly number: number;
	readonly name: string;
	readonly publicKey: Uint8Array;
	readonly sealedPrivateKey: Uint8Array | null;
	/** As it is in the write-once store. */
	readonly note: string;
	readonly madeAt: Date;
};

export type CheckpointRow = {
	readonly number: number;
	/** The leaves of all logs. */
	readonly size: number;
	/** In the order of their numbers. */
	readonly logs: readonly SignedLog[];
	/** Over the logs. Hex. */
	readonly root: string;
	/** Hex. */
	readonly previous: string;
	readonly madeAt: Date;
	readonly note: string;
	readonly keyName: string;
	readonly objectKey: string;
};

export type LeafRow = {
	readonly log: number;
	readonly leafIndex: number;
	readonly tenantId: string;
	readonly chainIndex: number;
	readonly docId: string;
	readonly objectKey: string;
	/** Hex. */
	readonly sha256: string;
	/** Null if the object was removed. */
	readonly bytes: number | null;
	readonly decidedAt: Date;
	readonly retainUntil: Date | null;
	readonly versionId: string | null;
	/** As the tree has it. Hex; null if it has no such leaf. */
	readonly leafHash: string | null;
};

/** How long a request waits for another's checkpoint. The first one of a large archive takes longer. */
const LOCK_WAIT_MS = 15_000;

/** Locks checkpoints and keys until the transaction ends, which may wait for the store. Throws the database's 55P03 after a time-out. */
export async function lockCheckpoints(tx: Tx): Promise<void> {
	await mayWaitOutside(tx);
	await tx`select set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`;
	await tx`select pg_advisory_xact_lock(${LOCKS.archiveCheckpoint})`;
}

/** The log that the keys sign for, which is in their names: `sello/archive/ENVIRONMENT/LOG/DIGEST`. */
export async function findLog(sql: Sql | Tx): Promise<LogRow | undefined> {
	const [row] = await sql<{ name: string }[]>`select name from archive_keys order by number limit 1`;
	const [, , environment, logId] = row?.name.split("/") ?? [];
	return environment === undefined || logId === undefined ? undefined : { environment, logId };
}

export async function findKeys(sql: Sql | Tx): Promise<KeyRow[]> {
	return [
		...(await sql<KeyRow[]>`
			select number, name, public_key as "publicKey", sealed_private_key as "sealedPrivateKey", note, made_at as "madeAt"
			from archive_keys order by number desc`),
	];
}

export async function insertKey(tx: Tx, row: KeyRow): Promise<void> {
	const sealed = row.sealedPrivateKey === null ? null : Buffer.from(row.sealedPrivateKey);
	await tx`
		insert into archive_keys (number, name, public_key, sealed_private_key, note, made_at)
		values (${row.number}, ${row.name}, ${Buffer.from(row.publicKey)}, ${sealed}, ${row.note}, ${row.madeAt})`;
}

const columns = (sql: Sql | Tx) => sql`
	number, size, to_json(sizes) as sizes, encode(roots, 'hex') as roots, encode(root, 'hex') as root, encode(previous, 'hex') as previous,
	made_at as "madeAt", note, key_name as "keyName", object_key as "objectKey"`;

type StoredRow = Omit<CheckpointRow, "logs"> & { readonly sizes: readonly number[]; readonly roots: string };

const DIGITS = 64;

function toRow({ sizes, roots, ...row }: StoredRow): CheckpointRow {
	return { ...row, logs: sizes.map((size, log) => ({ size, root: roots.slice(log * DIGITS, (log + 1) * DIGITS) })) };
}

export async function findNewestCheckpoint(sql: Sql | Tx): Promise<CheckpointRow | undefined> {
	const rows = await sql<StoredRow[]>`
		select ${columns(sql)} from archive_checkpoints order by number desc limit 1`;
	return rows.map(toRow)[0];
}

/** The first checkpoint that covers a leaf of a log, of a key if its name is given. */
export async function findCovering(
	sql: Sql | Tx,
	keyName: string | null,
	{ log, leafIndex }: LeafAt,
): Promise<CheckpointRow | undefined> {
	const rows = await sql<StoredRow[]>`
		select ${columns(sql)} from archive_checkpoints where number = find_covering_checkpoint(${keyName}, ${log}, ${leafIndex})`;
	return rows.map(toRow)[0];
}

export type LeafAt = { readonly log: number; readonly leafIndex: number };

/** A checkpoint of so many leaves. All that have as many have the same ones. */
export async function findCheckpointOf(sql: Sql, size: number): Promise<CheckpointRow | undefined> {
	const rows = await sql<StoredRow[]>`
		select ${columns(sql)} from archive_checkpoints where size = ${size} order by number limit 1`;
	return rows.map(toRow)[0];
}

export async function findCheckpoints(sql: Sql | Tx, afterNumber: number, limit: number): Promise<CheckpointRow[]> {
	const rows = await sql<StoredRow[]>`
		select ${columns(sql)} from archive_checkpoints where number > ${afterNumber} order by number limit ${limit}`;
	return rows.map(toRow);
}

/** The times of the newest checkpoints since a moment, oldest first. */
export async function findTimesSince(sql: Sql | Tx, since: Date, limit: number): Promise<Date[]> {
	const rows = await sql<{ madeAt: Date }[]>`
		select made_at as "madeAt" from archive_checkpoints where made_at > ${since} order by made_at desc limit ${limit}`;
	return rows.map(({ madeAt }) => madeAt).reverse();
}

export async function insertCheckpoint(tx: Tx, row: CheckpointRow): Promise<void> {
	const sizes = row.logs.map(({ size }) => size);
	const roots = row.logs.map(({ root }) => root).join("");
	await tx`
		insert into archive_checkpoints (number, size, sizes, roots, root, previous, made_at, note, key_name, object_key)
		values (${row.number}, ${row.size}, ${sizes}::bigint[], decode(${roots}, 'hex'), decode(${row.root}, 'hex'),
			decode(${row.previous}, 'hex'), ${row.madeAt}, ${row.note}, ${row.keyName}, ${row.objectKey})`;
}

/** Leaves of a log from `from` up to but not including `to`, in order. */
export async function findLeaves(sql: Sql | Tx, log: number, from: number, to: number): Promise<LeafRow[]> {
	return [
		...(await sql<LeafRow[]>`
			select s.shard as log, s.leaf as "leafIndex", s.tenant_id as "tenantId", s.link as "chainIndex", s.doc_id as "docId",
				${objectKeyOf(sql)} as "objectKey", encode(s.sha256, 'hex') as sha256, case when s.removed_at is null then s.bytes end as bytes,
				s.decided_at as "decidedAt", s.retain_until as "retainUntil", s.version_id as "versionId",
				nullif(encode(substring(b.hashes from (s.leaf % 16)::int * 32 + 1 for 32), 'hex'), '') as "leafHash"
			from seals s join shards a on a.shard = s.shard left join tree_blocks b on b.anchor = a.anchor and b.block = s.leaf >> 4
			where s.shard = ${log} and s.leaf >= ${from} and s.leaf < ${to} order by s.leaf`),
	];
}

/** The complete subtrees of a log's first leaves that have nodes, largest first. */
export async function findPeaks(
	sql: Sql | Tx,
	log: number,
	size: number,
): Promise<{ level: number; index: number; hash: Uint8Array }[]> {
	return [
		...(await sql<{ level: number; index: number; hash: Uint8Array }[]>`
			select n.level, n.node as index, n.hash from shards a, generate_series(4, 52) as at(level)
			join tree_nodes n on n.level = at.level and n.node = (${size}::bigint >> at.level) - 1
			where a.shard = ${log} and n.anchor = a.anchor and (${size}::bigint >> at.level) & 1 = 1 order by n.level desc`),
	];
}

/** A document's link of its tenant's chain. */
export type ChainPlace = {
	/** Hex. The previous link; null for the first. */
	readonly previous: string | null;
	/** Hex. */
	readonly chainHash: string;
};

export async function findChainPlace(sql: Sql | Tx, tenantId: string, link: number): Promise<ChainPlace | undefined> {
	const rows = await sql<{ link: number; hash: string }[]>`
		select link, encode(link_hash, 'hex') as hash from seals
		where tenant_id = ${tenantId} and link between ${link - 1} and ${link} and link >= 0`;
	const own = rows.find((row) => row.link === link);
	return own && { chainHash: own.hash, previous: rows.find((row) => row.link === link - 1)?.hash ?? null };
}
