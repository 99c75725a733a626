/**
 * Watches the authority: gathers what is known of it once a second, judges, writes down what has changed and tells who has asked to be told.
 *
 *     each second, in whichever process gets the lock            afterwards, outside of any transaction
 *     ┌───────────────────────────────────────────────┐        ┌────────────────────────────────────┐
 *     │ counts of all processes, declared, breaker    │  due?  │ a sign of life: GET the seed       │──▶ counted like any call
 *     │   ──▶ judge ──▶ state, changes, events        │ ─────▶ │ the status host: declared, windows │──▶ stored
 *     └───────────────────────────────────────────────┘        └────────────────────────────────────┘
 *
 * Model: there is no leader. Every process that dispatches tries each second; a lock that goes with the transaction lets one judge, and what it
 * writes is seen by the next one, so a change is told once, by whoever sees it first. Who asks the authority notes it in the same transaction;
 * should it die, the next one asks when the pause is over.
 * What fails: without a database nothing is judged; whoever reads then finds the state old and says so. An error ends the turn, not the watch.
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
import { judgeSegment } from "./judge-segment";
import { DOUBT_MS, takeQuestions } from "./questions";
import { SERVICE_NAMES, serviceOf, type Window } from "./status";
import {
	addStatusRows,
	findCallCounts,
	findEnvironmentsInUse,
	findStatusRows,
	type Question,
	writeDeclared,
} from "./store";

export type AuthorityWatchOptions = {
	readonly sql: Sql;
	readonly log: Log;
	/** Its calls must reach the counter of this process. */
	readonly probe: Probe;
	/** Writes what the probe has met, so that the next turn sees it. */
	readonly flush: () => Promise<void>;
	readonly statusHost: StatusHost;
	/** What the service itself is for: watched even when no company issues there. */
	readonly ownEnvironment: AuthorityEnvironment;
	/** Between two signs of life while all is well. */
	readonly probeSeconds: number;
	/** Summaries go to a host of their own. */
	readonly hasFcHost: boolean;
	/** Brings forward what waits for the authority, when it is back. Must not wait for a message that somebody holds. */
	readonly expedite: (tx: Tx, environment: AuthorityEnvironment) => Promise<void>;
	/** Tells dispatchers that messages wait. */
	readonly wake: () => void;
};

export type AuthorityWatch = {
	/** One turn, at once: what a second's tick does. Throws what the database throws. */
	readonly turn: () => Promise<void>;
	readonly stop: () => Promise<void>;
};

const EVERY_SECOND = "* * * * * *";
/** Gap: percentiles and error rates are those of the last five minutes. */
export const WINDOW_MINUTES = 5;
/** Another process has just judged. */
const JUDGED_LATELY_MS = 300;
const ENVIRONMENTS_KNOWN_MS = 60_000;

/** `isAlive`: what is held to be true of the host. */
type Asked = { readonly segment: Segment; readonly question: Question; readonly isAlive: boolean };

/** Starts the watch. */
export function startStatusWatch(deps: AuthorityWatchOptions): AuthorityWatch {
	let known: { readonly environments: readonly AuthorityEnvironment[]; readonly atMs: number } | undefined;
	let running: Promise<void> = Promise.resolve();
	const asking = new Map<string, Promise<void>>();

	async function watchedEnvironments(): Promise<readonly AuthorityEnvironment[]> {
		if (known && performance.now() - known.atMs < ENVIRONMENTS_KNOWN_MS) return known.environments;
		const inUse = await findEnvironmentsInUse(deps.sql);
		const environments = AUTHORITY_ENVIRONMENTS.filter((one) => one === deps.ownEnvironment || inUse.includes(one));
		known = { environments, atMs: performance.now() };
		return environments;
	}

	async function turn(): Promise<void> {
		const environments = await watchedEnvironments();
		const { asked, hasWritten } = await deps.sql.begin((tx) => judgeAll(deps, tx, environments));
		if (hasWritten) deps.wake();
		for (const one of asked) begin(one);
	}

	/** An answer that takes long is not waited for, nor is it asked for twice. */
	function begin({ segment, question, isAlive }: Asked): void {
		const key = `${segment} ${question}`;
		if (asking.has(key)) return;
		const work = question === "life" ? askForLife(deps, segment, isAlive) : askWhatIsDeclared(deps, segment);
		const ended = work
			.catch((error) => deps.log.warn({ err: error, segment, question }, "the authority could not be asked"))
			.finally(() => asking.delete(key))
			.then(tick);
		asking.set(key, ended);
	}

	function tick(): Promise<void> {
		if (!job.isRunning()) return running;
		running = running
			.then(turn)
			.catch((error) =>
				deps.log.warn({ err: error }, "the authority's status could not be judged and is at the next turn"),
			);
		return running;
	}
	const job = new Cron(EVERY_SECOND, { timezone: "UTC", protect: true }, tick);
	return {
		turn,
		async stop() {
			job.stop();
			await running;
			await Promise.all(asking.values());
		},
	};
}

async function judgeAll(
	deps: AuthorityWatchOptions,
	tx: Tx,
	environments: readonly AuthorityEnvironment[],
): Promise<{ readonly asked: readonly Asked[]; readonly hasWritten: boolean }> {
	if (!(await tryLock(tx, LOCKS.authorityStatus))) return { asked: [], hasWritten: false };
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
	if (waiting.length === 0) return { asked: [], hasWritten: false };
	const counts = await findCallCounts(tx, segments, WINDOW_MINUTES);
	const asked: Asked[] = [];
	const news: NewEvent[] = [];
	const back: AuthorityEnvironment[] = [];
	for (const { environment, segment, row } of waiting) {
		const own = counts.filter((count) => count.segment === segment);
		const judged = await judgeSegment(deps, tx, { environment, segment, row, counts: own });
		news.push(...judged.news);
		if (judged.isBack) back.push(environment);
		const questions = await takeQuestions(deps.probeSeconds, tx, {
			segment,
			row,
			condition: judged.condition,
			counts: own,
		});
		const host = judged.condition.services.find(({ name }) => name === "authentication");
		const isAlive = host?.status === "operational" || host?.status === "degraded";
		asked.push(...questions.map((question) => ({ segment, question, isAlive })));
	}
	// One lock order with verdicts, which take tenants' counters of events and then bring forward what waited for them: counters first, of all
	// environments at once, since one statement takes them in the tenants' order; then messages, of which `hasten` passes over those that others hold.
	if (news.length > 0) await enqueueEvents(tx, news);
	for (const environment of back) await deps.expedite(tx, environment);
	return { asked, hasWritten: news.length > 0 || back.length > 0 };
}

async function askForLife({ probe, flush }: AuthorityWatchOptions, segment: Segment, isAlive: boolean): Promise<void> {
	if ((await probe(segment)) !== isAlive) {
		await Bun.sleep(DOUBT_MS);
		await probe(segment);
	}
	await flush();
}

/* HEAD ask-declared.ts: Asks the status host what the authority declares of one of its environments, and keeps the answer. */

/** What could not be learned is not known any more, but for windows, which were announced once and stay so. */
export async function askWhatIsDeclared(
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

/** Accents and letter case do not make another service. */
function foldTitle(title: string): string {
	return title.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}
