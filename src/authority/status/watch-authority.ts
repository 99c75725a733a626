/**
 * Watches the authority: once a second it gathers the facts, judges, writes changes and enqueues events for subscribers.
 *
 *     each second, in the process that gets the lock             afterwards, outside any transaction
 *     ┌───────────────────────────────────────────────┐        ┌────────────────────────────────────┐
 *     │ counts of all processes, declared, breaker    │  due?  │ probe: GET the seed                │──▶ counted like any call
 *     │   ──▶ judge ──▶ state, changes, events        │ ─────▶ │ status host: declared, windows     │──▶ stored
 *     └───────────────────────────────────────────────┘        └────────────────────────────────────┘
 *
 * Model: there is no leader. Every dispatching process tries each second, and a transaction-scoped lock lets one judge. The next one sees what
 * it wrote, so each change is reported once. A query is recorded in the same transaction; if its process dies, the next one queries after the
 * pause.
 * What fails: without a database nothing is judged, and readers report the state as old. An error ends the turn, not the watch.
 */
import { Cron } from "croner";
import { enqueueEvents, type NewEvent } from "../../events/webhooks";
import { LOCKS, type Sql, type Tx, tryLock } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import {
	AUTHORITY_ENVIRONMENTS,
	type AuthorityEnvironment,
	type MaintenanceWindow,
	type Probe,
	type Segment,
	type StatusHost,
	toSegment,
} from "../client";
import { judgeSegment, measuredOf } from "./judge-segment";
import type { CallRow, Measured } from "./measured";
import { type Condition, SERVICE_NAMES, type Status, serviceOf, type Window } from "./status";
import {
	addStatusRows,
	findCallCounts,
	findEnvironmentsInUse,
	findStatusRows,
	markQueried,
	type StatusQuery,
	type StatusRow,
	writeDeclared,
} from "./store";

export type AuthorityWatchOptions = {
	readonly sql: Sql;
	readonly log: Log;
	/** Its calls must reach the counter of this process. */
	readonly probe: Probe;
	/** Writes the probe's result, so that the next turn sees it. */
	readonly flush: () => Promise<void>;
	readonly statusHost: StatusHost;
	/** The deployment's own environment, watched even without companies. */
	readonly ownEnvironment: AuthorityEnvironment;
	/** Pause between probes while all is well. */
	readonly probeSeconds: number;
	/** Summaries go to a separate host. */
	readonly hasFcHost: boolean;
	/** Brings forward what waits for the authority after its recovery. Must not wait for a message that another process holds. */
	readonly expedite: (tx: Tx, environment: AuthorityEnvironment) => Promise<void>;
	/** Notifies dispatchers that messages wait. */
	readonly wake: () => void;
};

export type AuthorityWatch = {
	/** One turn, as each second's tick makes it. Throws what the database throws. */
	readonly turn: () => Promise<void>;
	readonly stop: () => Promise<void>;
};

const EVERY_SECOND = "* * * * * *";
/** Gap: percentiles and error rates cover the last five minutes. */
export const WINDOW_MINUTES = 5;
/** Another process has just judged. */
const JUDGED_LATELY_MS = 300;
const ENVIRONMENTS_KNOWN_MS = 60_000;

/** `isAlive`: the judged state of the host. */
type DueQuery = { readonly segment: Segment; readonly query: StatusQuery; readonly isAlive: boolean };

