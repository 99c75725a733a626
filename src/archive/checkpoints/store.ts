/** SQL of checkpoints, of the keys that sign them, and of the leaves that they cover. */
import { LOCKS, mayWaitOutside, type Sql, type Tx } from "../../platform/database";

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
	readonly size: number;
	/** Hex. */
	readonly root: string;
	/** Hex. */
	readonly previous: string;
	readonly madeAt: Date;
	readonly note: string;
	readonly keyName: string;
	readonly objectKey: string;
};

export type LeafRow = {
	readonly leafIndex: number;
	readonly tenantId: string;
	readonly chainIndex: number;
	readonly docId: string;
	readonly objectKey: string;
	/** Hex. */
	readonly sha256: string;
	/** Null if the public sandbox has deleted the object. */
	readonly bytes: number | null;
	readonly decidedAt: Date;
	readonly retainUntil: Date | null;
	readonly versionId: string | null;
	/** Hex. */
	readonly leafHash: string;
};

/** How long a request waits for another's checkpoint. The first one of a large archive takes longer. */
const LOCK_WAIT_MS = 15_000;

/** Locks checkpoints and keys until the transaction ends, which may wait for the store. Throws the database's 55P03 after a time-out. */
export async function lockCheckpoints(tx: Tx): Promise<void> {
	await mayWaitOutside(tx);
	await tx`select set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`;
	await tx`select pg_advisory_xact_lock(${LOCKS.archiveCheckpoint})`;
}

export async function findLog(sql: Sql | Tx): Promise<LogRow | undefined> {
	const [row] = await sql<LogRow[]>`select encode(log_id, 'hex') as "logId", environment from archive_log`;
	return row;
}

export async function insertLog(tx: Tx, { logId, environment }: LogRow, madeAt: Date): Promise<void> {
	await tx`
		insert into archive_log (log_id, environment, made_at) values (decode(${logId}, 'hex'), ${environment}, ${madeAt})`;
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
	number, size, encode(root, 'hex') as root, encode(previous, 'hex') as previous, made_at as "madeAt", note, key_name as "keyName",
	object_key as "objectKey"`;

export async function findNewestCheckpoint(sql: Sql | Tx): Promise<CheckpointRow | undefined> {
	const [row] = await sql<CheckpointRow[]>`
		select ${columns(sql)} from archive_checkpoints order by number desc limit 1`;
	return row;
}

/** The first checkpoint of a key that covers so many leaves. */
export async function findCovering(
	sql: Sql | Tx,
	keyName: string,
	sizeMin: number,
): Promise<CheckpointRow | undefined> {
	const [row] = await sql<CheckpointRow[]>`
		select ${columns(sql)} from archive_checkpoints
		where key_name = ${keyName} and size >= ${sizeMin} order by size, number limit 1`;
	return row;
}

export async function findCheckpoints(sql: Sql | Tx, afterNumber: number, limit: number): Promise<CheckpointRow[]> {
	return [
		...(await sql<CheckpointRow[]>`
			select ${columns(sql)} from archive_checkpoints where number > ${afterNumber} order by number limit ${limit}`),
	];
}

/** The times of the newest checkpoints since a moment, oldest first. */
export async function findTimesSince(sql: Sql | Tx, since: Date, limit: number): Promise<Date[]> {
	const rows = await sql<{ madeAt: Date }[]>`
		select made_at as "madeAt" from archive_checkpoints where made_at > ${since} order by made_at desc limit ${limit}`;
	return rows.map(({ madeAt }) => madeAt).reverse();
}

export async function insertCheckpoint(tx: Tx, row: CheckpointRow): Promise<void> {
	await tx`
		insert into archive_checkpoints (number, size, root, previous, made_at, note, key_name, object_key)
		values (${row.number}, ${row.size}, decode(${row.root}, 'hex'), decode(${row.previous}, 'hex'), ${row.madeAt}, ${row.note},
			${row.keyName}, ${row.objectKey})`;
}

/** Leaves from `from` up to but not including `to`, in order. */
export async function findLeaves(sql: Sql | Tx, from: number, to: number): Promise<LeafRow[]> {
	return [
		...(await sql<LeafRow[]>`
			select l.leaf_index as "leafIndex", l.tenant_id as "tenantId", l.chain_index as "chainIndex", l.doc_id as "docId",
				l.object_key as "objectKey", encode(l.sha256, 'hex') as sha256, o.bytes, l.decided_at as "decidedAt",
				o.retain_until as "retainUntil", o.version_id as "versionId", encode(l.leaf_hash, 'hex') as "leafHash"
			from archive_leaves l left join archive_objects o on o.object_key = l.object_key
			where l.leaf_index >= ${from} and l.leaf_index < ${to} order by l.leaf_index`),
	];
}

/** The complete subtrees of so many leaves that have nodes, largest first. */
export async function findPeaks(
	sql: Sql | Tx,
	size: number,
): Promise<{ level: number; index: number; hash: Uint8Array }[]> {
	return [
		...(await sql<{ level: number; index: number; hash: Uint8Array }[]>`
			select n.level, n.node_index as index, n.hash from generate_series(4, 52) as at(level)
			join archive_nodes n on n.level = at.level and n.node_index = (${size}::bigint >> at.level) - 1
			where (${size}::bigint >> at.level) & 1 = 1 order by n.level desc`),
	];
}

export type LeafPlace = {
	/** Hex. */
	readonly leafHash: string;
	readonly chainIndex: number;
	/** Hex. The previous link of the tenant's chain; null for the first. */
	readonly previous: string | null;
	/** Hex. */
	readonly chainHash: string;
};

export async function findLeafPlace(sql: Sql | Tx, leafIndex: number): Promise<LeafPlace | undefined> {
	const [row] = await sql<LeafPlace[]>`
		select encode(l.leaf_hash, 'hex') as "leafHash", l.chain_index as "chainIndex", encode(b.chain_hash, 'hex') as previous,
			encode(l.chain_hash, 'hex') as "chainHash"
		from archive_leaves l left join archive_leaves b on b.tenant_id = l.tenant_id and b.chain_index = l.chain_index - 1
		where l.leaf_index = ${leafIndex}`;
	return row;
}
