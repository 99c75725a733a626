/** SQL of messages on their way: written, claimed, kept, given back, settled. */
import { type Sql, type Tx, toJsonText } from "../database";
import type { Claim, Message, NewMessage, Outcome } from "./message";

/** A message to be written; with a claim it is its dispatcher's from the beginning. */
export type MessageRow = { readonly id: string; readonly message: NewMessage; readonly claim?: Claim | undefined };

/** Writes messages in the transaction of the fact that causes them. */
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

/** What a dispatcher asks for: how much it takes at most, in all and of each tenant. */
export type Wanted = {
	readonly owner: string;
	readonly kinds: readonly string[];
	readonly limit: number;
	readonly leaseSeconds: number;
	/** Tenants that hold slots, how many, and how many more they may take. */
	readonly busy: readonly { readonly tenantId: string; readonly held: number; readonly room: number }[];
	/** How many a tenant may take that holds none. */
	readonly roomOfOthers: number;
	/** Tenants are looked at from here on, in the order of their ids. */
	readonly afterTenant: string | null;
};

/** A message as it is stored; what its holder knows of its lease is not. */
export type ClaimedRow = Omit<Message, "leaseLeftMs">;

export type Claimed = {
	readonly messages: readonly ClaimedRow[];
	/** More are due than were taken: they wait for slots. */
	readonly hasMore: boolean;
	/** Another dispatcher was taking some of the same. */
	readonly isContested: boolean;
	/** The last tenant looked at, when there are more. */
	readonly lastTenant: string | null;
	/** Seconds until the next message of the tenants that were looked at becomes due, by the database's clock. */
	readonly nextDueSeconds: number | null;
};

/** Tenants looked at by one claim. */
const TENANTS_MAX = 200;

/**
 * Takes due messages for this dispatcher, tenants in turn: a tenant's nth message comes after every other tenant's (n-1)th, what
 * it holds already counted, so that a long queue delays nobody else's. Locked rows are passed over. MATERIALIZED: the planner may
 * otherwise run the locking sub-query more than once and take more rows than asked for. What is picked is found again by its id, its state compared with a
 * column: by a constant a server that counted when nothing was waiting reads the whole queue for each. All times are the database's.
 *
 * The commit does not wait for the disk. A server that crashes may forget a claim, never what was done under it, because whatever a
 * holder writes durably takes the claim's record to the disk before it; the next claim has another owner.
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
			where t.tenant_id is not null
		), last_turn as materialized (
			-- Where at least so many tenants have something due, nobody gets further than to the turn in which the last of those has its first.
			select s.held + 1 as place
			from shares s cross join lateral (
				select 1 from outbox o
				where o.state = 'ready' and o.tenant_id = s.tenant_id and o.available_at <= now() and o.kind = ${kinds}
				order by o.available_at limit 1
			) first_due
			where s.room > 0
			order by s.held offset ${limit - 1} limit 1
		), seen as materialized (
			select d.id, d.available_at, d.rank + s.held as place, d.rank <= s.room as fits
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
			select id, row_number() over (order by place, available_at) as turn, 'ready'::text as ready_state from seen where fits
			order by place, available_at limit ${limit}
		), free as materialized (
			select o.id, p.turn from picked p cross join lateral (
				select q.id from outbox q where q.id = p.id and q.state = p.ready_state for update skip locked
			) o
		), claimed as (
			update outbox o
			set state = 'working', attempt = o.attempt + 1, owner = ${owner},
				lease_until = now() + make_interval(secs => ${leaseSeconds})
			from free where o.id = any(array(select id from free)) and o.id = free.id
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
					from tenants t cross join lateral (
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
 * Keeps the messages that attempts of this dispatcher are at; answers those that still hold theirs. Locked rows are passed over: whoever settles
 * one may wait for somebody else meanwhile, which must not cost all other messages their leases; nobody takes over what is locked. Rows are found as
 * `leaseParts` finds them: after crashes in a row the index of leases is full of what no vacuum has come to.
 */
export async function extendLeases<A extends { readonly id: string; readonly number: number }>(
	sql: Sql,
	owner: string,
	attempts: readonly A[],
	leaseSeconds: number,
): Promise<A[]> {
	const ids = sql`${attempts.map(({ id }) => id)}::uuid[]`;
	const rows = await sql<{ place: number }[]>`
		with asked as materialized (
			select *, 'working'::text as held_state
			from unnest(${ids}, ${attempts.map(({ number }) => number)}::int[]) with ordinality a(id, number, place)
		), kept as materialized (
			select o.id, a.place from asked a
			join outbox o on o.id = a.id and o.attempt = a.number and o.state = a.held_state
			where o.id = any(${ids}) and o.owner = ${owner}
			for update of o skip locked
		)
		update outbox o set lease_until = now() + make_interval(secs => ${leaseSeconds})
		from kept where o.id = any(array(select id from kept)) and o.id = kept.id
		returning kept.place::int as place`;
	return rows.flatMap(({ place }) => attempts[place - 1] ?? []);
}

