/**
 * A tenant's part of the index: what is listed, by day, type and status, and what an export of a period holds.
 *
 * Every page is a walk along an index that has the tenant, the filter and the order in it, from where the page before ended: the thousandth
 * page of a million costs as much as the first. Places in the tree and the chain are looked up by key for the rows of a page alone.
 */
import type { Sql } from "../platform/database";

export type ListedObject = {
	readonly docId: string;
	readonly objectKey: string;
	readonly versionId: string | null;
	/** Null, as type and status, where the index was made again from the archive alone. */
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

/** Where a page ended. */
export type Place = Pick<ListedObject, "decidedAt" | "objectKey">;

/** Days of decision (UTC-4), both included. */
export type Period = { readonly from: string; readonly to: string };
type OpenPeriod = { readonly [Day in keyof Period]?: string | undefined };

type ListFilter = OpenPeriod & {
	readonly type?: string | undefined;
	readonly status?: string | undefined;
	readonly after?: Place | undefined;
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
/** The first instant after it. */
function endOf(day: string): Date {
	return new Date(startOf(day).getTime() + DAY_MS);
}

/**
 * A tenant's objects, decided last first; one more than `limit` tells that there are more. The walk begins at one place, the day's or the cursor's:
 * of two that it had to begin behind, the database would begin at the farther one and step over everything in between.
 */
export async function listArchived(
	sql: Sql,
	tenantId: string,
	{ from, to, type, status, after }: ListFilter,
	limit: number,
): Promise<ListedObject[]> {
	const end = to === undefined ? undefined : endOf(to);
	const goesOn = after !== undefined && (end === undefined || after.decidedAt < end);
	return sql<ListedObject[]>`
		select ${columns(sql)} from archive_objects o join archive_leaves l on l.object_key = o.object_key
		where o.tenant_id = ${tenantId}
			${goesOn ? sql`and (o.decided_at, o.object_key) < (${after.decidedAt}, ${after.objectKey})` : sql``}
			${goesOn || end === undefined ? sql`` : sql`and o.decided_at < ${end}`}
			${from === undefined ? sql`` : sql`and o.decided_at >= ${startOf(from)}`}
			${type === undefined ? sql`` : sql`and o.type = ${type}`}
			${status === undefined ? sql`` : sql`and o.status = ${status}`}
			${status === undefined || status === "accepted" ? sql`` : sql`and o.status <> 'accepted'`}
		order by o.decided_at desc, o.object_key desc limit ${limit + 1}`;
}

/** Of a period's objects those whose leaf stands before `leafBound`. */
export type Selection = Period & { readonly tenantId: string; readonly leafBound: number };

/** The same objects in the same order whenever it is asked, the one decided first at the head, after one of them. */
export async function listSelected(
	sql: Sql,
	{ tenantId, leafBound, from, to }: Selection,
	after: Place | undefined,
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
