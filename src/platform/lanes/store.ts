/** SQL of lanes and of the shards that they own. */
import { codeOf, type FencedSession, LOCKS, type Sql, type Tx } from "../database";

/** The fencing token of a lane. */
export type LaneToken = { readonly lane: string; readonly epoch: number };

/** The process and the thread of a lane. */
export type Place = { readonly node: string; readonly thread: string };

type LaneRow = LaneToken & { readonly isLive: boolean; readonly isLeaving: boolean };
type ShardRow = {
	readonly shard: number;
	readonly lane: string | null;
	readonly term: number;
	/** Seconds since a lane gave it up because it had too many; null: never. */
	readonly releasedSecondsAgo: number | null;
};

/** All lanes by id and all shards by number, at one moment. */
export type View = { readonly lanes: readonly LaneRow[]; readonly shards: readonly ShardRow[] };

/** SQLSTATE of `hold_lane` for a lane that has been taken over. */
const FENCED = "SL064";
// Source: PostgreSQL, Appendix A.
const LOCK_NOT_AVAILABLE = "55P03";
/** How long to wait for the open transactions of a lane, in PostgreSQL's notation; then the next look tries again. */
const LOCK_WAIT = "300ms";

/** True for the error of a write of a lane that has been taken over. */
export function isFenced(error: unknown): boolean {
	return codeOf(error) === FENCED;
}

export async function insertLane(sql: Sql, { lane, epoch }: LaneToken, place: Place, leaseSeconds: number) {
	await sql`
		insert into lanes (lane, epoch, node, thread, lease_until)
		values (${lane}, ${epoch}, ${place.node}, ${place.thread}, now() + make_interval(secs => ${leaseSeconds}))`;
}

export async function listLanes(sql: Sql): Promise<(Place & { readonly lane: string })[]> {
	return sql<(Place & { lane: string })[]>`select lane, node, thread from lanes`;
}

/** Renews the lease of a lane that a fifth of has passed, and reads the view from before. */
export async function renewAndLook(
	sql: Sql,
	{ lane, epoch }: LaneToken,
	leaseSeconds: number,
): Promise<View & { readonly isRenewed: boolean }> {
	const [row] = await sql<(View & { isRenewed: boolean })[]>`
		with renewed as (
			update lanes set lease_until = now() + make_interval(secs => ${leaseSeconds})
			where lane = ${lane} and epoch = ${epoch} and lease_until < now() + make_interval(secs => ${leaseSeconds} * 0.8)
			returning lane
		)
		select exists (select from renewed) as "isRenewed",
			(
				select coalesce(json_agg(json_build_object(
					'lane', lane, 'epoch', epoch, 'isLive', lease_until > now(), 'isLeaving', is_leaving
				) order by lane), '[]') from lanes
			) as lanes,
			(
				select json_agg(json_build_object('shard', shard, 'lane', lane, 'term', term, 'releasedSecondsAgo',
					case when isfinite(released_at) then extract(epoch from now() - released_at) end) order by shard) from shards
			) as shards`;
	if (!row) throw new Error("expected a row without a table");
	return row;
}

/** Takes up to `count` shards without a lane. Throws an error of `isFenced`. */
export async function takeShards(sql: Sql, { lane, epoch }: LaneToken, count: number) {
	return sql.begin(async (tx) => {
		await tx`select hold_lane(${lane}, ${epoch})`;
		return tx<{ shard: number; term: number }[]>`
			update shards set lane = ${lane}, term = term + 1
			where shard = any(array(select shard from shards where lane is null order by shard limit ${count} for update skip locked))
			returning shard, term`;
	});
}

/** Gives shards up once the lane's open writes have ended. False if they take too long. */
export async function releaseShards(sql: Sql, { lane }: LaneToken, shards: readonly number[]): Promise<boolean> {
	return afterWrites(sql, lane, async (tx) => {
		await tx`update shards set lane = null, released_at = now() where lane = ${lane} and shard = any(${[...shards]}::int[])`;
	});
}

