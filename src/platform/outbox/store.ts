/** SQL of the message life cycle: write, claim, extend, release, settle. */
import { type Sql, type Tx, toJsonText } from "../database";
import type { Claim, Message, NewMessage, Outcome } from "./message";

/** A message to write; with a claim, its dispatcher holds it from the start. */
type MessageRow = { readonly id: string; readonly message: NewMessage; readonly claim?: Claim | undefined };

/** Call it in the transaction of the fact that causes the messages. */
export async function insertMessages(tx: Tx, rows: readonly MessageRow[]): Promise<void> {
	await tx`
		insert into outbox (id, kind, tenant_id, subject, payload, available_at, state, attempt, owner, lease_until)
		select id, kind, tenant_id, subject, payload, now() + make_interval(secs => delay),
			case when owner is null then 'ready' else 'working' end, case when owner is null then 0 else 1 end, owner,
			now() + make_interval(secs => lease)
		from jsonb_to_recordset(${tx.json(
			rows.map(({ id, message, claim }) => ({
				id,
				kind: message.kind,
				tenant_id: message.tenantId,
				subject: message.subject,
				payload: message.payload ?? {},
				delay: message.availableInSeconds ?? 0,
				owner: claim?.owner ?? null,
				lease: claim?.leaseSeconds ?? null,
			})),
		)}) as m(id uuid, kind text, tenant_id uuid, subject uuid, payload jsonb, delay float8, owner uuid, lease float8)`;
}

/** What a dispatcher requests: how much at most, in all and of each tenant. */
export type Wanted = {
	readonly owner: string;
	readonly kinds: readonly string[];
	/** Only messages of tenants in these shards. Absent: of all. */
	readonly shards?: readonly number[] | undefined;
	readonly limit: number;
	readonly leaseSeconds: number;
	/** Tenants that hold slots, how many, and how many more they may take. */
	readonly busy: readonly { readonly tenantId: string; readonly held: number; readonly room: number }[];
	/** How many a tenant may take that holds none. */
	readonly roomOfOthers: number;
	/** The tenant after which to continue, in the order of ids. */
	readonly afterTenant: string | null;
};

/** A message as it is stored, without what its holder knows of the lease. */
export type ClaimedRow = Omit<Message, "leaseLeftMs">;

export type Claimed = {
	readonly messages: readonly ClaimedRow[];
	/** More messages are due than were taken: they wait for slots. */
	readonly hasMore: boolean;
	/** Another dispatcher was claiming some of the same messages. */
	readonly isContested: boolean;
	/** The last tenant of this claim, when there are more. */
	readonly lastTenant: string | null;
	/** Seconds until the next message of these tenants is due, by the database's clock. */
	readonly nextDueSeconds: number | null;
};

/** Most tenants of one claim. */
const TENANTS_MAX = 200;

/**
 * Claims due messages, serving tenants in turn: a tenant's nth message comes after every other tenant's (n-1)th, including those it holds
 * already, so a long queue delays no other tenant. Locked rows are skipped. MATERIALIZED keeps the planner from running the locking
 * sub-query twice and taking too many rows. The picked rows are found again by id, with the state compared to a column: compared to a
 * constant, a server with old statistics would read the whole queue. All times are the database's.
 *
 * The commit does not wait for the disk. A server that crashes may forget a claim, but never what was done under it: whatever a holder
 * writes durably flushes the claim's record first, and the next claim has another owner.
 */
