/**
 * Erasure of an entry under the data-protection law. The number itself is not kept: its tombstone is a keyed digest, and every
 * load and every answer asks the tombstones.
 *
 * The answer tells nothing about the registry: a number that was never there, one that was and one that had been erased
 * before are all answered alike, and all get a tombstone.
 */
import { type Actor, recordAudit } from "../../identity/audit-log";
import type { Sql, Tx } from "../../platform/database";
import type { Plan } from "../../platform/operation";
import { type Clock, maskDocument, newId, type TaxpayerDocument } from "../../platform/values";
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

/** Erases a document: at once in this process, within a second in the others. Throws: rate-limit-exceeded. */
export async function purgeDocument(
	deps: PurgeDeps,
	document: TaxpayerDocument,
	request: PurgeRequest,
	requester: Requester,
): Promise<PurgeAnswer> {
	const answer = await deps.sql.begin((tx) => writeErasure(tx, deps, document, request, requester));
	await spreadErasure(deps, document, answer.purge_id);
	return answer;
}

/** Has an erasure that is committed take effect in this process, and kept beside the database. */
export async function spreadErasure(deps: PurgeDeps, document: TaxpayerDocument, purgeId: string): Promise<void> {
	deps.tombstones.add(deps.tombstones.digestOf(document.digits).toString("hex"));
	deps.clearSoon();
	await deps.keepErasure(purgeId);
}

/**
 * Writes an erasure; whoever commits it lets `spreadErasure` follow. Throws: rate-limit-exceeded.
 *
 * Gap: a repeated erasure is answered with the first one's record, whose ground and reference stay what they were; the audit holds those
 * of the repetition.
 */
export async function writeErasure(
	tx: Tx,
	deps: PurgeDeps,
	document: TaxpayerDocument,
	request: PurgeRequest,
	{ actor, plan }: Requester,
): Promise<PurgeAnswer> {
	const now = deps.clock.now();
	await limitRate(tx, deps.findKin, actor, plan, PURGE_ACTIONS, now);
	const tombstone = await putTombstone(tx, {
		digest: deps.tombstones.digestOf(document.digits),
		purgeId: newId(),
		purgedAt: now,
		legalBasis: request.legal_basis,
		requestReference: request.request_reference,
		requestedBy: request.requested_by,
		reason: request.reason,
	});
	const entry = { action: "registry.purge", subject: tombstone.purgeId, details: request };
	await recordAudit(tx, { at: now, actor, ...entry });
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
