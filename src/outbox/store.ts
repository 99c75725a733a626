import type { Sql, Tx } from "../database";
import type { Message, NewMessage } from "./message";
import type { Outcome } from "./outcome";

/** Writes messages in the transaction of the fact that causes them. */
export async function insertMessages(tx: Tx, ids: readonly string[], messages: readonly NewMessage[]): Promise<void> {
	const rows = messages.map((m, i) => ({
		...m,
		id: ids[i],
		payload: m.payload ?? {},
		delay: m.availableInSeconds ?? 0,
	}));
	await tx`
		insert into outbox (id, kind, tenant_id, subject, payload, available_at)
		select id, kind, tenant_id, subject, payload, now() + make_interval(secs => delay)
		from jsonb_to_recordset(${tx.json(
			rows.map(({ id, kind, tenantId, subject, payload, delay }) => ({
				id: id ?? "",
				kind,
				tenant_id: tenantId,
				subject,
				payload,
				delay,
			})),
		)}) as m(id uuid, kind text, tenant_id uuid, subject uuid, payload jsonb, delay float8)`;
}

/**
 * Takes due messages for this dispatcher. MATERIALIZED: the planner may otherwise run the locking sub-query more than once
 * and take more rows than asked for. All times are the database's.
 */
export async function claimMessages(
	sql: Sql,
	owner: string,
	kinds: readonly string[],
	limit: number,
	leaseSeconds: number,
): Promise<Message[]> {
	return sql<Message[]>`
		with due as materialized (
			select id from outbox
			where state = 'ready' and available_at <= now() and kind in ${sql(kinds)}
			order by available_at
			limit ${limit}
			for update skip locked
		)
		update outbox o
		set state = 'working', attempt = o.attempt + 1, owner = ${owner},
			lease_until = now() + make_interval(secs => ${leaseSeconds})
		from due where o.id = due.id
		returning o.id, o.kind, o.tenant_id as "tenantId", o.subject, o.payload, o.attempt, o.failures, o.owner,
			extract(epoch from now() - o.created_at)::float8 as "ageSeconds"`;
}

/** Seconds until the next message is due; undefined when none waits. */
export async function secondsUntilDue(sql: Sql, kinds: readonly string[]): Promise<number | undefined> {
	const [row] = await sql<{ seconds: number | null }[]>`
		select extract(epoch from min(available_at) - now())::float8 as seconds
		from outbox where state = 'ready' and kind in ${sql(kinds)}`;
	return row?.seconds ?? undefined;
}

/** Keeps the messages that this dispatcher is working on. */
export async function extendLeases(
	sql: Sql,
	owner: string,
	ids: readonly string[],
	leaseSeconds: number,
): Promise<void> {
	await sql`
		update outbox set lease_until = now() + make_interval(secs => ${leaseSeconds})
		where id in ${sql(ids)} and owner = ${owner} and state = 'working'`;
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

/** Gives back everything that this dispatcher holds, when it stops. */
export async function releaseMessages(sql: Sql, owner: string): Promise<void> {
	await sql`
		update outbox set state = 'ready', owner = null, lease_until = null
		where state = 'working' and owner = ${owner}`;
}

/** True when the message is still this holder's; locks its row until the transaction ends. */
export async function lockHeldMessage(tx: Tx, message: Message): Promise<boolean> {
	const rows = await tx`
		select 1 from outbox
		where id = ${message.id} and attempt = ${message.attempt} and owner = ${message.owner} and state = 'working'
		for update`;
	return rows.length === 1;
}

/** Writes an outcome, if the message is still this holder's. Answers false when it is not: then nothing is changed. */
export async function settleMessage(sql: Sql, message: Message, outcome: Outcome): Promise<boolean> {
	const state = outcome.kind === "done" || outcome.kind === "dead" ? outcome.kind : "ready";
	const after = outcome.kind === "retry" || outcome.kind === "snooze" ? outcome.afterSeconds : 0;
	const reason = outcome.kind === "retry" || outcome.kind === "dead" ? outcome.reason.slice(0, 2_000) : null;
	const rows = await sql`
		update outbox
		set state = ${state}, owner = null, lease_until = null,
			available_at = now() + make_interval(secs => ${after}),
			failures = failures + ${outcome.kind === "retry" ? 1 : 0},
			last_error = coalesce(${reason}, last_error),
			settled_at = ${state === "ready" ? null : sql`now()`}
		where id = ${message.id} and attempt = ${message.attempt} and owner = ${message.owner} and state = 'working'
		returning id`;
	return rows.length === 1;
}

/** Makes dead messages of a subject ready again, as old as if they were new; answers how many. */
export async function reviveMessages(sql: Sql | Tx, kind: string, subject: string): Promise<number> {
	const rows = await sql`
		update outbox set state = 'ready', available_at = now(), created_at = now(), failures = 0, settled_at = null
		where kind = ${kind} and subject = ${subject} and state = 'dead' returning id`;
	return rows.length;
}

/** Removes what was done long ago, a bounded number at a time. */
export async function sweepDone(sql: Sql, olderThanDays: number): Promise<number> {
	const rows = await sql`
		delete from outbox where id in (
			select id from outbox where state = 'done' and settled_at < now() - make_interval(days => ${olderThanDays}) limit 5000
		) returning id`;
	return rows.length;
}

/** For how long the message that has been due longest has been waiting to be claimed. */
export async function measureQueue(sql: Sql): Promise<{ overdueSeconds: number }> {
	const [row] = await sql<{ overdueSeconds: number }[]>`
		select greatest(0, coalesce(extract(epoch from now() - min(available_at)), 0))::float8 as "overdueSeconds"
		from outbox where state = 'ready'`;
	return row ?? { overdueSeconds: 0 };
}