export async function claimMessages(sql: Sql, wanted: Wanted): Promise<Claimed> {
	const { owner, limit, leaseSeconds, busy, roomOfOthers, afterTenant } = wanted;
	const kinds = sql`any(${[...wanted.kinds]}::text[])`;
	const rows = await sql<(Partial<ClaimedRow> & Omit<Claimed, "messages">)[]>`
		with recursive tenants(tenant_id, n) as (
			(
				select tenant_id, 1 from outbox
				where state = 'ready' ${afterTenant === null ? sql`` : sql`and tenant_id > ${afterTenant}`}
				order by tenant_id limit 1
			)
			union all
			select (select o.tenant_id from outbox o where o.state = 'ready' and o.tenant_id > t.tenant_id order by o.tenant_id limit 1), n + 1
			from tenants t where t.tenant_id is not null and t.n < ${TENANTS_MAX}
		), shares as (
			select t.tenant_id, coalesce(b.held, 0) as held, least(coalesce(b.room, ${roomOfOthers}::int), ${limit}::int) as room
			from tenants t
			left join unnest(${busy.map((b) => b.tenantId)}::uuid[], ${busy.map((b) => b.held)}::int[], ${busy.map((b) => b.room)}::int[])
				as b(tenant_id, held, room) on b.tenant_id = t.tenant_id
			where t.tenant_id is not null ${wanted.shards === undefined ? sql`` : sql`and shard_of(t.tenant_id) = any(${[...wanted.shards]}::int[])`}
		), last_turn as materialized (
			-- With at least this many tenants that have due messages, no tenant gets a second message before each has its first.
			select s.held + 1 as place
			from shares s cross join lateral (
				select 1 from outbox o
				where o.state = 'ready' and o.tenant_id = s.tenant_id and o.available_at <= now() and o.kind = ${kinds}
				order by o.available_at limit 1
			) first_due
			where s.room > 0
			order by s.held offset ${limit - 1} limit 1
		), seen as materialized (
			select s.tenant_id, d.id, d.available_at, d.rank + s.held as place, d.rank <= s.room as fits
			from shares s cross join lateral (
				select id, available_at, row_number() over (order by available_at) as rank
				from (
					select o.id, o.available_at from outbox o
					where o.state = 'ready' and o.tenant_id = s.tenant_id and o.available_at <= now() and o.kind = ${kinds}
					order by o.available_at
					limit least(s.room, greatest(0, coalesce((select place from last_turn) - s.held, s.room))) + 1
				) due
			) d
		), picked as materialized (
			select tenant_id, id, row_number() over (order by place, available_at) as turn, 'ready'::text as ready_state from seen where fits
			order by place, available_at limit ${limit}
		), free as materialized (
			select p.tenant_id, o.id, p.turn from picked p cross join lateral (
				select q.id from outbox q where q.id = p.id and q.tenant_id = p.tenant_id and q.state = p.ready_state for update skip locked
			) o
		), claimed as (
			update outbox o
			set state = 'working', attempt = o.attempt + 1, owner = ${owner},
				lease_until = now() + make_interval(secs => ${leaseSeconds})
			from free where o.id = any(array(select id from free)) and o.id = free.id and o.tenant_id = free.tenant_id
			returning free.turn, o.id, o.kind, o.tenant_id as "tenantId", o.subject, o.payload, o.attempt, o.failures, o.owner,
				extract(epoch from now() - o.created_at)::float8 as "ageSeconds"
		)
		select c.*, about.* from (
			select (select count(*) from seen) > (select count(*) from picked) as "hasMore",
				(select count(*) from picked) > (select count(*) from free) as "isContested",
				(select tenant_id from tenants where n = ${TENANTS_MAX}) as "lastTenant",
				set_config('synchronous_commit', 'off', true),
				(
					select min(extract(epoch from later.available_at - now()))::float8
					from shares t cross join lateral (
						select o.available_at from outbox o
						where o.state = 'ready' and o.tenant_id = t.tenant_id and o.available_at > now() and o.kind = ${kinds}
						order by o.available_at limit 1
					) later
				) as "nextDueSeconds"
		) about left join claimed c on true
		order by c.turn`;
	const { hasMore = false, isContested = false, lastTenant = null, nextDueSeconds = null } = rows[0] ?? {};
	const messages = rows.filter((row): row is ClaimedRow & Claimed => row.id !== null);
	return { messages, hasMore, isContested, lastTenant, nextDueSeconds };
}

/**
 * Extends the leases of these attempts and returns those that still hold theirs. Locked rows are skipped: a message that is being settled
 * may wait for another transaction, which must not cost all others their leases, and no one takes over a locked row. Rows are found as in
 * `leaseParts`: after several crashes the index of leases is full of dead entries.
 */
export async function extendLeases<
	A extends { readonly id: string; readonly tenantId: string; readonly number: number },
>(sql: Sql, owner: string, attempts: readonly A[], leaseSeconds: number): Promise<A[]> {
	const ids = sql`${attempts.map(({ id }) => id)}::uuid[]`;
	const rows = await sql<{ place: number }[]>`
		with asked as materialized (
			select *, 'working'::text as held_state
			from unnest(${ids}, ${attempts.map(({ tenantId }) => tenantId)}::uuid[], ${attempts.map(({ number }) => number)}::int[])
				with ordinality a(id, tenant_id, number, place)
		), kept as materialized (
			select o.id, o.tenant_id, a.place from asked a
			join outbox o on o.id = a.id and o.tenant_id = a.tenant_id and o.attempt = a.number and o.state = a.held_state
			where o.id = any(${ids}) and o.owner = ${owner}
			for update of o skip locked
		)
		update outbox o set lease_until = now() + make_interval(secs => ${leaseSeconds})
		from kept where o.id = any(array(select id from kept)) and o.id = kept.id and o.tenant_id = kept.tenant_id
		returning kept.place::int as place`;
	return rows.flatMap(({ place }) => attempts[place - 1] ?? []);
}

