/** SQL of exports. */
import { lockNameOf, mayWaitOutside, type Sql, type Tx } from "../../platform/database";
import { lockLeasedMessage, type Message } from "../../platform/outbox";
import { findCovering, findKeys, type LeafAt, writeLogs } from "../checkpoints";
import type { Damage, ExportRow, Failure } from "./export";

const columns = (sql: Sql | Tx) => sql`
	id, tenant_id as "tenantId", from_day::text as "from", to_day::text as "to", format, doc_ids is not null as "isChosen", leaf_bound as "leafBound", status, documents, bytes,
	encode(sha256, 'hex') as sha256, encode(chain_from, 'hex') as "chainFrom", encode(chain_to, 'hex') as "chainTo", tree_size as "treeSize",
	encode(merkle_root, 'hex') as "merkleRoot", failure, damaged, damaged_count as "damagedCount", created_at as "createdAt", completed_at as "completedAt", expires_at as "expiresAt"`;

type NewExport = Pick<
	ExportRow,
	"id" | "tenantId" | "from" | "to" | "format" | "leafBound" | "documents" | "createdAt"
> &
	Chosen;

/** The documents of an export that was begun. */
export type Chosen = { readonly docIds: readonly string[] | null };

export async function insertExport(tx: Tx, row: NewExport): Promise<ExportRow> {
	const [stored] = await tx<ExportRow[]>`
		insert into archive_exports (id, tenant_id, from_day, to_day, doc_ids, format, leaf_bound, documents, created_at)
		values (${row.id}, ${row.tenantId}, ${row.from}, ${row.to}, ${row.docIds && [...row.docIds]}::uuid[], ${row.format}, ${row.leafBound}, ${row.documents}, ${row.createdAt})
		returning ${columns(tx)}`;
	if (!stored) throw new Error(`export ${row.id} was inserted and is not there`);
	return stored;
}

/** Counts a tenant's exports in work, and those of chosen documents or of periods that are ready for download. The tenant's next order waits until the transaction ends. */
export async function countExports(
	tx: Tx,
	tenantId: string,
	isChosen: boolean,
	now: Date,
): Promise<{ readonly making: number; readonly kept: number }> {
	await tx`select pg_advisory_xact_lock(hashtextextended(${lockNameOf("archiveExports", tenantId)}, 0))`;
	const [row] = await tx<{ making: number; kept: number }[]>`
		select count(*) filter (where status in ('queued', 'running'))::int as making,
			count(*) filter (where status = 'ready' and expires_at > ${now} and (doc_ids is not null) = ${isChosen})::int as kept
		from archive_exports where tenant_id = ${tenantId}`;
	return row ?? { making: 0, kept: 0 };
}

/** The size of the tenant's log; later documents have larger leaf indexes. */
export async function readLeafBound(tx: Tx, tenantId: string): Promise<number> {
	const [row] = await tx<{ bound: number }[]>`
		select tree_size(anchor) as bound from shards where shard = shard_of(${tenantId}::uuid)`;
	return row?.bound ?? 0;
}

export async function findExport(sql: Sql | Tx, tenantId: string, id: string): Promise<ExportRow | undefined> {
	const [row] = await sql<ExportRow[]>`
		select ${columns(sql)} from archive_exports where tenant_id = ${tenantId} and id = ${id}`;
	return row;
}

/** An export by its id alone, for an address whose signature was checked. */
export async function findSignedExport(sql: Sql, id: string): Promise<ExportRow | undefined> {
	const [row] = await sql<ExportRow[]>`select ${columns(sql)} from archive_exports where id = ${id}`;
	return row;
}

