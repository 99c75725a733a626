/**
 * Issues many invoices of one tenant in few round trips:
 *
 *   preflight ─▶ read ─▶ check ─▶ number and sign ─▶ store ─▶ acknowledge
 *
 * One `BatchAttempt` goes down the steps. Unlike a single invoice, a batch is parsed only once its key is known to be new, because it may
 * have 16 MB. Numbering and signing run draft by draft, so that no hold expires while other drafts wait for their signature.
 *
 * A batch is not atomic for the caller: each invoice has its own outcome, as if it had been sent alone. It is atomic for a crash: all new
 * documents, their messages and the answer under the batch's key are one transaction, so a repeat finds all or nothing.
 */
import type { Standing } from "../../../ecf/printing";
import { retryOnFailure } from "../../../platform/database";
import { failpoint } from "../../../platform/failpoints";
import { findAnswer, hashPayload, type IdempotencyKey, type StoredAnswer } from "../../../platform/idempotency";
import { Problem } from "../../../platform/problem";
import { findHeld } from "../../sequences";
import type { Handling } from "../check/known-rejections";
import type { Scenario } from "../check/scenario";
import { standingUnsent } from "../model/acknowledgement";
import type { NewInvoice } from "../model/invoice-row";
import { type BatchItem, type Outcome, toPayload } from "./batch-format";
import { toRow } from "./build-invoice-row";
import {
	checkItems,
	type Draft,
	type Outcomes,
	separateTwins,
	setAsideEarlier,
	settleFailure,
	type Twin,
} from "./check-batch";
import { AUTO, giveBackQuietly, underNumber } from "./document-number";
import {
	findIssuer,
	type IssueDeps,
	type Issuer,
	refuseInOutage,
	refuseUnreplicated,
	refuseWrongClock,
	signFor,
} from "./issuer";
import { type NotStored, storeBatch } from "./store-batch";

/** Signing jobs of one batch per thread: enough to keep the threads busy, few enough to let single invoices through. */
const SIGNING_PER_THREAD = 2;
/** How often a batch is signed whose issuer changes meanwhile. */
const SIGNED_MAX = 3;

export type BatchRequest = {
	readonly tenantId: string;
	/** Parses the body. Throws: malformed-json, validation-error, payload-too-large when the body as a whole is no batch. */
	readonly readItems: () => Promise<BatchItem[]>;
	/** Absent if the caller sends no idempotency key. */
	readonly key: { readonly place: IdempotencyKey; readonly rawSha256: Uint8Array } | undefined;
	readonly scenario: Scenario | undefined;
	readonly handling: Handling | undefined;
	/** Counts the request against the caller's rate limit. Called once the key is known to be new. */
	readonly charge: (() => Promise<void>) | undefined;
	/** Writes the answer, whose bytes are stored under the key. */
	readonly toAnswer: (outcomes: readonly Outcome[]) => string;
};

export type BatchIssueResult =
	| { readonly kind: "issued"; readonly answer: string }
	| { readonly kind: "repeat-of-key"; readonly stored: StoredAnswer };

type BatchAttempt = { readonly request: BatchRequest; readonly items: readonly BatchItem[] };
type CheckedAttempt = BatchAttempt & {
	readonly issuer: Issuer & { readonly standing: Standing };
	readonly firsts: readonly Draft[];
	readonly twins: readonly Twin[];
	/** Outcomes so far; signing adds those of drafts that cannot be signed. */
	readonly outcomes: Outcomes;
};
type SignedAttempt = CheckedAttempt & { readonly rows: ReadonlyMap<Draft, NewInvoice> };
type StoredAttempt = SignedAttempt & { readonly answer: string | NotStored };

/**
 * Throws: malformed-json, validation-error, tenant-config-missing, authority-unavailable, service-unavailable for the batch as a whole. Nothing
 * is stored then.
 */
export async function issueBatch(deps: IssueDeps, request: BatchRequest): Promise<BatchIssueResult> {
	const repeat = await preflight(deps, request);
	if (repeat) return repeat;
	const items = await request.readItems();
	for (let n = 1; n <= SIGNED_MAX; n++) {
		const checked = await check(deps, { request, items });
		const signed = await numberAndSign(deps, checked);
		const stored = await store(deps, signed);
		if (stored.answer !== "issuer-changed") return acknowledge(deps, stored);
	}
	throw new Problem("service-unavailable", { headers: { "retry-after": "1" } });
}