/**
 * Makes messages with expired leases ready again. The attempt number stays, so the old holder's token is stale after the next claim. Locked
 * rows are skipped: a hung transaction must not delay the rescue of others.
 */
export async function rescueMessages(sql: Sql): Promise<number> {
	const rows = await sql`
		with lost as materialized (
			select tenant_id, id from outbox where state = 'working' and lease_until < now() for update skip locked
		)
		update outbox o set state = 'ready', owner = null, lease_until = null
		from lost where o.id = lost.id and o.tenant_id = lost.tenant_id returning o.id`;
	return rows.length;
}

/**
 * Releases everything that this dispatcher holds, at shutdown. Rows are locked in the order of `leaseParts`, which may be settling some of
 * them.
 */
export async function releaseMessages(sql: Sql, owner: string): Promise<void> {
	await sql`
		with held as materialized (
			select tenant_id, id from outbox where state = 'working' and owner = ${owner} order by id for update
		)
		update outbox o set state = 'ready', owner = null, lease_until = null
		from held where o.id = held.id and o.tenant_id = held.tenant_id`;
}

/** True when this holder still has the lease; locks the row until the transaction ends. */
export async function lockLeasedMessage(tx: Tx, message: Message): Promise<boolean> {
	// With a condition on the state, the planner might scan all messages that are being worked on.
	const [row] = await tx<{ state: string }[]>`
		select state from outbox
		where tenant_id = ${message.tenantId} and id = ${message.id} and attempt = ${message.attempt} and owner = ${message.owner} for update`;
	return row?.state === "working";
}

/** A leased message with the outcome to write; without an outcome it stays leased. */
export type Settlement = { readonly message: Message; readonly outcome?: Outcome };

/**
 * Parts of a WITH for the writes of other folders: `held` has the id of each message whose lease is still held, and locks it; `settled`
 * writes their outcomes.
 */
export function leaseParts(sql: Sql | Tx, settlements: readonly Settlement[]) {
	// Rows are found by an array of keys, because a join without statistics reads whole tables. The state is compared to a column, because
	// a constant leads to the index of leases, which is large. `held` is read per row, because the planner expects one row of it and a join
	// would check the whole array for each.
	const ids = sql`any(${settlements.map(({ message }) => message.id)}::uuid[])`;
	return sql`
		asked as materialized (
			select *, 'working'::text as held_state from json_to_recordset(${toJsonText(settlements.map(toColumns))}::text::json)
				as a(id uuid, tenant_id uuid, attempt int, owner uuid, state text, after float8, failed int, reason text)
		), held as materialized (
			select a.* from asked a
			join outbox o on o.id = a.id and o.tenant_id = a.tenant_id and o.attempt = a.attempt and o.owner = a.owner and o.state = a.held_state
			where o.id = ${ids}
			order by o.id for update of o
		), settled as (
			update outbox o
			set owner = null, lease_until = null, (state, available_at, failures, last_error, settled_at) = (
				select h.state, now() + make_interval(secs => h.after), o.failures + h.failed, coalesce(h.reason, o.last_error),
					case when h.state = 'ready' then null else now() end
				from held h where h.id = o.id and h.tenant_id = o.tenant_id and h.state is not null limit 1
			)
			where o.id = any(array(select h.id from held h where h.state is not null))
		)`;
}

const REASON_MAX = 2_000;

function toColumns({ message, outcome }: Settlement) {
	const { id, tenantId: tenant_id, attempt, owner } = message;
	if (!outcome) return { id, tenant_id, attempt, owner, state: null, after: 0, failed: 0, reason: null };
	return {
		id,
		tenant_id,
		attempt,
		owner,
		state: outcome.kind === "done" || outcome.kind === "dead" ? outcome.kind : "ready",
		after: outcome.kind === "retry" || outcome.kind === "snooze" ? outcome.afterSeconds : 0,
		failed: outcome.kind === "retry" ? 1 : 0,
		reason: outcome.kind === "retry" || outcome.kind === "dead" ? outcome.reason.slice(0, REASON_MAX) : null,
	};
}

/**
 * Writes the outcomes of messages whose lease is still held; the result is false for the others. The commit does not wait for the disk: if
 * a crash forgets an outcome, the message runs again.
 */
export async function settleMessages(sql: Sql, settlements: readonly Settlement[]): Promise<boolean[]> {
	const rows = await sql<{ id: string }[]>`
		with ${leaseParts(sql, settlements)} select id, set_config('synchronous_commit', 'off', true) from held`;
	const settled = new Set(rows.map((row) => row.id));
	return settlements.map(({ message }) => settled.has(message.id));
}
