/**
 * Erasure of an entry under the data-protection law. The number itself is not kept: its tombstone is a keyed digest, and every
 * load and every answer asks the tombstones.
 *
 * The answer tells nothing about the registry: a number that was never there, one that was and one that had been erased
 * before are all answered alike, and all get a tombstone.
 */
import { type Actor, countSince, recordAudit } from "../../identity/audit-log";
import { beyondCount } from "../../identity/rate-limits";
import type { Sql, Tx } from "../../platform/database";
import { answerOnce } from "../../platform/idempotency";
import type { Call, Plan } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { type Clock, maskDocument, newId, type TaxpayerDocument } from "../../platform/values";
import {
	checkPurgeRequest,
	describeErasure,
	isProposalOpen,
	linksOf,
	type PurgeAnswer,
	type PurgeRequest,
} from "./record";
import type { Tombstones } from "./tombstones";
import { lockTombstone, proposeReversal, putTombstone, reverseTombstone, type TombstoneRow } from "./tombstones-store";

/** Signs what a receipt says, as a compact JWS. */
export type SignReceipt = (claims: Readonly<Record<string, unknown>>) => Promise<string>;

export type ErasureDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly tombstones: Tombstones;
	readonly signReceipt: SignReceipt;
	readonly findKeyLineage: FindKeyLineage;
	/** Writes an erasure beside the database, so that it outlives a restore of it. */
	readonly keepErasure: (purgeId: string) => Promise<void>;
	/** Has the snapshot files cleared of what was erased, behind the answer. */
	readonly scheduleClearing: () => void;
};

/** Who asks, and under which plan's limits. */
export type Requester = { readonly actor: Actor; readonly plan?: Plan };

/** Erases a document: at once in this process, within a second in the others. Throws: rate-limit-exceeded. */
export async function purgeDocument(
	deps: ErasureDeps,
	document: TaxpayerDocument,
	request: PurgeRequest,
	requester: Requester,
): Promise<PurgeAnswer> {
	const answer = await deps.sql.begin((tx) => writeErasure(tx, deps, document, request, requester));
	await applyErasure(deps, document, answer.purge_id);
	return answer;
}

/** Has an erasure that is committed take effect in this process, and kept beside the database. */
export async function applyErasure(deps: ErasureDeps, document: TaxpayerDocument, purgeId: string): Promise<void> {
	deps.tombstones.add(deps.tombstones.digestOf(document.digits).toString("hex"));
	deps.scheduleClearing();
	await deps.keepErasure(purgeId);
}

/**
 * Writes an erasure; whoever commits it lets `applyErasure` follow. Throws: rate-limit-exceeded.
 *
 * Gap: a repeated erasure is answered with the first one's record, whose ground and reference stay what they were; the audit holds those
 * of the repetition.
 */
export async function writeErasure(
	tx: Tx,
	deps: ErasureDeps,
	document: TaxpayerDocument,
	request: PurgeRequest,
	{ actor, plan }: Requester,
): Promise<PurgeAnswer> {
	const now = deps.clock.now();
	await limitRate(tx, deps.findKeyLineage, actor, plan, PURGE_ACTIONS, now);
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

/** An erasure as the operation does it: once for each idempotency key, beside which the number is not kept either. */

const NO_STORE = { "cache-control": "no-store" };

/** What is answered, and the erasure that was written for it; none for the repeat of a key. */
export type PurgedOnce = { readonly answer: Response; readonly purgeId: string | undefined };

/** Erases a document unless the request repeats one under its key. Throws: as `answerOnce`; rate-limit-exceeded. */
export async function purgeOnce(
	deps: ErasureDeps,
	call: Call,
	document: TaxpayerDocument,
	requester: Requester,
): Promise<PurgedOnce> {
	let purgeId: string | undefined;
	const answer = await answerOnce<PurgeRequest>(
		deps.sql,
		call,
		async (tx, request) => {
			const body = await writeErasure(tx, deps, document, request, requester);
			purgeId = body.purge_id;
			return { status: 200, body, headers: NO_STORE };
		},
		{ path: pathWithoutNumber(deps, document), check: async (value) => checkPurgeRequest(value, document) },
	);
	if (purgeId !== undefined) await applyErasure(deps, document, purgeId);
	// The first one may have failed behind its commit: nobody is told of an erasure that is not kept beside the database.
	else await deps.keepErasure(((await answer.clone().json()) as PurgeAnswer).purge_id);
	return { answer, purgeId };
}

/** Names the document by its tombstone's digest. */
function pathWithoutNumber({ tombstones }: ErasureDeps, { digits }: TaxpayerDocument): string {
	return `/v1/authority/document/${tombstones.digestOf(digits).toString("hex")}:purge`;
}

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

/**
 * The erasure as it stands then: with an open proposal, or reversed. Throws: not-found, rate-limit-exceeded; forbidden for a key that may not
 * confirm.
 */
export async function reversePurge(
	{ sql, clock, findKeyLineage, keepErasure }: Pick<ErasureDeps, "sql" | "clock" | "findKeyLineage" | "keepErasure">,
	purgeId: string,
	{ actor, plan }: Requester,
): Promise<TombstoneRow> {
	const now = clock.now();
	const tombstone = await sql.begin(async (tx) => {
		await limitRate(tx, findKeyLineage, actor, plan, REVERSAL_ACTIONS, now);
		const found = await lockTombstone(tx, purgeId);
		if (!found) throw new Problem("not-found");
		const keyId = keyOf(actor);
		const isOpen = isProposalOpen(found, now);
		if (found.reversedAt || (isOpen && found.proposedBy === keyId)) return found;
		if (isOpen) {
			await refuseSameLineage(tx, findKeyLineage, keyId, found);
			await reverseTombstone(tx, purgeId, now);
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
async function refuseSameLineage(
	tx: Tx,
	findKeyLineage: FindKeyLineage,
	keyId: string,
	{ proposedBy, proposedAt }: TombstoneRow,
) {
	if (proposedBy === null || proposedAt === null) throw new Error("an open proposal has neither key nor time");
	const { keyIds, madeAt } = await findKeyLineage(tx, keyId);
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

/** Keys that may be in the same hands as one key, itself among them, since all come from the same ones. */
export type KeyLineage = {
	readonly keyIds: readonly string[];
	/** Those that no other key made: where they come from. */
	readonly rootIds: readonly string[];
	/** When the key was made; undefined for one that is not known. */
	readonly madeAt: Date | undefined;
};

export type FindKeyLineage = (tx: Tx, keyId: string) => Promise<KeyLineage>;

/**
 * How many erasures, and how many steps of reversals, a key may ask for in an hour together with all that may be in the same hands: an accident
 * or a thief must not empty the registry.
 */

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
	findKeyLineage: FindKeyLineage,
	actor: Actor,
	plan: Plan | undefined,
	actions: readonly string[],
	now: Date,
): Promise<void> {
	if (actor.keyId === undefined || plan === "unlimited") return;
	const { keyIds, rootIds } = await findKeyLineage(tx, actor.keyId);
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
