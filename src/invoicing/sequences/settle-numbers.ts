/**
 * What became of numbers without anybody taking them: documents that callers number themselves use them up, and days go by.
 *
 * Gap: such documents leave the free numbers at the next turn of housekeeping, and `sequence.low` tells of them and of sequences that
 * have expired then, at the lowest percentage that was reached. Who lists sequences sees both at once.
 */
import type { Sql } from "../../platform/database";
import type { Clock } from "../../platform/values";
import { endHolds } from "./hold-store";
import { THRESHOLDS, tellOfType } from "./low-sequence-event";
import { findToTell, findUnsettled, settleDocuments } from "./settle-store";
import { lockType, type TypeKey } from "./store";

/** Of one transaction, which keeps whoever takes numbers of the type waiting. */
const SETTLED_AT_ONCE_MAX = 10_000;

/** Settles documents under free numbers and tells of numbers that run out. */
export async function settleNumbers(sql: Sql, clock: Clock): Promise<{ settled: number; told: number }> {
	let settled = 0;
	for (const key of await findUnsettled(sql)) settled += await settleType(sql, key);
	const now = clock.now();
	let told = 0;
	for (const key of await findToTell(sql, THRESHOLDS, now)) {
		const isTold = await sql.begin(async (tx) => {
			await lockType(tx, key);
			await endHolds(tx, key);
			return tellOfType(tx, key, now);
		});
		told += Number(isTold);
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