/**
 * Frees messages whose holder died. The attempt stays: the dead holder's fence no longer fits after the next claim. Locked rows
 * are passed over: a holder that hangs in a transaction must not keep all others from being rescued.
 */
export async function rescueMessages(sql: Sql): Promise<number> {
	const rows = await sql`
		with lost as materialized (
			select id from outbox where state = 'working' and lease_until < now() for update skip locked
		)
		update outbox o set state = 'ready', owner = null, lease_until = null
		from lost where o.id = lost.id returning o.id`;
	return rows.length;
}

/** Gives back everything that this dispatcher holds, when it stops; locked in the order of `leaseParts`, which may be settling some of it. */
export async function releaseMessages(sql: Sql, owner: string): Promise<void> {
	await sql`
		with held as materialized (
			select id from outbox where state = 'working' and owner = ${owner} order by id for update
		)
		update outbox o set state = 'ready', owner = null, lease_until = null
		from held where o.id = held.id`;
}

/** True when the message is still this holder's; locks its row until the transaction ends. */
export async function lockLeasedMessage(tx: Tx, message: Message): Promise<boolean> {
	// Asked for the state, the planner may look among all that anybody holds.
	const [row] = await tx<{ state: string }[]>`
		select state from outbox where id = ${message.id} and attempt = ${message.attempt} and owner = ${message.owner} for update`;
	return row?.state === "working";
}

/** A held message with the outcome to be written; without one it stays held. */
export type Settlement = { readonly message: Message; readonly outcome?: Outcome };

/**
 * Parts of a WITH that other folders build their own writes on: `held` has the id of each message that is still its holder's, and
 * locks it; `settled` writes the outcomes of those.
 */
export function leaseParts(sql: Sql | Tx, settlements: readonly Settlement[]) {
	// Rows are found by an array of keys: joined by keys alone, a planner without statistics reads whole tables. The state is compared with a column,
	// for a constant leads to the index of leases, where everything that anybody holds stands. And `held` is read for each row: the planner
	// expects one row of it, and a join would look for each of many with the whole array in its condition.
	const ids = sql`any(${settlements.map(({ message }) => message.id)}::uuid[])`;
	return sql`
		asked as materialized (
			select *, 'working'::text as held_state from json_to_recordset(${toJsonText(settlements.map(toColumns))}::text::json)
				as a(id uuid, attempt int, owner uuid, state text, after float8, failed int, reason text)
		), held as materialized (
			select a.* from asked a
			join outbox o on o.id = a.id and o.attempt = a.attempt and o.owner = a.owner and o.state = a.held_state
			where o.id = ${ids}
			order by o.id for update of o
		), settled as (
			update outbox o
			set owner = null, lease_until = null, (state, available_at, failures, last_error, settled_at) = (
				select h.state, now() + make_interval(secs => h.after), o.failures + h.failed, coalesce(h.reason, o.last_error),
					case when h.state = 'ready' then null else now() end
				from held h where h.id = o.id and h.state is not null limit 1
			)
			where o.id = any(array(select h.id from held h where h.state is not null))
		)`;
}

const REASON_MAX = 2_000;

function toColumns({ message, outcome }: Settlement) {
	const { id, attempt, owner } = message;
	if (!outcome) return { id, attempt, owner, state: null, after: 0, failed: 0, reason: null };
	return {
		id,
		attempt,
		owner,
		state: outcome.kind === "done" || outcome.kind === "dead" ? outcome.kind : "ready",
		after: outcome.kind === "retry" || outcome.kind === "snooze" ? outcome.afterSeconds : 0,
		failed: outcome.kind === "retry" ? 1 : 0,
		reason: outcome.kind === "retry" || outcome.kind === "dead" ? outcome.reason.slice(0, REASON_MAX) : null,
	};
}

/**
 * Writes outcomes of messages that are still their holder's; of the others nothing is changed, and the answer says false. The commit does
 * not wait for the disk: an outcome that a crash of the server forgets is that of a message which is carried out again.
 */
export async function settleMessages(sql: Sql, settlements: readonly Settlement[]): Promise<boolean[]> {
	const rows = await sql<{ id: string }[]>`
		with ${leaseParts(sql, settlements)} select id, set_config('synchronous_commit', 'off', true) from held`;
	const settled = new Set(rows.map((row) => row.id));
	return settlements.map(({ message }) => settled.has(message.id));
}
