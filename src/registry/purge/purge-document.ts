/**
 * Erasure of an entry under the data-protection law. The number itself is not kept: its tombstone is a keyed digest, and every
 * load and every answer asks the tombstones.
 *
 * The answer tells nothing about the registry: a number that was never there, one that was and one that had been erased
 * before are all answered alike, and all get a tombstone.
 */
import { type Actor, recordAudit } from "../../audit";
import type { Sql } from "../../database";
import type { Plan } from "../../operation";
import { type Clock, maskDocument, newId, type TaxpayerDocument } from "../../values";
import type { FindKin } from "./kin";
import { limitRate, PURGE_ACTIONS } from "./rate";
import { describeErasure, linksOf, type PurgeAnswer } from "./record";
import type { PurgeRequest } from "./request";
import type { Tombstones } from "./tombstones";
import { putTombstone } from "./tombstones-store";

/** Signs what a receipt says, as a compact JWS. */
export type SignReceipt = (claims: Readonly<Record<string, unknown>>) => Promise<string>;

export type PurgeDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly tombstones: Tombstones;
	readonly signReceipt: SignReceipt;
	readonly findKin: FindKin;
	/** Writes an erasure beside the database, so that it outlives a restore of it. */
	readonly keepErasure: (purgeId: string) => Promise<void>;
	/** Has the snapshot files cleared of what was erased, behind the answer. */
	readonly clearSoon: () => void;
};

/** Who asks, and under which plan's limits. */
export type Requester = { readonly actor: Actor; readonly plan?: Plan };

/**
 * Erases a document: at once in this process, within a second in the others. Throws: rate-limit-exceeded.
 *
 * Gap: a repeated erasure is answered with the first one's record, whose ground and reference stay what they were; the audit holds those
 * of the repetition.
 */
export async function purgeDocument(
	deps: PurgeDeps,
	document: TaxpayerDocument,
	request: PurgeRequest,
	{ actor, plan }: Requester,
): Promise<PurgeAnswer> {
	const digest = deps.tombstones.digestOf(document.digits);
	const now = deps.clock.now();
	const tombstone = await deps.sql.begin(async (tx) => {
		await limitRate(tx, deps.findKin, actor, plan, PURGE_ACTIONS, now);
		const row = await putTombstone(tx, {
			digest,
			purgeId: newId(),
			purgedAt: now,
			legalBasis: request.legal_basis,
			requestReference: request.request_reference,
			requestedBy: request.requested_by,
			reason: request.reason,
		});
		await recordAudit(tx, { at: now, actor, action: "registry.purge", subject: row.purgeId, details: request });
		return row;
	});
	deps.tombstones.add(digest.toString("hex"));
	deps.clearSoon();
	await deps.keepErasure(tombstone.purgeId);
	const told = {
		document: maskDocument(document.digits),
		status: "purged" as const,
		...describeErasure(tombstone, "next-run"),
	};
	const { effects: _, ...claims } = told;
	const purge_id = tombstone.purgeId;
	return {
		purge_id,
		...told,
		receipt: await deps.signReceipt({ purge_id, ...claims }),
		_links: linksOf(purge_id),
	};
}
