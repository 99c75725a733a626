/** SQL of the message life cycle: write, read what is due, settle. */
import { type Sql, type Tx, toJsonText } from "../database";
import { SHARD_COUNT } from "../lanes";
import { OUTBOX_KINDS } from "./kinds";
import { measureUnowned } from "./log-store";
import { leavesNothing, type Message, type NewMessage, type Outcome } from "./message";

/** Call it in the transaction of the fact that causes the messages. */
export async function insertMessages(
	tx: Tx,
	rows: readonly { readonly id: string; readonly message: NewMessage }[],
	onConflict = tx``,
): Promise<void> {
	await tx`
		insert into outbox (id, kind, tenant_id, subject, payload, available_at)
		select id, kind, tenant_id, subject, payload, now() + make_interval(secs => delay)
		from jsonb_to_recordset(${tx.json(
			rows.map(({ id, message }) => ({
				id,
				kind: message.kind,
				tenant_id: message.tenantId,
				subject: message.subject,
				payload: message.payload ?? {},
				delay: message.availableInSeconds ?? 0,
			})),
		)}) as m(id uuid, kind text, tenant_id uuid, subject uuid, payload jsonb, delay float8)
		${onConflict}`;
}

/** A due message as it is stored. */
export type DueRow = Pick<Message, "id" | "kind" | "tenantId" | "subject" | "payload" | "failures" | "ageSeconds"> & {
	/** Not as it was written: put off, sent again, or due sooner than that. */
	readonly isMoved: boolean;
};

const dueColumns = (sql: Sql) => sql`
	o.id, o.kind, o.tenant_id as "tenantId", o.subject, o.payload, o.failures,
	extract(epoch from now() - o.created_at)::float8 as "ageSeconds", o.available_at <> o.created_at as "isMoved"`;

type DueIn = { readonly shards: readonly number[]; readonly kinds: readonly string[] };

/** Messages that have become due in the last `seconds`, the oldest first. */
export async function readLately(sql: Sql, of: DueIn & { seconds: number; limit: number }): Promise<DueRow[]> {
	return sql<DueRow[]>`
		select ${dueColumns(sql)} from outbox o
		where o.state = 'ready' and o.shard = any(${[...of.shards]}::int[]) and o.kind = any(${[...of.kinds]}::text[])
			and o.available_at > now() - make_interval(secs => ${of.seconds}) and o.available_at <= now()
		order by o.available_at limit ${of.limit}`;
}

/** Parts of a WITH: `tenants` has each tenant of these shards with ready messages. Other tenants' queues are skipped, however long. */
const readyTenants = (sql: Sql, shards: readonly number[]) => sql`
	tenants as materialized (
		select s.shard, t.tenant_id from unnest(${[...shards]}::int[]) s(shard) cross join lateral (
			with recursive t(tenant_id) as (
				(select o.tenant_id from outbox o where o.state = 'ready' and o.shard = s.shard order by o.tenant_id limit 1)
				union all
				select (
					select o.tenant_id from outbox o where o.state = 'ready' and o.shard = s.shard and o.tenant_id > t.tenant_id
					order by o.tenant_id limit 1
				)
				from t where t.tenant_id is not null
			)
			select tenant_id from t where tenant_id is not null
		) t
	)`;

/** The oldest due messages of every tenant of these shards, up to `ofEach`. */
export async function readOfEach(sql: Sql, of: DueIn & { ofEach: number }): Promise<DueRow[]> {
	return sql<DueRow[]>`
		with ${readyTenants(sql, of.shards)}
		select d.* from tenants t cross join lateral (
			select ${dueColumns(sql)} from outbox o
			where o.state = 'ready' and o.shard = t.shard and o.tenant_id = t.tenant_id and o.available_at <= now()
				and o.kind = any(${[...of.kinds]}::text[])
			order by o.available_at limit ${of.ofEach}
		) d`;
}

/** The oldest due messages of one tenant. */
export async function readOfTenant(
	sql: Sql,
	of: { tenantId: string; kinds: readonly string[]; limit: number },
): Promise<DueRow[]> {
	return sql<DueRow[]>`
		select ${dueColumns(sql)} from outbox o
		where o.state = 'ready' and o.shard = shard_of(${of.tenantId}) and o.tenant_id = ${of.tenantId} and o.available_at <= now()
			and o.kind = any(${[...of.kinds]}::text[])
		order by o.available_at limit ${of.limit}`;
}

/**
 * Marks messages that a lane has been carrying out for a while, so that they do not seem to be waiting. Locked rows are skipped: a message that
 * is being settled may wait for another transaction.
 */