/** Notes that a lane ends, and gives the shards up in which nothing runs. False if the lane's open writes take too long. */
export async function leaveLane(sql: Sql, { lane }: LaneToken, idle: readonly number[]): Promise<boolean> {
	return afterWrites(sql, lane, async (tx) => {
		await tx`update lanes set is_leaving = true where lane = ${lane}`;
		await tx`update shards set lane = null where lane = ${lane} and shard = any(${[...idle]}::int[])`;
	});
}

/** Removes a lane that has ended or whose epoch was raised; its shards are free then. False if its open writes take too long. */
export async function removeLane(sql: Sql, lane: string): Promise<boolean> {
	return afterWrites(sql, lane, async (tx) => {
		await tx`delete from lanes where lane = ${lane}`;
	});
}

async function afterWrites(sql: Sql, lane: string, statements: (tx: Tx) => Promise<void>): Promise<boolean> {
	try {
		await sql.begin(async (tx) => {
			await tx`select set_config('lock_timeout', ${LOCK_WAIT}, true)`;
			await tx`select pg_advisory_xact_lock(${LOCKS.lane}, hashtext(${lane}::text))`;
			await statements(tx);
		});
		return true;
	} catch (error) {
		if (codeOf(error) === LOCK_NOT_AVAILABLE) return false;
		throw error;
	}
}

/**
 * Fences lanes whose lease has expired, or that are known to have ended, and removes them. Those whose last writes are still open are fenced
 * all the same, and removed by a later call.
 */
export async function takeOver(sql: Sql, lanes: readonly string[], ended: "expired" | "known"): Promise<void> {
	const raised = await sql.begin(async (tx) => {
		await tx`select pg_advisory_xact_lock(${LOCKS.laneTakeOver})`;
		return tx<{ lane: string }[]>`
			update lanes set epoch = epoch + 1, lease_until = '-infinity'
			where lane = any(${[...lanes]}::uuid[]) and (${ended === "known"} or lease_until < now()) returning lane`;
	});
	for (const { lane } of raised) await removeLane(sql, lane);
}

/** Sessions that still write for a lane that was taken over. */
export async function listFencedSessions(sql: Sql): Promise<FencedSession[]> {
	return sql<FencedSession[]>`
		select a.pid, a.application_name as name, a.xact_start::text as since
		from lanes n
		join pg_locks l on l.locktype = 'advisory' and l.classid = ${LOCKS.lane} and l.mode = 'ShareLock' and l.granted
			and l.objid = (hashtext(n.lane::text)::bigint & 4294967295)::oid
		join pg_stat_activity a on a.pid = l.pid and a.datid = l.database and a.datname = current_database()
		where n.lease_until = '-infinity' and a.application_name like 'sello %'`;
}

/** For operators: each shard and who owns it; `isLive` is false when the owner's lease has expired. */
export type OwnedShard = { readonly shard: number } & (
	| (Place & { readonly lane: string; readonly isLive: boolean })
	| { readonly lane: null }
);

export async function listShards(sql: Sql): Promise<OwnedShard[]> {
	return sql<OwnedShard[]>`
		select s.shard, s.lane, l.node, l.thread, l.lease_until > now() as "isLive"
		from shards s left join lanes l on l.lane = s.lane order by s.shard`;
}

/** How many shards no living lane owns. */
export async function countUnowned(sql: Sql): Promise<number> {
	const [row] = await sql<{ count: number }[]>`
		select count(*)::int as count from shards s
		where not exists (select from lanes l where l.lane = s.lane and l.lease_until > now())`;
	return row?.count ?? 0;
}

/** Takes the shards of a node away from it at once, for others or for its new lanes. Returns how many lanes it had. */
export async function releaseNode(sql: Sql, node: string): Promise<number> {
	const lanes = await sql<{ lane: string }[]>`select lane from lanes where node = ${node}`;
	await takeOver(
		sql,
		lanes.map(({ lane }) => lane),
		"known",
	);
	return lanes.length;
}

/**
 * Lets the lanes of a node begin again. Their shards are free once the leases have ended, because requests that were begun under them may
 * still be on their way. Returns how many there were.
 */
export async function restartLanes(sql: Sql, node: string): Promise<number> {
	return (await sql`update lanes set epoch = epoch + 1 where node = ${node} returning lane`).length;
}
