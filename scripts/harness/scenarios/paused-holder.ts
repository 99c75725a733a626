/**
 * A worker is stopped for longer than its leases while it holds messages, and continues after another has taken them over: none of its
 * stale writes is stored.
 *
 * Sometimes it is stopped within a statement, holding locks that no server time-out ends. The other worker must end that session before it
 * gets the locked rows.
 *
 * Stale writes are detected by using two database users and triggers that record who changed what. Only the holder may change a message, or
 * anyone once its lease is over; only the message's holder may change a document and its submissions.
 */
import type { Sql } from "../../../src/platform/database";
import { findFreePort, type Program } from "../../../test/support/processes";
import { startClient } from "../client";
import { inEnvironment, type Scenario, sized } from "../environment";
import { withDatabase } from "../facts";

const PER_SECOND = 20;
const LEASE_SECONDS = 1;
/** Duration of calls to the authority, during which leases are held. */
const LATENCY_MS = 200;
const FINAL_WITHIN_MS = 60_000;
const GIVE_UP_MS = 60_000;
/** Every nth round waits, up to a limit, for a moment in which the worker is within a statement. */
const IN_STATEMENT_EVERY = 4;
const LOOK_FOR_STATEMENT_MS = 20_000;

type Worker = { readonly user: string; readonly program: Program; readonly metricsPort: number };

export const pausedHolder: Scenario = {
	name: "paused-holder",
	shows: "SIGSTOP longer than the lease, then SIGCONT: 0 stale writes applied",
	run(size) {
		const rounds = sized(size, 200, 4);
		const settings = { ROLE: "api", SHARD_LEASE_SECONDS: String(LEASE_SECONDS) };
		return inEnvironment("paused-holder", { settings }, (environment) =>
			withDatabase(environment.postgres.url(), async (sql) => {
				const { violations, authorityProxy, acknowledged } = environment;
				await placeWitness(sql);
				authorityProxy.add("downstream", { type: "latency", latencyMs: LATENCY_MS });
				const workers: Worker[] = [];
				for (const user of ["worker_1", "worker_2"]) {
					await sql.unsafe(`create role ${user} superuser login password '${user}'`);
					const address = new URL(environment.postgres.url());
					address.port = String(environment.databaseProxy.port);
					address.username = user;
					address.password = user;
					const metricsPort = await findFreePort();
					const program = environment.start(user, {
						...{ ROLE: "worker", DATABASE_URL: address.href, PORT: "0", METRICS_PORT: String(metricsPort) },
					});
					await program.ready;
					workers.push({ user, program, metricsPort });
				}
				let isOver = false;
				const client = startClient({
					url: environment.url,
					tenants: environment.tenants,
					ledger: acknowledged,
					perSecond: PER_SECOND,
					atOnceMax: 8,
					holdsBack: () => acknowledged.count() - environment.webhooks.count() > 40,
					wantsMore: () => !isOver,
				});
				let [held, inStatement] = [0, 0];
				for (let round = 0; round < rounds && !client.hasFailed(); round++) {
					const victim = workers[round % workers.length];
					if (!victim) throw new Error("there are two workers");
					const stopped = await pauseAndWake(sql, victim, { prefersStatement: round % IN_STATEMENT_EVERY === 0 });
					held += stopped.held;
					inStatement += stopped.isInStatement ? 1 : 0;
				}
				isOver = true;
				await client.finished;
				const counts = await environment.judge(FINAL_WITHIN_MS);
				const stale = await findStaleWrites(sql);
				for (const one of stale) violations.push(`a stale write: ${JSON.stringify(one)}`);
				if (!(await seesStaleWrite(sql)))
					violations.push("the witness did not see a stale write that was made before its eyes");
				const fences = await Promise.all(workers.map(({ metricsPort }) => readStaleFences(metricsPort)));
				return {
					rounds,
					"rounds stopped in a statement": inStatement,
					"messages held while paused": held,
					"writes refused at the fence": fences.reduce((sum, count) => sum + count, 0),
					"stale writes applied": stale.length,
					...counts,
				};
			}),
		);
	},
};

/** Stops a worker that holds messages, lets the other take them over, and resumes it. Returns how many it held, and where it stood. */
async function pauseAndWake(
	sql: Sql,
	{ user, program }: Worker,
	{ prefersStatement }: { prefersStatement: boolean },
): Promise<{ held: number; isInStatement: boolean }> {
	const startMs = performance.now();
	for (const deadline = startMs + GIVE_UP_MS; performance.now() < deadline; ) {
		await until(async () => (await findHeld(sql, user)).length > 0);
		program.kill("SIGSTOP");
		// Lets statements that it already sent complete.
		await Bun.sleep(50);
		const [held, isInStatement] = [await findHeld(sql, user), await isStoppedInStatement(sql, user)];
		const goesOnLooking = prefersStatement && !isInStatement && performance.now() - startMs < LOOK_FOR_STATEMENT_MS;
		if (held.length === 0 || goesOnLooking) {
			program.kill("SIGCONT");
			continue;
		}
		const isTaken = async () => {
			const [row] = await sql<{ left: number }[]>`
				select count(*)::int as left from outbox o
				join json_to_recordset(${JSON.stringify(held)}::text::json) as h(id uuid, attempt int)
					on o.id = h.id and o.attempt = h.attempt and o.state in ('working', 'ready')`;
			return row?.left === 0;
		};
		await until(isTaken).catch(async (error: Error) => {
			throw new Error(`${error.message} for what ${user} held to be taken; busy: ${await describeBusySessions(sql)}`);
		});
		program.kill("SIGCONT");
		return { held: held.length, isInStatement };
	}
	throw new Error(`${user} was never stopped while it held a message`);
}

