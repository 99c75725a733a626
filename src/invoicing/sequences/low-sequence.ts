/** Tells the tenant that numbers run out: once for each threshold, until a new sequence is registered. */
import { enqueueEvent } from "../../events/webhooks";
import type { Sql, Tx } from "../../platform/database";
import type { Clock } from "../../platform/values";
import { endHolds } from "./hold-store";
import { countNumbers } from "./number-ranges";
import { findUsable, lockType, noteLow, type TypeKey } from "./store";
import { findLast, findToNotify, findUnsettled, settleDocuments } from "./used-numbers-store";

/** Percentages of what was free after the last registration, highest first. */
export const THRESHOLDS = [20, 5, 0] as const;

/** The lowest threshold that has been reached and that is below what was told; undefined when there is nothing to tell. */
export function reachedThreshold(available: number, capacity: number, told: number | null): number | undefined {
	const reached = THRESHOLDS.filter((percent) => available * 100 <= percent * capacity);
	const lowest = reached[reached.length - 1];
	return lowest !== undefined && (told === null || lowest < told) ? lowest : undefined;
}

/** Writes `sequence.low` when a threshold is reached; answers whether it did. The caller has locked the type. */
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

/** The same of a type as it stands, where nothing was taken; one without a sequence has nothing to run out of. */
export async function notifyOfType(tx: Tx, key: TypeKey, now: Date): Promise<boolean> {
	const [lowest] = THRESHOLDS.slice(-1);
	if ((await lockType(tx, key))?.lowNotified === lowest) return false;
	const usable = await findUsable(tx, key, now);
	const sequenceId = usable[0]?.id ?? (await findLast(tx, key));
	if (sequenceId === undefined) return false;
	const available = usable.reduce((sum, { free }) => sum + countNumbers(free), 0);
	return notifyWhenLow(tx, key, { available, sequenceId, now });
}

/**
 * What became of numbers without anybody taking them: documents that callers number themselves use them up, and days go by.
 *
 * Gap: such documents leave the free numbers at the next turn of housekeeping, and `sequence.low` tells of them and of sequences that
 * have expired then, at the lowest percentage that was reached. Who lists sequences sees both at once.
 */

/** Of one transaction, which keeps whoever takes numbers of the type waiting. */
const SETTLED_AT_ONCE_MAX = 10_000;

/** Settles documents under free numbers and tells of numbers that run out. */
export async function settleNumbers(sql: Sql, clock: Clock): Promise<{ settled: number; told: number }> {
	let settled = 0;
	for (const key of await findUnsettled(sql)) settled += await settleType(sql, key);
	const now = clock.now();
	let told = 0;
	for (const key of await findToNotify(sql, THRESHOLDS, now)) {
		const isNotified = await sql.begin(async (tx) => {
			await lockType(tx, key);
			await endHolds(tx, key);
			return notifyOfType(tx, key, now);
		});
		told += Number(isNotified);
	}
	return { settled, told };
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
