/** Reads the state of the authority, as the watch has written it, for requests: at most once a second, however many ask. */
import { memoizeFor } from "../../platform/concurrency";
import type { Sql } from "../../platform/database";
import { AUTHORITY_ENVIRONMENTS, type AuthorityEnvironment, type Segment, toSegment } from "../client";
import { isAway } from "./judge";
import { forget, measuredOf, OVERALL, STALE_MS } from "./judge-segment";
import { percentileMs } from "./measured";
import {
	type Breaker,
	type Condition,
	type Declared,
	type Status,
	servicesIn,
	toStatus,
	type Window,
	worseOf,
} from "./status";
import { type Change, findCallCounts, findChanges, findStatusRows } from "./store";
import { WINDOW_MINUTES } from "./watch-authority";

/** A service's current state, with statistics of its calls of the last minutes. */
export type CurrentService = {
	readonly name: string;
	readonly status: Status;
	readonly since: Date;
	/** Of answered calls; null without any. */
	readonly p50Ms: number | null;
	readonly p99Ms: number | null;
	/** Share of failed calls, rounded to hundredths; null without calls. */
	readonly errorRate: number | null;
};

export type CurrentStatus = Pick<Condition, "status" | "since" | "contingency"> & {
	readonly authorityEnvironment: AuthorityEnvironment;
	readonly services: readonly CurrentService[];
	readonly breaker: Breaker;
	readonly declared: Declared;
	/** Current and future ones. */
	readonly windows: readonly Window[];
	/** When the state was last confirmed; null if it was never watched. */
	readonly updatedAt: Date | null;
};

/** Past changes by service, oldest first; `overall` stands for all services together. */
export type StatusChanges = ReadonlyMap<string, readonly { readonly at: Date; readonly status: Status }[]>;

export type AuthorityStatus = {
	readonly read: (environment: AuthorityEnvironment) => Promise<CurrentStatus>;
	/** A document issued now cannot be expected to reach the authority. */
	readonly isContingency: (segment: Segment) => Promise<boolean>;
	/** How long ago the authority recovered; without `agoMs` while it is away or its state is unknown. */
	readonly readReturn: (segment: Segment) => Promise<{ readonly agoMs?: number }>;
	/** The changes of the last 24 hours, preceded by the state at their beginning. */
	readonly readPast: (environment: AuthorityEnvironment) => Promise<StatusChanges>;
};

const KEPT_MS = 1_000;
export const PAST_HOURS = 24;

export function createAuthorityStatus({ sql }: { readonly sql: Sql }): AuthorityStatus {
	const read = memoizeFor(KEPT_MS, (environment: AuthorityEnvironment) => readOnce(sql, environment));
	const readPast = memoizeFor(KEPT_MS, async (environment: AuthorityEnvironment) =>
		toPast(await findChanges(sql, toSegment(environment), PAST_HOURS)),
	);
	return {
		read,
		readPast,
		async isContingency(segment) {
			return (await read(toEnvironment(segment))).contingency;
		},
		async readReturn(segment) {
			const { status, sinceAgoMs, readAtMs } = await read(toEnvironment(segment));
			return isAway(status) || status === "unknown" ? {} : { agoMs: sinceAgoMs + performance.now() - readAtMs };
		},
	};
}

function toEnvironment(segment: Segment): AuthorityEnvironment {
	const environment = AUTHORITY_ENVIRONMENTS.find((one) => toSegment(one) === segment);
	if (environment === undefined) throw new RangeError(`no environment of the authority has the segment ${segment}`);
	return environment;
}

/** `since` uses the database's clock, so its age is measured by that clock and then grows with this process's monotonic clock. */
type Read = CurrentStatus & { readonly sinceAgoMs: number; readonly readAtMs: number };

/** Before the first watch nothing is known since this process started. */
const NEVER_WATCHED_AT = new Date(performance.timeOrigin);

