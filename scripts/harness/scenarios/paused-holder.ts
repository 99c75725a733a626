/**
 * A worker is stopped for longer than its lease while its lane has messages, and continues after another has taken its shards over: none of
 * its stale writes is stored.
 *
 * Sometimes it is stopped within a statement, holding locks that no server time-out ends. The other worker must end that session before it
 * gets the shards.
 *
 * Stale writes are detected by using two database users and triggers that record who writes. Only the user whose lane owns a tenant's shard at
 * that moment may settle its messages and write verdicts, steps and open documents.
 */
import type { Sql } from "../../../src/platform/database";
import { newId } from "../../../src/platform/values";
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
		const isTaken = async () => (await findHeld(sql, user)).length === 0;
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

/** Documents that are not finished, and due messages, in the shards of the user's lanes. */
function findHeld(sql: Sql, user: string): Promise<{ readonly id: string }[]> {
	return sql<{ id: string }[]>`
		select m.id from (
			select id, shard from outbox where state = 'ready' and available_at <= now()
			union all
			select d.id, l.shard from work_log l cross join unnest(l.doc_ids) d(id)
			where not exists (select from seals e where e.tenant_id = l.tenant_id and e.doc_id = d.id)
				and not exists (select from outbox o where o.tenant_id = l.tenant_id and o.subject = d.id and o.state = 'ready')
		) m
		join shards s on s.shard = m.shard join witness_lanes w on w.lane = s.lane
		where w.who = ${user}`;
}

/** Creates triggers that record whose lanes are whose, and who writes to a tenant whose shard is another's. */
async function placeWitness(sql: Sql): Promise<void> {
	await sql.unsafe(`
		create table witness_lanes (lane uuid primary key, who text not null default session_user);
		create table stale_writes (id bigserial primary key, who text not null default session_user, what text not null, tenant_id uuid not null);
		create function witness_lane() returns trigger language plpgsql as $$
		begin
			insert into witness_lanes (lane) values (new.lane);
			return null;
		end $$;
		create trigger witness after insert on lanes for each row execute function witness_lane();
		create function witness_write() returns trigger language plpgsql as $$
		declare
			tenant uuid := coalesce(new.tenant_id, old.tenant_id);
		begin
			if session_user like 'worker%' and not exists (
				select from shards s join witness_lanes w on w.lane = s.lane where s.shard = shard_of(tenant) and w.who = session_user
			) then
				insert into stale_writes (what, tenant_id) values (tg_table_name || ' ' || tg_op, tenant);
			end if;
			return null;
		end $$;
		create trigger witness after delete or update of state on outbox for each row execute function witness_write();
		create trigger witness after insert on verdicts for each row execute function witness_write();
		create trigger witness after insert or update or delete on open_documents for each row execute function witness_write();
		-- Answers that come to a stale holder are kept as evidence, below zero.
		create trigger witness after insert on steps for each row when (new.n > 0) execute function witness_write();`);
}

type StaleWrite = { readonly who: string; readonly what: string; readonly tenant_id: string };

/** Recorded writes by a worker that did not own what it wrote. */
async function findStaleWrites(sql: Sql): Promise<StaleWrite[]> {
	return sql<StaleWrite[]>`select who, what, tenant_id from stale_writes order by id`;
}

/** Shows that the triggers would catch it: a worker without lanes settles a message. */
async function seesStaleWrite(sql: Sql): Promise<boolean> {
	const before = (await findStaleWrites(sql)).length;
	await sql.begin(async (tx) => {
		await tx.unsafe("create role worker_0 superuser; set session authorization worker_0");
		await tx`insert into outbox (id, kind, tenant_id, subject) values (${newId()}, 'none', ${newId()}, ${newId()})`;
		await tx`delete from outbox where kind = 'none'`;
		await tx.unsafe("reset session authorization");
	});
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
