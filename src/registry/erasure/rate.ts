/**
 * How many erasures, and how many steps of reversals, a key may ask for in an hour together with all that may be in the same hands: an accident
 * or a thief must not empty the registry.
 */
import { type Actor, countSince } from "../../identity/audit-log";
import { beyondCount } from "../../identity/rate-limits";
import type { Tx } from "../../platform/database";
import type { Plan } from "../../platform/operation";
import type { FindKin } from "./kin";

const LIMIT = 60;
const WINDOW_SECONDS = 3_600;
const POLICY = {
	name: "purge",
	slug: "rate-limit-exceeded",
	quota: LIMIT,
	windowSeconds: WINDOW_SECONDS,
	detail: `The key, with those made or rotated from the same one, may do this ${LIMIT} times in ${WINDOW_SECONDS} seconds.`,
} as const;

export const PURGE_ACTIONS = ["registry.purge"] as const;
export const REVERSAL_ACTIONS = ["registry.propose-reversal", "registry.reverse-purge"] as const;

/**
 * Counts in the audit, where what this transaction does will stand too: exact, whichever process is asked. What was refused does not
 * count. The operator's own plan has no limits. Throws: rate-limit-exceeded.
 */
export async function limitRate(
	tx: Tx,
	findKin: FindKin,
	actor: Actor,
	plan: Plan | undefined,
	actions: readonly string[],
	now: Date,
): Promise<void> {
	if (actor.keyId === undefined || plan === "unlimited") return;
	const { keyIds, rootIds } = await findKin(tx, actor.keyId);
	const { times, firstAt } = await countSince(
		tx,
		{ keyIds, turnIds: rootIds },
		actions,
		new Date(now.getTime() - WINDOW_SECONDS * 1000),
	);
	if (times < LIMIT || firstAt === null) return;
	const waitSeconds = Math.ceil((firstAt.getTime() - now.getTime()) / 1000) + WINDOW_SECONDS;
	const retryAfter = Math.max(1, waitSeconds);
	throw beyondCount(POLICY, retryAfter);
}
