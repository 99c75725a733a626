/**
 * Erasure of an entry under the data-protection law. Its tombstone is a keyed digest of the number, which every load and every answer
 * checks. The number itself is kept only while deltas for copies must list its removal, and only sealed. The answer reveals nothing about the registry: an unknown number, a known one and an erased one get the same answer
 * and a tombstone.
 */
import { type Actor, countSince, recordAudit } from "../../identity/audit-log";
import { beyondCount } from "../../identity/rate-limits";
import type { Sql, Tx } from "../../platform/database";
import { answerOnce } from "../../platform/idempotency";
import type { Call, Plan } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { type Clock, maskDocument, newId, type TaxpayerDocument } from "../../platform/values";
import { eraseHistory } from "../history-rows";
import { keyOf as documentKeyOf } from "../index/index";
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

export type SignReceipt = (claims: Readonly<Record<string, unknown>>) => Promise<string>;

export type ErasureDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly tombstones: Tombstones;
	readonly signReceipt: SignReceipt;
	readonly findKeyLineage: FindKeyLineage;
	/** Copies an erasure out of the database, so that it survives a restore. */
	readonly keepErasure: (purgeId: string) => Promise<void>;
	/** How long a process may serve its data while it cannot learn of erasures. Default: 0. */
	readonly graceSeconds?: number | undefined;
	/** Takes the number off watchlists, in the erasure's transaction. */
	readonly leaveWatchlists: (tx: Tx, digits: string) => Promise<void>;
	/** Whether the data in use has an entry, or might have one. */
	readonly isKnown: (document: TaxpayerDocument) => boolean;
	/** Schedules the removal of erased entries from the snapshot files, after the answer. */
	readonly scheduleClearing: () => void;
};

export type Requester = { readonly actor: Actor; readonly plan?: Plan };

/** Erases a document: at once in this process, within a second in others. Throws: rate-limit-exceeded. */
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

/** Applies a committed erasure in this process and copies it out of the database. */
async function applyErasure(deps: ErasureDeps, document: TaxpayerDocument, purgeId: string): Promise<void> {
	deps.tombstones.add(deps.tombstones.digestOf(document.digits).toString("hex"));
	deps.scheduleClearing();
	await deps.keepErasure(purgeId);
}

/**
 * Writes an erasure; the caller commits it and then calls `applyErasure`. Throws: rate-limit-exceeded.
 *
 * Gap: a repeated erasure gets the record of the first one, with its legal basis and reference. The audit log holds those of the
 * repetition.
 */
async function writeErasure(
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
		sealedNumber: deps.tombstones.sealNumber(document.digits),
		isKnown: deps.isKnown(document),
	});
	await eraseHistory(tx, [documentKeyOf(document.digits)]);
	await deps.leaveWatchlists(tx, document.digits);
	const entry = { action: "registry.purge", subject: tombstone.purgeId, details: request };
	await recordAudit(tx, { at: now, actor, ...entry });
	const record = {
		document: maskDocument(document.digits),
		status: "purged" as const,
		...describeErasure(tombstone, "next-run", deps.graceSeconds ?? 0),
	};
	const { effects: _, ...claims } = record;
	const purge_id = tombstone.purgeId;
	return {
		purge_id,
		...record,
		receipt: await deps.signReceipt({ purge_id, ...claims }),
		_links: linksOf(purge_id),
	};
}

/** An erasure through the API: once for each idempotency key, which is stored without the number too. */

const NO_STORE = { "cache-control": "no-store" };

/** The answer, and the id of the erasure that was written for it; undefined for a repeated key. */
type PurgedOnce = { readonly answer: Response; readonly purgeId: string | undefined };

/** Erases a document unless the request repeats one with the same key. Throws: as `answerOnce`; rate-limit-exceeded. */
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
	// The first request may have failed after its commit. An erasure is only confirmed once it is copied.
	else await deps.keepErasure(((await answer.clone().json()) as PurgeAnswer).purge_id);
	return { answer, purgeId };
}

/** The path with the tombstone's digest in place of the number. */
function pathWithoutNumber({ tombstones }: ErasureDeps, { digits }: TaxpayerDocument): string {
	return `/v1/authority/document/${tombstones.digestOf(digits).toString("hex")}:purge`;
}

/**
 * Reversal of an erasure: one key proposes it, another confirms it. The entry returns with the next ingest if the source has it. Until then
 * the number's digest is kept, so that a host that rebuilds its data omits the entry like all others.
 *
 * A new erasure of the number withdraws the proposal. Of a concurrent erasure and reversal, the erasure wins unless the reversal was
 * complete before.
 *
 * Gap: two persons are represented by two keys of separate lineage, both created before the proposal, so that no holder can create the
 * second key alone. If one person holds two keys that the operator issued separately, their owner is responsible.
 */

/**
 * Proposes or confirms a reversal and returns the erasure's state. Throws: not-found, rate-limit-exceeded; forbidden for a key that may not
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

/** Throws: forbidden, for a key that the proposer could have created to confirm. */
async function refuseSameLineage(
	tx: Tx,
	findKeyLineage: FindKeyLineage,
	keyId: string,
	{ proposedBy, proposedAt }: TombstoneRow,
) {
	if (proposedBy === null || proposedAt === null) throw new Error("an open proposal lacks its key or time");
	const { keyIds, madeAt } = await findKeyLineage(tx, keyId);
	if (keyIds.includes(proposedBy)) {
		throw new Problem("forbidden", {
			detail: msg`This key and the one that proposed the reversal share an origin. Confirm with a key that the operator created separately.`,
		});
	}
	// Keys created by the operator are exempt, because no key holder can create them.
	const isOperators = keyIds.length <= 1;
	if (!isOperators && madeAt !== undefined && madeAt >= proposedAt) {
		throw new Problem("forbidden", {
			detail: msg`This key was created after the reversal was proposed. Confirm with an older key.`,
		});
	}
}

function keyOf({ keyId }: Actor): string {
	if (keyId === undefined) throw new Error("a reversal was requested without an API key");
	return keyId;
}

/** Keys that may be under the same control as one key, including itself, because they share an origin. */
type KeyLineage = {
	readonly keyIds: readonly string[];
	/** Keys of the lineage that were not created by another key. */
	readonly rootIds: readonly string[];
	/** When the key was created; undefined for an unknown key. */
	readonly madeAt: Date | undefined;
};

export type FindKeyLineage = (tx: Tx, keyId: string) => Promise<KeyLineage>;

/** Limits the erasures and reversal steps of a key and its lineage per hour, so that an accident or a thief cannot empty the registry. */

const LIMIT = 60;
const WINDOW_SECONDS = 3_600;
const POLICY = {
	name: "purge",
	slug: "rate-limit-exceeded",
	quota: LIMIT,
	windowSeconds: WINDOW_SECONDS,
	detail: msg`The key and those created or rotated from the same one may do this ${LIMIT} times in ${WINDOW_SECONDS} seconds.`,
} as const;

const PURGE_ACTIONS = ["registry.purge"] as const;
const REVERSAL_ACTIONS = ["registry.propose-reversal", "registry.reverse-purge"] as const;

/**
 * Counts in the audit log, in the same transaction: exact across processes. Refused requests do not count, and the operator's plan has no
 * limits. Throws: rate-limit-exceeded.
 */
async function limitRate(
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