export async function markBusy(
	sql: Sql,
	messages: readonly Pick<Message, "id" | "tenantId">[],
	leaseSeconds: number,
): Promise<void> {
	const ids = sql`${messages.map(({ id }) => id)}::uuid[]`;
	await sql`
		with free as materialized (
			select o.id, o.tenant_id
			from unnest(${ids}, ${messages.map(({ tenantId }) => tenantId)}::uuid[]) as a(id, tenant_id)
			join outbox o on o.id = a.id and o.tenant_id = a.tenant_id
			where o.id = any(${ids}) for update of o skip locked
		)
		update outbox o set busy_until = now() + make_interval(secs => ${leaseSeconds})
		from free where o.id = any(array(select id from free)) and o.id = free.id and o.tenant_id = free.tenant_id`;
}

/** True when its lane still owns the shard, and the message is there if it is stored; locks both until the transaction ends. */
export async function lockLeasedMessage(tx: Tx, { id, tenantId, hold, isStored = true }: Message): Promise<boolean> {
	if (!isStored) {
		const [held] = await tx<{ term: number | null }[]>`
			select (held_terms(${hold.lane}, ${hold.epoch}))[shard_of(${tenantId}) + 1] as term`;
		return held?.term === hold.term;
	}
	// With a condition on the state, the planner might scan all messages that wait.
	const [row] = await tx<{ state: string }[]>`
		select state from outbox
		where tenant_id = ${tenantId} and id = ${id} and (select held_terms(${hold.lane}, ${hold.epoch}))[shard + 1] = ${hold.term}
		for update`;
	return row?.state === "ready";
}

/** A leased message with the outcome to write; without an outcome it stays as it is. */
export type Settlement = { readonly message: Message; readonly outcome?: Outcome };

/**
 * Parts of a WITH for the writes of other folders: `held` has the id of each message whose lane still owns its shard, and locks its row; the
 * others write their outcomes. A message without a row gets one if it does not go on at once.
 */
export function leaseParts(sql: Sql | Tx, settlements: readonly Settlement[]) {
	// Rows are found by an array of keys, because a join without statistics reads whole tables. The state is compared to a column, because
	// a constant leads to the indexes of what waits, which may be large. `held` is read per row, because the planner expects one row of it and
	// a join would check the whole array for each.
	const ids = sql`any(${settlements.map(({ message }) => message.id)}::uuid[])`;
	return sql`
		asked as materialized (
			select *, 'ready'::text as held_state from json_to_recordset(${toJsonText(settlements.map(toColumns))}::text::json)
				as a(id uuid, tenant_id uuid, lane uuid, epoch int, term int, state text, after float8, failed int, reason text, stored bool,
					kind text, subject uuid, payload jsonb, failures int, age float8)
		), terms as materialized (
			select lane, epoch, held_terms(lane, epoch) as terms from (select distinct lane, epoch from asked) l
		), locked as materialized (
			select a.* from asked a
			join terms t on t.lane = a.lane and t.epoch = a.epoch
			join outbox o on o.id = a.id and o.tenant_id = a.tenant_id and o.state = a.held_state and t.terms[o.shard + 1] = a.term
			where o.id = ${ids} and a.stored
			order by o.id for update of o
		), held as materialized (
			select * from locked
			union all
			select a.* from asked a join terms t on t.lane = a.lane and t.epoch = a.epoch
			where not a.stored and t.terms[shard_of(a.tenant_id) + 1] = a.term
		), made_rows as (
			insert into outbox (id, kind, tenant_id, subject, payload, state, failures, available_at, last_error, created_at, settled_at)
			select h.id, h.kind, h.tenant_id, h.subject, h.payload, h.state, h.failures + h.failed, now() + make_interval(secs => h.after), h.reason,
				now() - make_interval(secs => h.age), case when h.state = 'dead' then now() end
			from held h where not h.stored and h.state is not null
			on conflict (id, tenant_id) do nothing
		), removed as (
			delete from outbox o using locked h
			where o.id = any(array(select h.id from locked h where h.state = 'done')) and o.id = h.id and o.tenant_id = h.tenant_id
		), settled as (
			update outbox o
			set busy_until = null, (state, available_at, failures, last_error, settled_at) = (
				select h.state, now() + make_interval(secs => h.after), o.failures + h.failed, coalesce(h.reason, o.last_error),
					case when h.state = 'dead' then now() end
				from locked h where h.id = o.id and h.tenant_id = o.tenant_id limit 1
			)
			where o.id = any(array(select h.id from locked h where h.state <> 'done'))
		)`;
}

const REASON_MAX = 2_000;

