/** One environment's turn: judged anew, and what has changed written down. */
import type { NewEvent } from "../../events/webhooks";
import type { Tx } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { newId } from "../../platform/values";
import type { AuthorityEnvironment, Segment } from "../client";
import { closeBreaker } from "./breaker-store";
import { isAway, judge } from "./judge";
import { type CallRow, type Measured, sumUp } from "./measured";
import type { Condition, Status, StatusService } from "./status";
import { type Change, findAskingTenants, insertChanges, type StatusRow, writeCondition } from "./store";

/** A state that stays is confirmed so often: readers take an old one for none. */
const CONFIRM_EVERY_MS = 5_000;
/** Nobody has watched for so long: what was true then is not known to be true still. */
export const STALE_MS = 30_000;
/** The name under which changes of all services together are kept. */
export const OVERALL = "overall";

type SegmentTurn = {
	readonly environment: AuthorityEnvironment;
	readonly segment: Segment;
	readonly row: StatusRow;
	/** Of this environment. */
	readonly counts: readonly CallRow[];
};

/** What follows from it for tenants is left to the end of the turn: `news` to be told, and that the authority is back. */
export type Judged = { readonly condition: Condition; readonly news: readonly NewEvent[]; readonly isBack: boolean };

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
		return { condition, news: [], isBack: false };
	await writeCondition(tx, segment, condition, now);
	if (changes.length > 0) await insertChanges(tx, segment, changes);
	if (isBack) await closeBreaker(tx, segment);
	if (condition.status !== row.status)
		log.info({ segment, from: row.status, to: condition.status }, "the authority's status has changed");
	// Gap: that nobody knows is no news, and neither is the first that is known: an event tells of a change between two that are.
	const from = row.toldStatus;
	const isNews = from !== null && condition.status !== "unknown" && condition.status !== from;
	return { condition, news: isNews ? await findNews(tx, environment, from, condition) : [], isBack };
}

export function measuredOf(counts: readonly CallRow[]): (service: StatusService, backAt?: Date) => Measured {
	return (service, backAt) =>
		sumUp(
			counts.filter((count) => count.service === service),
			backAt,
		);
}

/** Nobody has watched since it was judged last: nothing is known. */
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

/* HEAD status-event.ts: The event `authority.status_changed`: once for each change and tenant that has asked for it. */

const PATTERNS = ["authority.status_changed", "authority.*"];

/**
 * The events of a change, to be written in its transaction.
 * Gap: told are tenants that issue in this environment of the authority and have an endpoint that asks for it, others' feeds stay as they
 * are; and told is of all services together, not of each.
 */
export async function findNews(
	tx: Tx,
	environment: AuthorityEnvironment,
	from: Status,
	after: Condition,
): Promise<NewEvent[]> {
	const tenantIds = await findAskingTenants(tx, environment, PATTERNS);
	// The change itself has an id, the same for all who hear of it.
	const changeId = newId();
	const authorityStatus = { authorityEnvironment: environment, from, contingency: after.contingency };
	return tenantIds.map((tenantId) => ({
		...{ event: "authority.status_changed", tenantId, docId: changeId, trackId: changeId },
		...{ occurredAt: after.since, status: after.status, authorityStatus },
	}));
}