/** A tenant's exports, newest first. One row more than `limit` means that there are more. */
export async function findExports(
	sql: Sql,
	tenantId: string,
	after: string | undefined,
	limit: number,
): Promise<ExportRow[]> {
	return sql<ExportRow[]>`
		select ${columns(sql)} from archive_exports
		where tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and id < ${after}`}
		order by id desc limit ${limit + 1}`;
}

/** Starts an export's making. Undefined if the message is lost or the export has ended. */
export async function beginExport(sql: Sql, message: Message): Promise<(ExportRow & Chosen) | undefined> {
	return sql.begin(async (tx) => {
		if (!(await lockLeasedMessage(tx, message))) return undefined;
		const [row] = await tx<(ExportRow & Chosen)[]>`
			update archive_exports set status = 'running'
			where tenant_id = ${message.tenantId} and id = ${message.subject} and status in ('queued', 'running')
			returning ${columns(tx)}, doc_ids::text[] as "docIds"`;
		return row;
	});
}

export type Made = {
	readonly documents: number;
	readonly bytes: number;
	readonly sha256: string;
	readonly chain: { readonly from: string; readonly to: string } | undefined;
	readonly tree: { readonly size: number; readonly root: string } | undefined;
	readonly damaged: readonly Damage[];
	readonly damagedCount: number;
};

/** Records a finished export and moves its file into place, if the message is still held. */
export async function completeExport(
	sql: Sql,
	message: Message,
	{ documents, bytes, sha256, chain, tree, damaged, damagedCount }: Made,
	times: { readonly completedAt: Date; readonly expiresAt: Date },
	appear: () => Promise<void>,
): Promise<void> {
	const digest = (hex: string | undefined) => (hex === undefined ? null : Buffer.from(hex, "hex"));
	await sql.begin(async (tx) => {
		if (!(await lockLeasedMessage(tx, message))) return;
		await tx`
			update archive_exports
			set status = 'ready', doc_ids = doc_ids[1:0], documents = ${documents}, bytes = ${bytes}, sha256 = ${digest(sha256)},
				chain_from = ${digest(chain?.from)}, chain_to = ${digest(chain?.to)},
				tree_size = ${tree?.size ?? null}, merkle_root = ${digest(tree?.root)},
				damaged = ${tx.json(damaged)}, damaged_count = ${damagedCount},
				completed_at = ${times.completedAt}, expires_at = ${times.expiresAt}
			where tenant_id = ${message.tenantId} and id = ${message.subject} and status = 'running'`;
		// Before the commit, so that a ready export has its file. A shared folder may take longer than a transaction may be idle.
		await mayWaitOutside(tx);
		await appear();
	});
}

export async function failExport(sql: Sql, message: Message, failure: Failure, completedAt: Date): Promise<void> {
	await sql.begin(async (tx) => {
		if (!(await lockLeasedMessage(tx, message))) return;
		await tx`
			update archive_exports set status = 'failed', doc_ids = doc_ids[1:0], failure = ${tx.json(failure)}, completed_at = ${completedAt}
			where tenant_id = ${message.tenantId} and id = ${message.subject} and status = 'running'`;
	});
}

/** Marks exports past their time as expired. Returns the count. */
export async function expireExports(sql: Sql, now: Date): Promise<number> {
	const result = await sql`
		update archive_exports set status = 'expired' where status = 'ready' and expires_at <= ${now}`;
	return result.count;
}

export async function findLiving(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
	const rows = await sql<{ id: string }[]>`
		select id from archive_exports where id = any(${[...ids]}::uuid[]) and status in ('queued', 'running', 'ready')`;
	return new Set(rows.map(({ id }) => id));
}

export type Link = {
	readonly chainIndex: number;
	readonly docId: string;
	readonly sha256: string;
	readonly decidedAt: Date;
	readonly chainHash: string;
};

/** Links of a tenant's chain in order, both ends included. */
export async function listLinks(sql: Sql, tenantId: string, from: number, to: number, limit: number): Promise<Link[]> {
	return sql<Link[]>`
		select link as "chainIndex", doc_id as "docId", encode(sha256, 'hex') as sha256, decided_at as "decidedAt",
			encode(link_hash, 'hex') as "chainHash"
		from seals where tenant_id = ${tenantId} and link between ${from} and ${to} and link >= 0 order by link limit ${limit}`;
}

type Covering = {
	/** The log at the checkpoint. */
	readonly size: number;
	/** Hex. */
	readonly root: string;
	readonly note: string;
	/** The list of all logs under the note's root. */
	readonly logs: string;
	/** The signing key's object in the write-once store. */
	readonly key: string;
};

/** The first checkpoint that covers a leaf of a log. Once there is one, it stays the same. */
export async function findCoveringNote(sql: Sql, leaf: LeafAt): Promise<Covering | undefined> {
	const [checkpoint, keys] = await Promise.all([findCovering(sql, null, leaf), findKeys(sql)]);
	const signed = checkpoint?.logs[leaf.log];
	const key = keys.find(({ name }) => name === checkpoint?.keyName);
	return (
		checkpoint && signed && key && { ...signed, note: checkpoint.note, logs: writeLogs(checkpoint.logs), key: key.note }
	);
}
