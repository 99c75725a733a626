/** SQL of restoring the index. One transaction writes all of it and blocks archiving. */
import { codeOf, type Sql, type Tx, toJsonText } from "../../platform/database";

/** A row of the index. Members from the document's manifest are null if it could not be read. */
export type RestoredRow = {
	readonly objectKey: string;
	readonly docId: string;
	readonly tenantId: string;
	readonly sha256: string;
	readonly bytes: number;
	readonly decidedAt: string;
	readonly retainUntil: string;
	readonly versionId: string | null;
	readonly encf: string | null;
	readonly type: string | null;
	readonly status: string | null;
};

type RestoredLeaf = Pick<RestoredRow, "objectKey" | "docId" | "tenantId" | "sha256" | "decidedAt"> & {
	readonly leafIndex: number;
	/** Absent if only the leaf's order is known. */
	readonly chainIndex?: number;
};

/** Raised by `restore_archive_leaves`. */
const OTHER_LEAF = "SL032";

/** Returns how many leaves were new. Throws RestoreRefusedError if an existing leaf differs. */
export async function restoreLeaves(tx: Tx, leaves: readonly RestoredLeaf[]): Promise<number> {
	try {
		const [row] = await tx<{ added: number }[]>`
			select restore_archive_leaves(${toJsonText(leaves)}::text::json) as added`;
		return row?.added ?? 0;
	} catch (error) {
		if (codeOf(error) === OTHER_LEAF && error instanceof Error) throw new RestoreRefusedError(error.message, error);
		throw error;
	}
}

const columns = (tx: Tx, rows: readonly RestoredRow[]) => tx`
	json_to_recordset(${toJsonText(rows)}::text::json) as g("objectKey" text, "docId" uuid, "tenantId" uuid, sha256 text, bytes int,
		"decidedAt" timestamptz, "retainUntil" timestamptz, "versionId" text, encf text, type text, status text)`;

/** Returns how many rows were new. Throws RestoreRefusedError if an existing row differs in more than a longer retention. */
export async function restoreRows(tx: Tx, rows: readonly RestoredRow[]): Promise<number> {
	if (rows.length === 0) return 0;
	const { count } = await tx`
		insert into archive_objects (object_key, doc_id, tenant_id, sha256, bytes, decided_at, retain_until, version_id, encf, type, status)
		select g."objectKey", g."docId", g."tenantId", decode(g.sha256, 'hex'), g.bytes, g."decidedAt", g."retainUntil", g."versionId", g.encf,
			g.type, g.status
		from ${columns(tx, rows)} on conflict (object_key) do nothing`;
	const [other] = await tx<{ key: string }[]>`
		select o.object_key as key from ${columns(tx, rows)} join archive_objects o on o.object_key = g."objectKey"
		where (o.doc_id, o.tenant_id, o.sha256, o.bytes, o.decided_at)
			is distinct from (g."docId", g."tenantId", decode(g.sha256, 'hex'), g.bytes, g."decidedAt") limit 1`;
	if (other) throw new RestoreRefusedError(`the index has another row of ${other.key}`);
	return count;
}

/** Records objects that were removed after their retention. */
export async function restoreRemovals(tx: Tx, rows: readonly RestoredRow[]): Promise<void> {
	if (rows.length === 0) return;
	await tx`
		insert into archive_removals (object_key, tenant_id, doc_id, sha256, retain_until)
		select g."objectKey", g."tenantId", g."docId", decode(g.sha256, 'hex'), g."retainUntil" from ${columns(tx, rows)}
		on conflict (object_key) do nothing`;
}

/** Which of these keys have a leaf. */
export async function findLeafKeys(tx: Tx, keys: readonly string[]): Promise<Map<string, number>> {
	const rows = await tx<{ key: string; leafIndex: number }[]>`
		select object_key as key, leaf_index as "leafIndex" from archive_leaves where object_key = any(${[...keys]}::text[])`;
	return new Map(rows.map(({ key, leafIndex }) => [key, leafIndex]));
}

/** Counts objects of the index by the range of their leaves. */
export async function countRows(tx: Tx, from: number, to: number): Promise<number> {
	const [row] = await tx<{ count: number }[]>`
		select count(*) from archive_leaves l join archive_objects o on o.object_key = l.object_key
		where l.leaf_index >= ${from} and l.leaf_index < ${to}`;
	return row?.count ?? 0;
}

/** The key of a row without a leaf, if there is one. */
export async function findRowWithoutLeaf(sql: Sql | Tx): Promise<string | undefined> {
	const [row] = await sql<{ key: string }[]>`
		select o.object_key as key from archive_objects o
		where not exists (select from archive_leaves l where l.object_key = o.object_key) limit 1`;
	return row?.key;
}

/** The database's clock, which decides whether an object's retention is over. */
export async function readNow(tx: Tx): Promise<Date> {
	const [row] = await tx<{ now: Date }[]>`select now()`;
	if (!row) throw new Error("expected the time");
	return row.now;
}

/** The index cannot be restored from this archive, or not in this database. Nothing was changed. */
export class RestoreRefusedError extends Error {
	constructor(
		readonly reason: string,
		cause?: unknown,
	) {
		super(`the archive's index was not restored: ${reason}`, { cause });
		this.name = "RestoreRefusedError";
	}
}
