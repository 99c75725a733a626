/** The event `sequence.low`, once per threshold until a new sequence is registered, and the housekeeping that finds it. */
import { enqueueEvent } from "../../events/webhooks";
import type { Sql, Tx } from "../../platform/database";
import type { Clock } from "../../platform/values";
import { endHolds } from "./hold-store";
import { countNumbers } from "./number-ranges";
import { findUsable, lockType, noteLow, type TypeKey } from "./store";
import { findLast, findToNotify, findUnsettled, settleDocuments } from "./used-numbers-store";

/** Percentages of the numbers that were free after the last registration, highest first. */
export const THRESHOLDS = [20, 5, 0] as const;

/** The lowest threshold that is reached and not yet notified. */
export function reachedThreshold(available: number, capacity: number, notified: number | null): number | undefined {
	const reached = THRESHOLDS.filter((percent) => available * 100 <= percent * capacity);
	const lowest = reached[reached.length - 1];
	return lowest !== undefined && (notified === null || lowest < notified) ? lowest : undefined;
}

/** Writes `sequence.low` if a threshold is reached, and returns whether it did. The caller has locked the type. */
export async function notifyWhenLow(
	tx: Tx,
	key: TypeKey,
	state: { readonly available: number; readonly sequenceId: string; readonly now: Date },
): Promise<boolean> {
	const known = await lockType(tx, key);
	const percent = known && reachedThreshold(state.available, known.capacity, known.lowNotified);
	if (percent === undefined) return false;
	await noteLow(tx, key, percent);
	await enqueueEvent(tx, {
		event: "sequence.low",
		tenantId: key.tenantId,
		docId: state.sequenceId,
		trackId: state.sequenceId,
		occurredAt: state.now,
		low: { type: key.type, available: state.available, percent },
	});
	return true;
}

/** The same for a type from which nothing was taken. A type without sequences has no event. */
export async function notifyOfType(tx: Tx, key: TypeKey, now: Date): Promise<boolean> {
	const [lowest] = THRESHOLDS.slice(-1);
	if ((await lockType(tx, key))?.lowNotified === lowest) return false;
	const usable = await findUsable(tx, key, now);
	const sequenceId = usable[0]?.id ?? (await findLast(tx, key));
	if (sequenceId === undefined) return false;
	const available = usable.reduce((sum, { free }) => sum + countNumbers(free), 0);
	return notifyWhenLow(tx, key, { available, sequenceId, now });
}

/** Limit per transaction, because it blocks the numbering of the type. */
const SETTLED_AT_ONCE_MAX = 10_000;

/**
 * Housekeeping for numbers that change without being taken: documents with numbers of their own, and expired sequences. Gap: their numbers leave the free
 * ones, and `sequence.low` reports them, at the next housekeeping. Lists of sequences show both at once.
 */
export async function settleNumbers(sql: Sql, clock: Clock): Promise<{ settled: number; notified: number }> {
	let settled = 0;
	for (const key of await findUnsettled(sql)) settled += await settleType(sql, key);
	const now = clock.now();
	let notified = 0;
	for (const key of await findToNotify(sql, THRESHOLDS, now)) {
		const isNotified = await sql.begin(async (tx) => {
			await lockType(tx, key);
			await endHolds(tx, key);
			return notifyOfType(tx, key, now);
		});
		notified += Number(isNotified);
	}
	return { settled, notified };
}

async function settleType(sql: Sql, key: TypeKey): Promise<number> {
	for (let settled = 0; ; ) {
		const count = await sql.begin(async (tx) => {
			await lockType(tx, key);
			return settleDocuments(tx, key, { countMax: SETTLED_AT_ONCE_MAX });
		});
		settled += count;
		if (count < SETTLED_AT_ONCE_MAX) return settled;
	}
}