function toColumns({ message, outcome }: Settlement) {
	const { id, tenantId: tenant_id, hold, isStored = true } = message;
	const { kind, subject, payload, failures, ageSeconds: age } = message;
	const held = { id, tenant_id, lane: hold.lane, epoch: hold.epoch, term: hold.term, stored: isStored };
	const asRow = isStored ? {} : { kind, subject, payload, failures, age };
	if (!outcome || leavesNothing(message, outcome))
		return { ...held, ...asRow, state: null, after: 0, failed: 0, reason: null };
	return {
		...held,
		...asRow,
		state: outcome.kind === "done" || outcome.kind === "dead" ? outcome.kind : "ready",
		after: outcome.kind === "retry" || outcome.kind === "snooze" ? outcome.afterSeconds : 0,
		failed: outcome.kind === "retry" ? 1 : 0,
		reason: outcome.kind === "retry" || outcome.kind === "dead" ? outcome.reason.slice(0, REASON_MAX) : null,
	};
}

/**
 * Writes the outcomes of messages that are still held; the result is false for the others. The commit does not wait for the disk: if a crash
 * forgets an outcome, the message runs again.
 */
export async function settleMessages(sql: Sql, settlements: readonly Settlement[]): Promise<boolean[]> {
	const rows = await sql<{ id: string }[]>`
		with ${leaseParts(sql, settlements)} select id, set_config('synchronous_commit', 'off', true) from held`;
	const settled = new Set(rows.map((row) => row.id));
	return settlements.map(({ message }) => settled.has(message.id));
}

/** Figures of messages that wait to be carried out. Each statement is bounded, however many there are. */

export type KindFigure = { readonly kind: string; readonly figure: number };

const ALL_SHARDS = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

/** How long the oldest due message has been waiting to be carried out. */
export async function measureQueue(sql: Sql): Promise<{ overdueSeconds: number }> {
	const [row] = await sql<{ overdueSeconds: number }[]>`
		select greatest(0, coalesce(extract(epoch from now() - min(first.available_at)), 0))::float8 as "overdueSeconds"
		from unnest(${ALL_SHARDS}::int[]) s(shard) cross join lateral (
			select o.available_at from outbox o
			where o.state = 'ready' and o.shard = s.shard and (o.busy_until is null or o.busy_until < now())
			order by o.available_at limit 1
		) first`;
	return { overdueSeconds: Math.max(row?.overdueSeconds ?? 0, (await measureUnowned(sql)) ?? 0) };
}

/** Most due messages to look at, of one tenant and of all. */
const DUE_MAX_OF_TENANT = 20_000;
const DUE_MAX = 100_000;

export type KindQueue = {
	readonly kind: string;
	/** Messages that wait, and those of them that are due and that no lane has taken. */
	readonly waiting: number;
	readonly due: number;
	/** How long the oldest due one has waited; 0 without one. */
	readonly oldestSeconds: number;
};

/** The messages that wait, by kind. A queue longer than the limit is counted up to it. */
export async function measureKinds(sql: Sql): Promise<KindQueue[]> {
	const isDue = sql`available_at <= now() and (busy_until is null or busy_until < now())`;
	return sql<KindQueue[]>`
		with ${readyTenants(sql, ALL_SHARDS)}
		select kind, count(*)::int as waiting, (count(*) filter (where ${isDue}))::int as due,
			coalesce(extract(epoch from now() - min(available_at) filter (where ${isDue})), 0)::float8 as "oldestSeconds"
		from (
			select m.kind, m.available_at, m.busy_until
			from tenants t cross join lateral (
				select o.kind, o.available_at, o.busy_until from outbox o
				where o.state = 'ready' and o.shard = t.shard and o.tenant_id = t.tenant_id
				order by o.available_at limit ${DUE_MAX_OF_TENANT}
			) m
			limit ${DUE_MAX}
		) looked_at
		group by kind`;
}

/**
 * For each kind, the seconds that its oldest due message has waited to be carried out. Kinds without a due message are omitted. In a queue
 * longer than the limit, some kinds may be missing.
 */
export async function measureDue(sql: Sql): Promise<KindFigure[]> {
	const rows = await sql<KindFigure[]>`
		with ${readyTenants(sql, ALL_SHARDS)}
		select kind, extract(epoch from now() - min(available_at))::float8 as figure
		from (
			select due.kind, due.available_at
			from tenants t cross join lateral (
				select o.kind, o.available_at from outbox o
				where o.state = 'ready' and o.shard = t.shard and o.tenant_id = t.tenant_id and o.available_at <= now()
					and (o.busy_until is null or o.busy_until < now())
				order by o.available_at limit ${DUE_MAX_OF_TENANT}
			) due
			limit ${DUE_MAX}
		) looked_at
		group by kind`;
	const unowned = await measureUnowned(sql);
	if (unowned === undefined) return rows;
	const known = rows.find(({ kind }) => kind === OUTBOX_KINDS.submitInvoice)?.figure ?? 0;
	return [
		...rows.filter(({ kind }) => kind !== OUTBOX_KINDS.submitInvoice),
		{ kind: OUTBOX_KINDS.submitInvoice, figure: Math.max(known, unowned) },
	];
}