export function startStatusWatch(deps: AuthorityWatchOptions): AuthorityWatch {
	let known: { readonly environments: readonly AuthorityEnvironment[]; readonly atMs: number } | undefined;
	let running: Promise<void> = Promise.resolve();
	const querying = new Map<string, Promise<void>>();

	async function watchedEnvironments(): Promise<readonly AuthorityEnvironment[]> {
		if (known && performance.now() - known.atMs < ENVIRONMENTS_KNOWN_MS) return known.environments;
		const inUse = await findEnvironmentsInUse(deps.sql);
		const environments = AUTHORITY_ENVIRONMENTS.filter((one) => one === deps.ownEnvironment || inUse.includes(one));
		known = { environments, atMs: performance.now() };
		return environments;
	}

	async function turn(): Promise<void> {
		const environments = await watchedEnvironments();
		const { due, hasEvents } = await deps.sql.begin((tx) => judgeAll(deps, tx, environments));
		if (hasEvents) deps.wake();
		for (const one of due) begin(one);
	}

	/** A slow answer is not waited for, and the query is not repeated meanwhile. */
	function begin({ segment, query, isAlive }: DueQuery): void {
		const key = `${segment} ${query}`;
		if (querying.has(key)) return;
		const work = query === "life" ? probeHost(deps, segment, isAlive) : queryDeclared(deps, segment);
		const ended = work
			.catch((error) =>
				deps.log.warn(
					{ event: "authority-status.query_failed", err: error, segment, query },
					"status query to the authority failed",
				),
			)
			.finally(() => querying.delete(key))
			.then(tick);
		querying.set(key, ended);
	}

	function tick(): Promise<void> {
		if (!job.isRunning()) return running;
		running = running
			.then(turn)
			.catch((error) =>
				deps.log.warn(
					{ event: "authority-status.judge_failed", err: error },
					"could not judge the state of the authority; retrying at the next turn",
				),
			);
		return running;
	}
	const job = new Cron(EVERY_SECOND, { timezone: "UTC", protect: true }, tick);
	return {
		turn,
		async stop() {
			job.stop();
			await running;
			await Promise.all(querying.values());
		},
	};
}

async function judgeAll(
	deps: AuthorityWatchOptions,
	tx: Tx,
	environments: readonly AuthorityEnvironment[],
): Promise<{ readonly due: readonly DueQuery[]; readonly hasEvents: boolean }> {
	if (!(await tryLock(tx, LOCKS.authorityStatus))) return { due: [], hasEvents: false };
	const segments = environments.map(toSegment);
	let rows = await findStatusRows(tx, segments);
	if (rows.length < segments.length) {
		await addStatusRows(tx, segments);
		rows = await findStatusRows(tx, segments);
	}
	const waiting = environments.flatMap((environment) => {
		const row = rows.find(({ segment }) => segment === toSegment(environment));
		const isDue = row && (row.services.length === 0 || row.now.getTime() - row.judgedAt.getTime() >= JUDGED_LATELY_MS);
		return isDue ? [{ environment, segment: toSegment(environment), row }] : [];
	});
	if (waiting.length === 0) return { due: [], hasEvents: false };
	const counts = await findCallCounts(tx, segments, WINDOW_MINUTES);
	const due: DueQuery[] = [];
	const events: NewEvent[] = [];
	const back: AuthorityEnvironment[] = [];
	for (const { environment, segment, row } of waiting) {
		const own = counts.filter((count) => count.segment === segment);
		const judged = await judgeSegment(deps, tx, { environment, segment, row, counts: own });
		events.push(...judged.events);
		if (judged.isBack) back.push(environment);
		const queries = await takeDueQueries(deps.probeSeconds, tx, {
			segment,
			row,
			condition: judged.condition,
			counts: own,
		});
		const host = judged.condition.services.find(({ name }) => name === "authentication");
		const isAlive = host?.status === "operational" || host?.status === "degraded";
		due.push(...queries.map((query) => ({ segment, query, isAlive })));
	}
	// The lock order matches that of verdicts: first tenants' event counters, then the messages that waited. One statement takes the counters of
	// all environments in tenant order. `expedite` skips messages that others hold.
	if (events.length > 0) await enqueueEvents(tx, events);
	for (const environment of back) await deps.expedite(tx, environment);
	return { due, hasEvents: events.length > 0 || back.length > 0 };
}

async function probeHost({ probe, flush }: AuthorityWatchOptions, segment: Segment, isAlive: boolean): Promise<void> {
	if ((await probe(segment)) !== isAlive) {
		await Bun.sleep(CONFIRM_MS);
		await probe(segment);
	}
	await flush();
}

