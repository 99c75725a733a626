/**
 * Issues many invoices of one tenant in few round trips.
 *
 *   items ─check─▶ drafts ─two look-ups for all─▶ new ones ─twins apart─▶ firsts ─sign, bounded─▶ rows ─one transaction─▶ outcomes
 *
 * Never atomic for the caller: each invoice has an outcome of its own, as if it had come alone. Atomic for a crash: all new
 * documents, their messages and the answer under the batch's key are one transaction, so a repeat finds all or nothing.
 */
import { faultPoint } from "../../../platform/failpoints";
import { hashPayload } from "../../../platform/idempotency";
import { findHeld } from "../../sequences";
import type { Scenario } from "../check/scenario";
import type { NewInvoice } from "../model/invoice-row";
import type { BatchItem, Outcome } from "./batch-format";
import { toRow } from "./build-invoice-row";
import {
	type BatchDeps,
	checkItems,
	type Draft,
	type Outcomes,
	separateTwins,
	setAsideEarlier,
	settleFailure,
} from "./check-batch";
import { AUTO, giveBackQuietly, underNumber } from "./document-number";
import { findIssuer, type Issuer, refuseInOutage, signFor } from "./issuer";
import { type BatchKey, storeBatch } from "./store-batch";

/** Jobs of one batch at the signing threads: enough to keep them busy, few enough to let single invoices through. */
const SIGNING_PER_THREAD = 2;

export type BatchRequest = {
	readonly tenantId: string;
	readonly items: readonly BatchItem[];
	/** Absent when the caller sends none. */
	readonly key: BatchKey | undefined;
	/** Of each of the invoices. */
	readonly scenario?: Scenario | undefined;
	/** Writes the answer, whose bytes are kept under the key. */
	readonly toAnswer: (outcomes: readonly Outcome[]) => string;
};

/**
 * The answer, or that the key was taken meanwhile. Throws: tenant-config-missing without a company; authority-unavailable, nothing
 * being stored, for a company that refuses outages.
 */
export async function issueBatch(deps: BatchDeps, request: BatchRequest): Promise<string | "repeat-of-key"> {
	const { tenantId, items } = request;
	const issuer = await findIssuer(deps, tenantId);
	await refuseInOutage(deps, issuer);
	const outcomes: Outcomes = new Map();
	const drafts = await checkItems(deps, issuer, items, outcomes, request.scenario);
	const fresh = await setAsideEarlier(deps, tenantId, drafts, outcomes);
	const { firsts, twins } = separateTwins(fresh);
	const rows = await signAll(deps, issuer, firsts, outcomes);
	let answer: string;
	try {
		answer = await storeBatch(deps.sql, { ...request, rows, twins, outcomes });
	} finally {
		await giveBackNumbers(deps, rows);
	}
	if (answer === "repeat-of-key") return answer;
	faultPoint("after-commit");
	if (rows.size > 0) deps.wake();
	return answer;
}

/** Signs side by side; a draft that cannot be signed gets its outcome. */
async function signAll(
	deps: BatchDeps,
	issuer: Issuer,
	drafts: readonly Draft[],
	outcomes: Outcomes,
): Promise<Map<Draft, NewInvoice>> {
	const rows = new Map<Draft, NewInvoice>();
	const queue = drafts.values();
	const lane = async () => {
		// All lanes draw from one iterator.
		for (const draft of queue) {
			const row = await settleFailure(deps, outcomes, draft.index, () => signNumbered(deps, issuer, draft));
			if (row) rows.set(draft, row);
		}
	};
	const lanes = Math.max(1, deps.signer.stats().threads) * SIGNING_PER_THREAD;
	await Promise.all(Array.from({ length: lanes }, lane));
	return rows;
}

/** Signs one draft, under the next number where it has none. The hold is the same when the batch comes again. */
async function signNumbered(deps: BatchDeps, issuer: Issuer, { request, checked }: Draft): Promise<NewInvoice> {
	const { tenantId, invoice } = request;
	if (invoice.encf !== AUTO) return toRow(deps, request, checked, await signFor(deps, issuer, checked), issuer);
	const key = { tenantId, type: invoice.type };
	const place = `${tenantId} batch ${invoice.client_request_id} ${hashPayload(invoice).toString("hex")}`;
	const held = await deps.numbering.take({ ...key, place });
	try {
		const numbered = underNumber(checked, held);
		return toRow(deps, request, numbered, await signFor(deps, issuer, numbered), issuer, held.holdId);
	} catch (error) {
		await giveBackQuietly(deps.numbering, key, held.holdId);
		throw error;
	}
}

/** Does nothing to numbers whose documents are stored. */
async function giveBackNumbers(deps: BatchDeps, rows: ReadonlyMap<Draft, NewInvoice>): Promise<void> {
	const held = [...rows.values()].filter(({ holdId }) => holdId !== undefined);
	const left = await findHeld(
		deps.sql,
		held.flatMap(({ holdId }) => holdId ?? []),
	).catch(() => new Set<string>());
	for (const row of held) {
		if (row.holdId !== undefined && left.has(row.holdId)) await giveBackQuietly(deps.numbering, row, row.holdId);
	}
}
