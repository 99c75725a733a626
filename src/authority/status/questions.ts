/** Which questions to the authority are due besides documents; whoever takes one asks it. */
import type { Tx } from "../../platform/database";
import type { Segment } from "../client";
import { measuredOf } from "./judge-segment";
import type { CallRow, Measured } from "./measured";
import { type Condition, SERVICE_NAMES, type Status, serviceOf } from "./status";
import { noteAsked, type Question, type StatusRow } from "./store";

const DECLARED_EVERY_MS = 60_000;
const DECLARED_AWAY_EVERY_MS = 15_000;

export async function takeQuestions(
	probeSeconds: number,
	tx: Tx,
	turn: {
		readonly segment: Segment;
		readonly row: StatusRow;
		readonly condition: Condition;
		readonly counts: readonly CallRow[];
	},
): Promise<Question[]> {
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
	const questions: Question[] = [
		...(isOver(row.probedAt, probePauseMs(facts)) ? (["life"] as const) : []),
		...(isOver(row.declaredAskedAt, declaredEveryMs) ? (["declared"] as const) : []),
	];
	for (const question of questions) await noteAsked(tx, segment, question, row.now);
	return questions;
}

function isOfMainHost(service: string): boolean {
	return SERVICE_NAMES.some((name) => name === service && name !== "authentication" && serviceOf(name).host === "main");
}

/* HEAD probe-pause.ts: When the main host is asked for a sign of life next. */

type ProbeFacts = {
	/** Of authentication, as it is held to be now. */
	readonly status: Status;
	readonly seed: Pick<Measured, "okInRow" | "failuresInRow" | "lastOkAt" | "lastFailureAt">;
	/** Of all other services of the host: the newest call that failed. */
	readonly lastFailureElsewhereAt: Date | null;
	/** Between two of them while all is well. */
	readonly quietMs: number;
};

/** While it is away it is asked often, so that its return is told within seconds. */
const AWAY_MS = 5_000;
/** News is not believed at once but asked again after a moment: a first failure, a first good answer, a failure of another service. */
export const DOUBT_MS = 500;

/** Milliseconds from the last question to the next one. */
export function probePauseMs({ status, seed, lastFailureElsewhereAt, quietMs }: ProbeFacts): number {
	const isWell = status === "operational" || status === "degraded";
	const last = latest(seed.lastOkAt, seed.lastFailureAt);
	const isElsewhere = lastFailureElsewhereAt !== null && (last === null || lastFailureElsewhereAt > last);
	if (isWell ? seed.failuresInRow > 0 || isElsewhere : seed.okInRow > 0) return DOUBT_MS;
	return isWell ? quietMs : Math.min(AWAY_MS, quietMs);
}

export function latest(a: Date | null, b: Date | null): Date | null {
	if (a === null || b === null) return a ?? b;
	return a > b ? a : b;
}
