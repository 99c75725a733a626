/** What whoever answers requests knows of the authority: read from what the watch has written, at most once a second however many ask. */
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

/** A service as it is now, with what its calls of the last minutes were like. */
export type CurrentService = {
	readonly name: string;
	readonly status: Status;
	readonly since: Date;
	/** Of calls that were answered; null without any. */
	readonly p50Ms: number | null;
	readonly p99Ms: number | null;
	/** Share of the calls that failed, in hundredths; null without any call. */
	readonly errorRate: number | null;
};

export type CurrentStatus = Pick<Condition, "status" | "since" | "contingency"> & {
	readonly authorityEnvironment: AuthorityEnvironment;
	readonly services: readonly CurrentService[];
	readonly breaker: Breaker;
	readonly declared: Declared;
	/** Of now and of the future. */
	readonly windows: readonly Window[];
	/** When it was last found to be so; null while nobody watches. */
	readonly updatedAt: Date | null;
};

/** What was, by service and from the oldest on; `overall` is the name for all together. */
export type StatusChanges = ReadonlyMap<string, readonly { readonly at: Date; readonly status: Status }[]>;

export type AuthorityStatus = {
	readonly read: (environment: AuthorityEnvironment) => Promise<CurrentStatus>;
	/** A document that is issued now cannot be expected to reach the authority. */
	readonly isContingency: (segment: Segment) => Promise<boolean>;
	/** How long ago it was found to be back; without `agoMs` while it is away, or has not been. */
	readonly readReturn: (segment: Segment) => Promise<{ readonly agoMs?: number }>;
	/** The changes of the last 24 hours, with what was true at their beginning. */
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

/** `since` is of the database's clock, so its age is told by that clock, and grows by this process's own, which is never set. */
type Read = CurrentStatus & { readonly sinceAgoMs: number; readonly readAtMs: number };

/** Where nobody has watched yet nothing is known, as far as this process can tell since it began. */
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

/* HEAD history.ts: The last 24 hours in equal steps: the worst state that each service had in each of them. */

export const STEP_SECONDS = 900;
const STEPS = (PAST_HOURS * 3600) / STEP_SECONDS;
const STEP_MS = STEP_SECONDS * 1_000;

export type History = {
	readonly from: Date;
	/** `overall` first, then as they are shown. */
	readonly services: readonly { readonly name: string; readonly states: readonly Status[] }[];
};

/** Steps begin at quarters of an hour; the last one is that of now. What is true now ends the past, whatever was written down. */
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

/** A step has the state with which it begins, and every one that begins in it; the worst counts. */
function toStates(changes: readonly { readonly at: Date; readonly status: Status }[], fromMs: number): Status[] {
	let next = 0;
	let current: Status = "unknown";
	const goOn = (untilMs: number, heard: (status: Status) => void) => {
		for (let change = changes[next]; change && change.at.getTime() < untilMs; change = changes[++next]) {
			current = change.status;
			heard(current);
		}
	};
	return Array.from({ length: STEPS }, (_, step) => {
		const beginMs = fromMs + step * STEP_MS;
		goOn(beginMs + 1, () => undefined);
		let worst = current;
		goOn(beginMs + STEP_MS, (status) => {
			worst = worseOf(worst, status);
		});
		return worst;
	});
}
