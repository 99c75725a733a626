/** The watch on a real database in several processes: each state is judged, reported and queried once. */
import { afterAll, beforeAll, expect, setSystemTime, test } from "bun:test";
import {
	type AuthorityWatch,
	type AuthorityWatchOptions,
	createAuthorityStatus,
	isBreakerOpen,
	recordReachability,
	startCallCounter,
	startStatusWatch,
	sweepAuthorityStatus,
} from "../../src/authority/status";
import { enqueueEvent } from "../../src/events/webhooks";
import { expediteSubmissions } from "../../src/invoicing/invoices";
import { expediteMessages } from "../../src/platform/outbox";
import { createLog } from "../../src/platform/telemetry";
import { newId, systemClock } from "../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { until } from "../support/until";

const log = createLog("silent", "test");
const WAIT_MS = 120_000;
let database: TestDatabase;
let querying: string;
let silent: string;
beforeAll(async () => {
	database = await openTestDatabase();
	querying = await addTenant(["invoice.accepted", "authority.*"]);
	silent = await addTenant(["*", "invoice.*"]);
}, WAIT_MS);
afterAll(() => database.close(), WAIT_MS);

/** A company that issues in the tests' environment of the authority, with one endpoint. */
async function addTenant(events: readonly string[]): Promise<string> {
	const { sql } = database;
	const tenantId = newId();
	await sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${tenantId}, 'staging', 'certification', ${tenantId.slice(-9)}, 'EMPRESA SRL', 'free', '{}', '{}')`;
	await sql`
		insert into webhook_endpoints (id, subject_id, tenant_id, url, events, sealed_secret, secret_hint)
		values (${newId()}, ${tenantId}, ${tenantId}, 'https://erp.example/hooks', ${sql.json([...events])}, '\\x00', 'whsec_')`;
	return tenantId;
}

/** An authority that tests switch off, and processes that watch it. */
function openProcesses(count: number, over: Partial<AuthorityWatchOptions> = {}) {
	const { sql } = database;
	const authority = { isUp: true, probes: 0, expedited: 0 };
	const watches: { watch: AuthorityWatch; stop: () => Promise<void> }[] = [];
	for (let i = 0; i < count; i++) {
		const calls = startCallCounter({ sql, clock: systemClock, log });
		const deps: AuthorityWatchOptions = {
			...{ sql, log, flush: calls.flush, wake: () => undefined, ownEnvironment: "certification", hasFcHost: false },
			probeSeconds: 1,
			probe: async (segment) => {
				authority.probes++;
				const outcome = authority.isUp ? "ok" : "authority-unreachable";
				calls.record({ operation: "seed", segment, durationMs: 5, outcome });
				return authority.isUp;
			},
			expedite: async () => void authority.expedited++,
			statusHost: {
				services: async () => [{ segment: "certecf", title: "Aprobación Comercial", status: "No Disponible" }],
				windows: async () => [
					{ segment: "certecf", from: new Date("2020-01-01T00:00:00Z"), to: new Date("2020-01-01T01:00:00Z") },
					{ segment: "certecf", from: new Date("2100-01-01T00:00:00Z"), to: new Date("2100-01-01T01:00:00Z") },
				],
				environment: async () => "Disponible",
			},
			...over,
		};
		const watch = startStatusWatch(deps);
		const stop = async () => {
			await watch.stop();
			await calls.stop();
		};
		watches.push({ watch, stop });
	}
	return { authority, watches, stop: () => Promise.all(watches.map(({ stop }) => stop())) };
}

test(
	"several processes report a change once to subscribers and expedite what waited",
	async () => {
		const { sql } = database;
		const { authority, stop } = openProcesses(3);
		const status = createAuthorityStatus({ sql });
		const read = () => status.read("certification");
		try {
			await until(async () => (await read()).status === "degraded", WAIT_MS);
			expect((await read()).services.find(({ name }) => name === "approval")?.status).toBe("outage");
			expect((await read()).windows).toEqual([{ from: "2100-01-01T00:00:00.000Z", to: "2100-01-01T01:00:00.000Z" }]);
			expect(await status.isContingency("certecf")).toBe(false);
			for (let i = 0; i < 5; i++)
				await recordReachability(sql, { segment: "certecf", service: "reception" }, false, 5, 600);
			authority.isUp = false;
			await until(async () => (await read()).status === "outage", WAIT_MS);
			expect(await status.isContingency("certecf")).toBe(true);
			expect(await isBreakerOpen(sql, "certecf")).toBe(true);
			authority.isUp = true;
			await until(async () => (await read()).status === "degraded", WAIT_MS);
			expect(authority.expedited).toBe(1);
			expect(await isBreakerOpen(sql, "certecf")).toBe(false);
			await until(async () => !(await status.isContingency("certecf")), WAIT_MS);
		} finally {
			await stop();
		}
		const events = await sql<{ tenantId: string; body: string }[]>`
			select tenant_id as "tenantId", body from events where event = 'authority.status_changed' order by sequence`;
		expect(events.filter(({ tenantId }) => tenantId === silent)).toEqual([]);
		// The first known state may arrive in two steps: the answer and the declaration.
		expect(events.slice(-2).map(({ body }) => pick(JSON.parse(body)))).toEqual([
			{
				status: "outage",
				authorityStatus: { authorityEnvironment: "certification", from: "degraded", contingency: true },
			},
			{
				status: "degraded",
				authorityStatus: { authorityEnvironment: "certification", from: "outage", contingency: false },
			},
		]);
		const deliveries = await sql`select 1 from outbox where tenant_id = ${querying} and kind = 'webhook.deliver'`;
		expect(deliveries).toHaveLength(events.length);
		expect(events.length).toBeLessThanOrEqual(3);
	},
	WAIT_MS,
);

test(
	"verdicts and the turn after an outage take their locks in one order",
	async () => {
		const { sql } = database;
		const [docId, eventDocId] = [newId(), newId()];
		await sql`
			insert into outbox (id, kind, tenant_id, subject, state, available_at)
			values (${newId()}, 'invoice.submit', ${querying}, ${docId}, 'ready', now() + interval '1 hour')`;
		const warned: unknown[] = [];
		const watchLog = {
			...log,
			info: () => undefined,
			warn: (...line: unknown[]) => void warned.push(line),
		} as unknown as AuthorityWatchOptions["log"];
		const { authority, stop } = openProcesses(1, { log: watchLog, expedite: expediteSubmissions });
		const status = createAuthorityStatus({ sql });
		const isOut = async () => (await status.read("certification")).status === "outage";
		const isTurnWaiting = async () =>
			(
				await sql`
				select 1 from pg_stat_activity
				where datname = current_database() and wait_event_type = 'Lock' and query like '%heads%'`
			).length > 0;
		try {
			await until(async () => (await status.read("certification")).status === "degraded", WAIT_MS);
			authority.isUp = false;
			await until(isOut, WAIT_MS);
			await sql.begin(async (verdict) => {
				const event = {
					event: "invoice.accepted",
					tenantId: querying,
					docId: eventDocId,
					trackId: eventDocId,
				} as const;
				await enqueueEvent(verdict, { ...event, occurredAt: new Date() });
				authority.isUp = true;
				await until(isTurnWaiting, WAIT_MS);
				await expediteMessages(verdict, "invoice.submit", [{ tenantId: querying, subject: docId }]);
			});
			await until(async () => !(await isOut()), WAIT_MS);
		} finally {
			await stop();
		}
		expect(warned).toEqual([]);
		const late =
			await sql`select 1 from outbox where subject = ${docId} and available_at > now() + interval '1 minute'`;
		expect(late).toHaveLength(0);
	},
	WAIT_MS,
);

const pick = ({ status, authorityStatus }: Record<string, unknown>) => ({ status, authorityStatus });

test(
	"a state that was not watched for a while is unknown and not reported",
	async () => {
		const { sql } = database;
		const before = await sql`select 1 from events where event = 'authority.status_changed'`;
		await sql`update authority_status_changes set at = at - interval '1 hour' where segment = 'certecf'`;
		await sql`update authority_status set judged_at = now() - interval '10 minutes' where segment = 'certecf'`;
		expect((await createAuthorityStatus({ sql }).read("certification")).status).toBe("unknown");
		const { stop } = openProcesses(1);
		try {
			const read = () => createAuthorityStatus({ sql }).read("certification");
			await until(async () => (await read()).status === "degraded", WAIT_MS);
		} finally {
			await stop();
		}
		const past = (await createAuthorityStatus({ sql }).readPast("certification")).get("overall") ?? [];
		expect(past.slice(-2).map(({ status }) => status)).toEqual(["unknown", "degraded"]);
		expect(await sql`select 1 from events where event = 'authority.status_changed'`).toHaveLength(before.length);
	},
	WAIT_MS,
);

test(
	"a state that was never watched is unknown since the process began",
	async () => {
		const unwatched = await openTestDatabase();
		try {
			const { status, since, services, updatedAt } = await createAuthorityStatus({ sql: unwatched.sql }).read(
				"production",
			);
			expect({ status, updatedAt }).toEqual({ status: "unknown", updatedAt: null });
			for (const at of [since, ...services.map((one) => one.since)])
				expect(Math.abs(at.getTime() - performance.timeOrigin)).toBeLessThan(1_000);
		} finally {
			await unwatched.close();
		}
	},
	WAIT_MS,
);

test("the time since recovery is measured by the database's clock", async () => {
	const { sql } = database;
	await sql`
		update authority_status set status = 'operational', judged_at = clock_timestamp(), since = clock_timestamp() - interval '20 seconds'
		where segment = 'certecf'`;
	const status = createAuthorityStatus({ sql });
	setSystemTime(new Date(Date.now() + 3_600_000));
	try {
		const { agoMs = 0 } = await status.readReturn("certecf");
		expect(agoMs).toBeGreaterThanOrEqual(20_000);
		expect(agoMs).toBeLessThan(320_000);
		expect((await status.readReturn("certecf")).agoMs).toBeGreaterThan(agoMs);
	} finally {
		setSystemTime();
	}
});

test("counts written twice change nothing, and other processes' counts are added", async () => {
	const { sql } = database;
	const report = { operation: "reception", segment: "ecf", durationMs: 100, outcome: "ok" } as const;
	const [one, other] = [0, 1].map(() => startCallCounter({ sql, clock: systemClock, log }));
	if (!one || !other) throw new Error("two counters were made");
	one.record(report);
	one.record({ ...report, outcome: "authority-timeout" });
	one.record({ ...report, outcome: "authority-auth-failed" });
	one.record({ ...report, outcome: "send-withdrawn" });
	await one.flush();
	await one.flush();
	one.record(report);
	other.record(report);
	await Promise.all([one.stop(), other.stop()]);
	const reception = (await createAuthorityStatus({ sql }).read("production")).services.find(
		({ name }) => name === "reception",
	);
	expect(reception).toMatchObject({ errorRate: 0.2 });
	expect(Math.abs((reception?.p50Ms ?? 0) - 100)).toBeLessThanOrEqual(6);
});

test("old data is deleted, except the state with which the oldest day begins", async () => {
	const { sql } = database;
	const ago = (days: number) => sql`now() - make_interval(days => ${days})`;
	for (const [days, status] of [
		[20, "outage"],
		[15, "degraded"],
		[1, "operational"],
	] as const)
		await sql`insert into authority_status_changes values ('ecf', 'overall', ${ago(days)}, ${status})`;
	await sql`
		insert into authority_calls (segment, minute, service, process, calls, failures, latencies, ok_in_row, failures_in_row)
		select 'testecf', ${ago(9)}, 'result', ${newId()}, 1, 0, '{}', 1, 0`;
	expect(await sweepAuthorityStatus(sql, 8)).toBe(2);
	const left = await sql<
		{ status: string }[]
	>`select status from authority_status_changes where segment = 'ecf' order by at`;
	expect(left.map(({ status }) => status)).toEqual(["degraded", "operational"]);
});
