/**
 * Reversal of an erasure: one key proposes it, another confirms it. The entry returns with the next ingest, if the source
 * has it; nothing is kept here that could bring it back earlier.
 *
 * An erasure of the same number that comes between the two withdraws the proposal, so of an erasure and a reversal at the same moment
 * the erasure wins unless the reversal was complete before it.
 *
 * Gap: two persons are two keys; who holds a key is for its owner to see to.
 */
import { type Actor, recordAudit } from "../../audit";
import type { Sql } from "../../database";
import { Problem } from "../../problem";
import type { Clock } from "../../values";
import type { Requester } from "./purge-document";
import { limitRate, REVERSAL_ACTIONS } from "./rate";
import { isProposalOpen } from "./record";
import { liftTombstone, lockTombstone, proposeReversal, type TombstoneRow } from "./tombstones-store";

/** The erasure as it stands then: with an open proposal, or reversed. Throws: not-found, rate-limit-exceeded. */
export async function reversePurge(
	{ sql, clock }: { readonly sql: Sql; readonly clock: Clock },
	purgeId: string,
	{ actor, plan }: Requester,
): Promise<TombstoneRow> {
	const now = clock.now();
	return sql.begin(async (tx) => {
		await limitRate(tx, actor, plan, REVERSAL_ACTIONS, now);
		const found = await lockTombstone(tx, purgeId);
		if (!found) throw new Problem("not-found");
		const keyId = keyOf(actor);
		const isOpen = isProposalOpen(found, now);
		if (found.reversedAt || (isOpen && found.proposedBy === keyId)) return found;
		if (isOpen) {
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
}

function keyOf({ keyId }: Actor): string {
	if (keyId === undefined) throw new Error("a reversal was asked for without an API key");
	return keyId;
}
