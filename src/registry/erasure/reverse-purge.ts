/**
 * Reversal of an erasure: one key proposes it, another confirms it. The entry returns with the next ingest, if the source
 * has it; until then the number's digest is kept, so that a host which builds its data anew leaves the entry out like all others.
 *
 * An erasure of the same number that comes between the two withdraws the proposal, so of an erasure and a reversal at the same moment
 * the erasure wins unless the reversal was complete before it.
 *
 * Gap: two persons are two keys that do not come from one: neither made nor rotated from the same key, and both made before the proposal, so
 * that nobody makes the second for himself. Who holds two keys that the operator made apart is for their owner to see to.
 */
import { type Actor, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { Problem } from "../../platform/problem";
import type { FindKin } from "./kin";
import type { PurgeDeps, Requester } from "./purge-document";
import { limitRate, REVERSAL_ACTIONS } from "./rate";
import { isProposalOpen } from "./record";
import { liftTombstone, lockTombstone, proposeReversal, type TombstoneRow } from "./tombstones-store";

export type ReversalDeps = Pick<PurgeDeps, "sql" | "clock" | "findKin" | "keepErasure">;

/**
 * The erasure as it stands then: with an open proposal, or reversed. Throws: not-found, rate-limit-exceeded; forbidden for a key that may not
 * confirm.
 */
export async function reversePurge(
	{ sql, clock, findKin, keepErasure }: ReversalDeps,
	purgeId: string,
	{ actor, plan }: Requester,
): Promise<TombstoneRow> {
	const now = clock.now();
	const tombstone = await sql.begin(async (tx) => {
		await limitRate(tx, findKin, actor, plan, REVERSAL_ACTIONS, now);
		const found = await lockTombstone(tx, purgeId);
		if (!found) throw new Problem("not-found");
		const keyId = keyOf(actor);
		const isOpen = isProposalOpen(found, now);
		if (found.reversedAt || (isOpen && found.proposedBy === keyId)) return found;
		if (isOpen) {
			await refuseKin(tx, findKin, keyId, found);
			await liftTombstone(tx, purgeId, now);
			const details = { proposed_by: found.proposedBy };
			await recordAudit(tx, { at: now, actor, action: "registry.reverse-purge", subject: purgeId, details });
			return { ...found, reversedAt: now };
		}
		await proposeReversal(tx, purgeId, now, keyId);
		await recordAudit(tx, {
			...{ at: now, actor, action: "registry.propose-reversal", subject: purgeId },
			details: {},
		});
		return { ...found, proposedAt: now, proposedBy: keyId };
	});
	if (tombstone.reversedAt) await keepErasure(purgeId);
	return tombstone;
}

/** Throws: forbidden, for a key that could have been made to confirm. */
async function refuseKin(tx: Tx, findKin: FindKin, keyId: string, { proposedBy, proposedAt }: TombstoneRow) {
	if (proposedBy === null || proposedAt === null) throw new Error("an open proposal has neither key nor time");
	const { keyIds, madeAt } = await findKin(tx, keyId);
	if (keyIds.includes(proposedBy)) {
		throw new Problem("forbidden", {
			detail:
				"This key and the one that proposed the reversal come from the same key: one made by the operator apart from it must confirm.",
		});
	}
	// One that the operator has made is in nobody's gift.
	const isOperators = keyIds.length <= 1;
	if (!isOperators && madeAt !== undefined && madeAt >= proposedAt) {
		throw new Problem("forbidden", {
			detail: "This key was made after the reversal was proposed: an older one must confirm.",
		});
	}
}

function keyOf({ keyId }: Actor): string {
	if (keyId === undefined) throw new Error("a reversal was asked for without an API key");
	return keyId;
}
