/** Judges one environment of the authority and writes what has changed. */
import type { NewEvent } from "../../events/webhooks";
import type { Tx } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { newId } from "../../platform/values";
import type { AuthorityEnvironment, Segment } from "../client";
import { closeBreaker } from "./breaker-store";
import { isAway, judge } from "./judge";
import { type CallRow, type Measured, summarise } from "./measured";
import type { Condition, Status, StatusService } from "./status";
import { type Change, findSubscribedTenants, insertChanges, type StatusRow, writeCondition } from "./store";

/** How often an unchanged state is confirmed, since readers distrust an old one. */
const CONFIRM_EVERY_MS = 5_000;
/** After this time without a watch, the last state is no longer trusted. */
export const STALE_MS = 30_000;
/** The name under which changes of all services together are stored. */
export const OVERALL = "overall";

type SegmentTurn = {
	readonly environment: AuthorityEnvironment;
	readonly segment: Segment;
	readonly row: StatusRow;
	/** Of this environment. */
	readonly counts: readonly CallRow[];
};

/** The effects on tenants are left to the end of the turn: `events` to write, and whether the authority has recovered. */
export type Judged = { readonly condition: Condition; readonly events: readonly NewEvent[]; readonly isBack: boolean };

export async function judgeSegment(
	{ hasFcHost, log }: { readonly hasFcHost: boolean; readonly log: Log },
	tx: Tx,
	{ environment, segment, row, counts }: SegmentTurn,
): Promise<Judged> {
	const { now } = row;
	const isFirst = row.services.length === 0;
	const isStale = !isFirst && now.getTime() - row.judgedAt.getTime() > STALE_MS;
	const before = isStale ? forget(row) : row;
	const { mainBreaker: breaker } = row;
	const facts = { ...row, breaker, hasFcHost, measured: measuredOf(counts) };
	const judged = judge(before, facts);
	const isBack = isAway(before.status) && !isAway(judged.status);
	const condition = isBack ? judge(before, { ...facts, breaker: "closed" }) : judged;
	const changes = [...(isStale ? changesOf(row, before, row.judgedAt) : []), ...changesOf(before, condition, now)];
	const hasChanged = changes.length > 0 || condition.contingency !== row.contingency;
	if (!hasChanged && now.getTime() - row.judgedAt.getTime() < CONFIRM_EVERY_MS)
		return { condition, events: [], isBack: false };
	await writeCondition(tx, segment, condition, now);
	if (changes.length > 0) await insertChanges(tx, segment, changes);
	if (isBack) await closeBreaker(tx, segment);
	if (condition.status !== row.status)
		log.info(
			{ event: "authority-status.changed", segment, from: row.status, to: condition.status },
			"status of the authority changed",
		);
	// Gap: an event reports a change between two known states, so neither `unknown` nor the first known state is reported.
	const from = row.reportedStatus;
	const isReportable = from !== null && condition.status !== "unknown" && condition.status !== from;
	return { condition, events: isReportable ? await createStatusEvents(tx, environment, from, condition) : [], isBack };
}

export function measuredOf(counts: readonly CallRow[]): (service: StatusService, backAt?: Date) => Measured {
	return (service, backAt) =>
		summarise(
			counts.filter((count) => count.service === service),
			backAt,
		);
}

/** Nothing is known, because no process has watched since the last judgement. */
export function forget(row: Pick<StatusRow, "services" | "judgedAt">): Condition {
	const since = row.judgedAt;
	const services = row.services.map(({ name }) => ({ name, status: "unknown" as const, since: since.toISOString() }));
	return { status: "unknown", since, contingency: false, services };
}

function changesOf(before: Condition, after: Condition, at: Date): Change[] {
	const was = new Map<string, Status>(before.services.map(({ name, status }) => [name, status]));
	const services = after.services.flatMap(({ name, status }) =>
		was.get(name) === status ? [] : [{ service: name, at, status }],
	);
	const isSame = before.services.length > 0 && before.status === after.status;
	return isSame ? services : [{ service: OVERALL, at, status: after.status }, ...services];
}

const PATTERNS = ["authority.status_changed", "authority.*"];

/**
 * The `authority.status_changed` events of a change, one per tenant, to be written in its transaction.
 * Gap: only tenants that issue in this environment and have an endpoint for the event receive it. It reports all services together, not each.
 */
export async function createStatusEvents(
	tx: Tx,
	environment: AuthorityEnvironment,
	from: Status,
	after: Condition,
): Promise<NewEvent[]> {
	const tenantIds = await findSubscribedTenants(tx, environment, PATTERNS);
	const changeId = newId();
	const authorityStatus = { authorityEnvironment: environment, from, contingency: after.contingency };
	return tenantIds.map((tenantId) => ({
		...{ event: "authority.status_changed", tenantId, docId: changeId, trackId: changeId },
		...{ occurredAt: after.since, status: after.status, authorityStatus },
	}));
}