async function readOnce(sql: Sql, environment: AuthorityEnvironment): Promise<Read> {
	const readAtMs = performance.now();
	const segment = toSegment(environment);
	const [[row], counts] = await Promise.all([
		findStatusRows(sql, [segment]),
		findCallCounts(sql, [segment], WINDOW_MINUTES),
	]);
	const isKnown = row !== undefined && row.services.length > 0;
	const isStale = isKnown && row.now.getTime() - row.judgedAt.getTime() > STALE_MS;
	const condition: Condition =
		isKnown && !isStale ? row : forget({ services: row?.services ?? [], judgedAt: row?.judgedAt ?? NEVER_WATCHED_AT });
	const measured = measuredOf(counts);
	const services = servicesIn(segment).map((name): CurrentService => {
		const state = condition.services.find((one) => one.name === name);
		const { calls, failures, latencies } = measured(name);
		return {
			name,
			status: state?.status ?? "unknown",
			since: state ? new Date(state.since) : condition.since,
			p50Ms: percentileMs(latencies, 0.5),
			p99Ms: percentileMs(latencies, 0.99),
			errorRate: calls === 0 ? null : Math.round((failures / calls) * 100) / 100,
		};
	});
	return {
		...{ authorityEnvironment: environment, services, status: condition.status, since: condition.since },
		contingency: condition.contingency,
		breaker: row?.breaker ?? "closed",
		declared: row?.declared ?? {},
		windows: (row?.windows ?? []).filter(({ to }) => row !== undefined && Date.parse(to) > row.now.getTime()),
		updatedAt: isKnown ? row.judgedAt : null,
		...{ readAtMs, sinceAgoMs: row ? Math.max(0, row.now.getTime() - condition.since.getTime()) : 0 },
	};
}

function toPast(changes: readonly Change[]): StatusChanges {
	const byService = Map.groupBy(changes, ({ service }) => service);
	return new Map(
		[...byService].map(([service, own]) => [service, own.map(({ at, status }) => ({ at, status: toStatus(status) }))]),
	);
}

export const STEP_SECONDS = 900;
const STEPS = (PAST_HOURS * 3600) / STEP_SECONDS;
const STEP_MS = STEP_SECONDS * 1_000;

export type History = {
	readonly from: Date;
	/** `overall` first, then the services in display order. */
	readonly services: readonly { readonly name: string; readonly states: readonly Status[] }[];
};

/**
 * The last 24 hours in equal steps, each with the worst state of a service. Steps begin at quarters of an hour; the last one contains now. The
 * current state ends the series, whatever is stored.
 */
export function toHistory(past: StatusChanges, seen: CurrentStatus, now: Date): History {
	const fromMs = (Math.floor(now.getTime() / STEP_MS) + 1 - STEPS) * STEP_MS;
	const services = [{ name: OVERALL, status: seen.status, since: seen.since }, ...seen.services];
	return {
		from: new Date(fromMs),
		services: services.map(({ name, status, since }) => {
			const changes = [...(past.get(name) ?? []).filter(({ at }) => at < since), { at: since, status }];
			return { name, states: toStates(changes, fromMs) };
		}),
	};
}

/** A step includes the state at its start and every state that begins within it; the worst counts. */
function toStates(changes: readonly { readonly at: Date; readonly status: Status }[], fromMs: number): Status[] {
	let next = 0;
	let current: Status = "unknown";
	const advance = (untilMs: number, observe: (status: Status) => void) => {
		for (let change = changes[next]; change && change.at.getTime() < untilMs; change = changes[++next]) {
			current = change.status;
			observe(current);
		}
	};
	return Array.from({ length: STEPS }, (_, step) => {
		const beginMs = fromMs + step * STEP_MS;
		advance(beginMs + 1, () => undefined);
		let worst = current;
		advance(beginMs + STEP_MS, (status) => {
			worst = worseOf(worst, status);
		});
		return worst;
	});
}