async function preflight(deps: IssueDeps, request: BatchRequest): Promise<BatchIssueResult | undefined> {
	const repeat = await findRepeat(deps, request);
	if (!repeat) await request.charge?.();
	return repeat;
}

async function findRepeat({ sql }: IssueDeps, { key }: BatchRequest): Promise<BatchIssueResult | undefined> {
	if (key === undefined) return undefined;
	const stored = await retryOnFailure(() => findAnswer(sql, key.place));
	return stored && { kind: "repeat-of-key", stored };
}

async function check(deps: IssueDeps, attempt: BatchAttempt): Promise<CheckedAttempt> {
	const { request, items } = attempt;
	const found = await findIssuer(deps, request.tenantId);
	refuseUnreplicated(deps);
	await refuseWrongClock(deps, found);
	await refuseInOutage(deps, found);
	const issuer = { ...found, standing: await standingUnsent(deps, found.segment) };
	const outcomes: Outcomes = new Map();
	const drafts = await checkItems(deps, issuer, items, outcomes, request);
	const fresh = await setAsideEarlier(deps, issuer, drafts, outcomes);
	return { ...attempt, ...separateTwins(fresh), issuer, outcomes };
}

/** Signs side by side. A draft that cannot be signed gets its outcome. */
async function numberAndSign(deps: IssueDeps, attempt: CheckedAttempt): Promise<SignedAttempt> {
	const { issuer, firsts, outcomes } = attempt;
	const rows = new Map<Draft, NewInvoice>();
	const queue = firsts.values();
	const lane = async () => {
		// All lanes draw from one iterator.
		for (const draft of queue) {
			const row = await settleFailure(deps, outcomes, draft.index, () => signNumbered(deps, issuer, draft));
			if (row) rows.set(draft, row);
		}
	};
	const lanes = Math.max(1, deps.signer.stats().threads) * SIGNING_PER_THREAD;
	await Promise.all(Array.from({ length: lanes }, lane));
	return { ...attempt, rows };
}

/** Signs one draft, under the next number if it has none. When the batch is sent again, the draft gets the same hold. */
async function signNumbered(
	deps: IssueDeps,
	issuer: CheckedAttempt["issuer"],
	{ request, checked }: Draft,
): Promise<NewInvoice> {
	const { tenantId, invoice } = request;
	if (invoice.encf !== AUTO)
		return toRow(deps, request, checked, await signFor(deps, issuer, checked, request.text), issuer);
	const key = { tenantId, type: invoice.type };
	const place = `${tenantId} batch ${invoice.client_request_id} ${hashPayload(invoice).toString("hex")}`;
	const held = await deps.numbering.take({ ...key, place });
	try {
		const numbered = underNumber(checked, held);
		return toRow(deps, request, numbered, await signFor(deps, issuer, numbered, request.text), issuer, held.holdId);
	} catch (error) {
		await giveBackQuietly(deps.numbering, key, held.holdId);
		throw error;
	}
}

async function store(deps: IssueDeps, attempt: SignedAttempt): Promise<StoredAttempt> {
	const { request, items, rows, twins, outcomes, issuer } = attempt;
	try {
		const key = request.key && { ...request.key, hashPayload: () => hashPayload(toPayload(items)) };
		const answer = await storeBatch(deps, {
			items,
			key,
			rows,
			twins,
			outcomes,
			issuer: issuer.revisions,
			toAnswer: request.toAnswer,
		});
		return { ...attempt, answer };
	} finally {
		await giveBackUnused(deps, request.tenantId, rows);
	}
}

async function acknowledge(deps: IssueDeps, { request, rows, answer }: StoredAttempt): Promise<BatchIssueResult> {
	if (answer === "repeat-of-key") {
		const repeat = await findRepeat(deps, request);
		if (!repeat) throw new Error("an idempotency key was taken and is not there");
		return repeat;
	}
	failpoint("after-commit");
	if (rows.size > 0) deps.wake();
	return { kind: "issued", answer };
}

/** Gives back the numbers whose documents were not stored. */
async function giveBackUnused(
	{ sql, numbering }: IssueDeps,
	tenantId: string,
	rows: ReadonlyMap<Draft, NewInvoice>,
): Promise<void> {
	const holds = [...rows.values()].flatMap(({ holdId, type }) =>
		holdId === undefined ? [] : [{ holdId, tenantId, type }],
	);
	const left = await findHeld(
		sql,
		tenantId,
		holds.map(({ holdId }) => holdId),
	).catch(() => new Set<string>());
	for (const hold of holds) if (left.has(hold.holdId)) await giveBackQuietly(numbering, hold, hold.holdId);
}