/** Whether a session waits for the rest of a statement, in a transaction that has written. */
async function isStoppedInStatement(sql: Sql, user: string): Promise<boolean> {
	const rows = await sql`
		select 1 from pg_stat_activity
		where usename = ${user} and state = 'active' and wait_event = 'ClientRead' and backend_xid is not null`;
	return rows.length > 0;
}

type Held = { readonly id: string; readonly attempt: number };

function findHeld(sql: Sql, user: string): Promise<Held[]> {
	return sql<Held[]>`
		select o.id, o.attempt from outbox o
		where o.state = 'working' and o.owner in (select new_owner from witness_messages where who = ${user} and new_owner is not null)`;
}

/** Creates triggers that record who changes messages, documents and submissions. */
async function placeWitness(sql: Sql): Promise<void> {
	await sql.unsafe(`
		create table witness_messages (
			seq bigserial primary key, tx xid8 not null default pg_current_xact_id(), who text not null default session_user,
			id uuid not null, subject uuid not null, old_state text not null, new_state text not null, old_owner uuid, new_owner uuid,
			was_over boolean not null
		);
		create index on witness_messages (subject, seq);
		create index on witness_messages (new_owner);
		create table witness_documents (
			seq bigint not null, tx xid8 not null default pg_current_xact_id(), who text not null default session_user,
			doc_id uuid not null, what text not null
		);
		create function witness_message() returns trigger language plpgsql as $$
		begin
			insert into witness_messages (id, subject, old_state, new_state, old_owner, new_owner, was_over)
			values (old.id, old.subject, old.state, new.state, old.owner, new.owner, coalesce(old.lease_until < now(), false));
			return null;
		end $$;
		create trigger witness after update on outbox for each row execute function witness_message();
		create function witness_document() returns trigger language plpgsql as $$
		begin
			insert into witness_documents (seq, doc_id, what)
			values (nextval('witness_messages_seq_seq'), new.doc_id, tg_table_name || ' ' || tg_op);
			return null;
		end $$;
		create trigger witness after update on invoices for each row execute function witness_document();
		create trigger witness after insert or update on submissions for each row execute function witness_document();`);
}

type StaleWrite = { readonly who: string; readonly what: string; readonly id: string };

/** Recorded writes by a worker that did not hold what it wrote. */
async function findStaleWrites(sql: Sql): Promise<StaleWrite[]> {
	return sql<StaleWrite[]>`
		with owners as (
			select distinct new_owner as owner, who from witness_messages where old_state = 'ready' and new_owner is not null
		)
		select w.who, w.old_state || ' to ' || w.new_state as what, w.id
		from witness_messages w join owners o on o.owner = w.old_owner
		where w.old_state = 'working' and w.who <> o.who and not (w.was_over and w.new_state = 'ready' and w.new_owner is null)
		union all
		select d.who, d.what, d.doc_id
		from witness_documents d cross join lateral (
			select m.who from witness_messages m where m.subject = d.doc_id and (m.seq < d.seq or m.tx = d.tx)
			order by m.seq desc limit 1
		) last
		where d.who like 'worker%' and last.who <> d.who`;
}

/** Shows that the triggers would catch it: settles a message that a worker holds. */
async function seesStaleWrite(sql: Sql): Promise<boolean> {
	const before = (await findStaleWrites(sql)).length;
	await sql`
		update outbox set state = 'working', lease_until = now() + interval '1 hour',
			owner = (select new_owner from witness_messages where who = 'worker_1' and new_owner is not null limit 1)
		where id = (select id from outbox where state = 'done' limit 1)`;
	await sql`update outbox set state = 'done', owner = null, lease_until = null where state = 'working'`;
	return (await findStaleWrites(sql)).length === before + 1;
}

async function readStaleFences(port: number): Promise<number> {
	const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
	return [...text.matchAll(/^\S*stale_fence\S*\s+(\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Sessions that work or wait in a transaction, to explain a failed scenario. */
async function describeBusySessions(sql: Sql): Promise<string> {
	const rows = await sql`
		select usename, application_name, state, wait_event, (now() - state_change)::text as since, pg_blocking_pids(pid) as behind, pid,
			left(regexp_replace(query, '\\s+', ' ', 'g'), 80) as query
		from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
	return JSON.stringify(rows);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
	for (const deadline = performance.now() + GIVE_UP_MS; !(await condition()); await Bun.sleep(20))
		if (performance.now() > deadline) throw new Error(`waited ${GIVE_UP_MS / 1000} s without success`);
}
