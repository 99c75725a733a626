/** Decides which status queries to the authority are due. The process that takes a query makes it. */
import type { Tx } from "../../platform/database";
import type { Segment } from "../client";
import { measuredOf } from "./judge-segment";
import type { CallRow, Measured } from "./measured";
import { type Condition, SERVICE_NAMES, type Status, serviceOf } from "./status";
import { markQueried, type StatusQuery, type StatusRow } from "./store";

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