/** Queries the status host and stores its declarations. A state that could not be read becomes unknown, but announced windows stay. */
export async function queryDeclared(
	{ statusHost, sql }: Pick<AuthorityWatchOptions, "statusHost" | "sql">,
	segment: Segment,
): Promise<void> {
	const [status, services, windows] = await Promise.all([
		statusHost.environment(segment),
		statusHost.services(),
		statusHost.windows(),
	]);
	const named = (services ?? [])
		.filter((one) => one.segment === segment)
		.flatMap(({ title, status: word }) => {
			const name = SERVICE_NAMES.find((one) => serviceOf(one).title === foldTitle(title));
			return name ? [[name, word] as const] : [];
		});
	const declared = {
		...(status === undefined ? {} : { status }),
		...(services === undefined ? {} : { services: Object.fromEntries(named) }),
	};
	await writeDeclared(sql, segment, declared, windows && toWindows(windows, segment));
}

function toWindows(windows: readonly MaintenanceWindow[], segment: Segment): Window[] {
	return windows
		.filter((one) => one.segment === segment)
		.map(({ from, to }) => ({ from: from.toISOString(), to: to.toISOString() }));
}

/** Accents and letter case do not distinguish services. */
function foldTitle(title: string): string {
	return title.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}

const DECLARED_EVERY_MS = 60_000;
const DECLARED_AWAY_EVERY_MS = 15_000;

export async function takeDueQueries(
	probeSeconds: number,
	tx: Tx,
	turn: {
		readonly segment: Segment;
		readonly row: StatusRow;
		readonly condition: Condition;
		readonly counts: readonly CallRow[];
	},
): Promise<StatusQuery[]> {
	const { segment, row, condition, counts } = turn;
	const isOver = (since: Date, pauseMs: number) => row.now.getTime() - since.getTime() >= pauseMs;
	const facts = {
		status: condition.services.find(({ name }) => name === "authentication")?.status ?? "unknown",
		seed: measuredOf(counts)("authentication"),
		lastFailureElsewhereAt: counts
			.filter(({ service }) => isOfMainHost(service))
			.map((one) => one.lastFailureAt)
			.reduce(latest, null),
		quietMs: probeSeconds * 1_000,
	};
	const declaredEveryMs = condition.status === "operational" ? DECLARED_EVERY_MS : DECLARED_AWAY_EVERY_MS;
	const queries: StatusQuery[] = [
		...(isOver(row.probedAt, probePauseMs(facts)) ? (["life"] as const) : []),
		...(isOver(row.declaredQueriedAt, declaredEveryMs) ? (["declared"] as const) : []),
	];
	for (const query of queries) await markQueried(tx, segment, query, row.now);
	return queries;
}

function isOfMainHost(service: string): boolean {
	return SERVICE_NAMES.some((name) => name === service && name !== "authentication" && serviceOf(name).host === "main");
}

type ProbeFacts = {
	/** The current state of authentication. */
	readonly status: Status;
	readonly seed: Pick<Measured, "okInRow" | "failuresInRow" | "lastOkAt" | "lastFailureAt">;
	/** The newest failure of all other services of the host. */
	readonly lastFailureElsewhereAt: Date | null;
	/** Pause between probes while the host is well. */
	readonly quietMs: number;
};

/** During an outage the host is probed often, so that its recovery is noticed within seconds. */
const AWAY_MS = 5_000;
/** A change is confirmed with a second probe after a moment: a first failure, a first success, a failure of another service. */
export const CONFIRM_MS = 500;

/** Milliseconds from the last probe to the next. */
export function probePauseMs({ status, seed, lastFailureElsewhereAt, quietMs }: ProbeFacts): number {
	const isWell = status === "operational" || status === "degraded";
	const last = latest(seed.lastOkAt, seed.lastFailureAt);
	const isElsewhere = lastFailureElsewhereAt !== null && (last === null || lastFailureElsewhereAt > last);
	if (isWell ? seed.failuresInRow > 0 || isElsewhere : seed.okInRow > 0) return CONFIRM_MS;
	return isWell ? quietMs : Math.min(AWAY_MS, quietMs);
}

export function latest(a: Date | null, b: Date | null): Date | null {
	if (a === null || b === null) return a ?? b;
	return a > b ? a : b;
}
