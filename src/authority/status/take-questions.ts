/** Which questions to the authority are due besides documents; whoever takes one asks it. */

import type { Tx } from "../../platform/database";
import type { Segment } from "../client";
import { measuredOf } from "./judge-segment";
import type { CallRow } from "./measured";
import { latest, probePauseMs } from "./probe-pause";
import { SERVICE_NAMES, serviceOf } from "./service-table";
import type { Condition } from "./status";
import { noteAsked, type Question, type StatusRow } from "./store";
import type { WatchDeps } from "./watch-authority";

const DECLARED_EVERY_MS = 60_000;
const DECLARED_AWAY_EVERY_MS = 15_000;

export async function takeQuestions(
	{ probeSeconds }: Pick<WatchDeps, "probeSeconds">,
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
