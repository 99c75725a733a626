/**
 * Issues one invoice:
 *
 *   read ─▶ preflight ─▶ check ─▶ number ─▶ sign ─▶ store ─▶ acknowledge
 *
 * One `IssueAttempt` goes down the steps and gains what each of them finds. A step that finds the request to be a repeat returns the
 * `IssueResult` that ends the attempt; refusals are Problems, as everywhere. Up to `check` nothing is written. `number` only holds a number,
 * and `store` is the one write of the document.
 *
 * Three things make a repeat harmless: the idempotency key (24 hours), the `client_request_id` (for ever) and the e-NCF (until the authority
 * gives it back). All three are unique keys of the database, so a race between processes is settled in `store`; `preflight` only saves the
 * work of signing.
 */

import { companyMoved, type Issuer as KnownIssuer } from "../../../companies";
import { isSummaryPlan } from "../../../ecf/mapping";
import type { Standing } from "../../../ecf/printing";
import type { PackedDocuments } from "../../../ecf/signing";
import { isConnectionFailure, isCutShort, isRolledBackRace, retryOnFailure } from "../../../platform/database";
import { failpoint } from "../../../platform/failpoints";
import {
	hashPayload,
	type IdempotencyKey,
	nameOfPlace,
	type StoredAnswer,
	saveAnswer,
} from "../../../platform/idempotency";
import { readDocument } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { currentSpan } from "../../../platform/telemetry";
import type { HeldNumber } from "../../sequences";
import { checkForm } from "../check/check-request";
import { type CheckedInvoice, findOriginal } from "../check/check-tenant";
import { type Handling, refuseKnownRejections } from "../check/known-rejections";
import type { Scenario } from "../check/scenario";
import { standingUnsent } from "../model/acknowledgement";
import type { NewInvoice } from "../model/invoice-row";
import { isStored } from "../model/store";
import { storeAll } from "./batched-queries";
import { toRow } from "./build-invoice-row";
import { AUTO, giveBackQuietly, standingOf, underNumber } from "./document-number";
import { findEarlier, type Repeat } from "./find-duplicate";
import { findIssueAnswer, type PreflightResult, type ToStore, toAnswer } from "./issue-store";
import {
	checkFor,
	type IssueDeps,
	type Issuer,
	type ItemRequest,
	refuseInOutage,
	refuseUnreplicated,
	refuseWrongClock,
	signFor,
	toIssuer,
} from "./issuer";

export type IssueRequest = {
	readonly tenantId: string;
	readonly bytes: Uint8Array;
	readonly rawSha256: Uint8Array;
	readonly place: IdempotencyKey;
	readonly scenario: Scenario | undefined;
	readonly handling: Handling | undefined;
	/** Counts the request against the caller's rate limit. Called once the key is known to be new. */
	readonly charge: (() => Promise<void>) | undefined;
};

export type IssueResult =
	| { readonly kind: "issued"; readonly docId: string; readonly acknowledgement: string }
	| { readonly kind: "repeat-of-key"; readonly stored: StoredAnswer }
	/** The same client_request_id and content came under another key. Its answer is now stored under this key too. */
	| { readonly kind: "repeat-of-client-request"; readonly docId: string; readonly stored: StoredAnswer };

type IssueAttempt = {
	readonly request: IssueRequest;
	/** A request that cannot be read is refused only once it is known not to be a repeat. */
	readonly read: { readonly item: ItemRequest } | { readonly refusal: unknown };
};
type PreflightAttempt = IssueAttempt & { readonly preflight: PreflightResult; readonly item: ItemRequest };
type CheckedAttempt = PreflightAttempt & { readonly issuer: Issuer; readonly checked: CheckedInvoice };
type NumberedAttempt = CheckedAttempt & {
	/** Absent if the caller numbers its documents. */
	readonly held: HeldNumber | undefined;
};
type SignedAttempt = NumberedAttempt & { readonly signed: PackedDocuments; readonly standing: Standing };
type StoredAttempt = SignedAttempt & {
	readonly row: NewInvoice;
	readonly outcome: Repeat | { readonly kind: "stored" | "number-lost" | "issuer-changed" };
};

/** How often a document is signed: under another number after one was lost to another document, or for an issuer that has changed meanwhile. */
const SIGNED_MAX = 5;
const STORE_ATTEMPTS = 3;

/**
 * Throws: malformed-json, unsupported-ecf-type, validation-error, mathematical-discrepancy, tenant-config-missing, company-rnc-mismatch,
 * client-request-id-conflict, encf-already-used, known-rejection, sequence-exhausted, authority-unavailable, service-unavailable. Nothing is stored then.
 * client-request-id-conflict, encf-already-used, sequence-exhausted, clock-skew, durability-lost, authority-unavailable, service-unavailable. Nothing is stored then.
 */
export async function issueInvoice(deps: IssueDeps, request: IssueRequest): Promise<IssueResult> {
	const read = readRequest(deps, request);
	const known = await preflight(deps, read);
	if ("kind" in known) return known;
	let checked = await check(deps, known, () =>
		deps.queries.issuers.get(request.tenantId, known.preflight.issuerVersion),
	);
	for (let n = 1; n <= SIGNED_MAX; n++) {
		if ("kind" in checked) return checked;
		const numbered = await number(deps, checked);
		let isStored = false;
		try {
			const signed = await sign(deps, numbered);
			const stored = await store(deps, signed);
			const { kind } = stored.outcome;
			isStored = kind === "stored";
			if (kind === "issuer-changed")
				checked = await check(deps, known, () => deps.queries.findIssuer(request.tenantId));
			else if (kind !== "number-lost") return await acknowledge(deps, stored);
		} finally {
			if (!isStored) await giveBack(deps, numbered);
		}
	}
	throw new Problem("service-unavailable", { headers: { "retry-after": "1" } });
}

function readRequest({ clock }: IssueDeps, request: IssueRequest): IssueAttempt {
	try {
		const { value, text } = readDocument(request.bytes);
		const { tenantId, scenario, handling } = request;
		const invoice = checkForm(value, clock.now());
		return { request, read: { item: { tenantId, text, invoice, scenario, handling } } };
	} catch (refusal) {
		return { request, read: { refusal } };
	}
}

/** One statement finds the stored answer, the issuer's version, collisions and the sequence's last day. */
async function preflight(deps: IssueDeps, attempt: IssueAttempt): Promise<PreflightAttempt | IssueResult> {
	const { request, read } = attempt;
	const { encf, client_request_id: clientRequestId } = "item" in read ? read.item.invoice : {};
	const query = { place: request.place, encf: encf === AUTO ? undefined : encf, clientRequestId };
	const preflight = await retryOnFailure(() => deps.queries.preflight(query));
	const { key } = preflight;
	if (key) return { kind: "repeat-of-key", stored: await retryOnFailure(() => toAnswer(deps, request.tenantId, key)) };
	await request.charge?.();
	if ("refusal" in read) throw read.refusal;
	return { ...attempt, preflight, item: read.item };
}

async function check(
	deps: IssueDeps,
	attempt: PreflightAttempt,
	readIssuer: () => Promise<KnownIssuer | undefined>,
): Promise<CheckedAttempt | IssueResult> {
	const { preflight, item } = attempt;
	const { tenantId, invoice } = item;
	const [known, original] = await Promise.all([readIssuer(), findOriginal(deps, tenantId, invoice)]);
	const issuer = toIssuer(deps, known);
	const standing = standingOf(invoice, preflight.standing, issuer);
	const checked = checkFor(deps, issuer, item, { original, ...standing });
	const earlier = preflight.collides ? await findEarlier(deps, item, attempt.request.place) : undefined;
	if (earlier) return toRepeat(deps, attempt, earlier);
	refuseKnownRejections(issuer.company, item.handling, checked.warnings);
	refuseUnreplicated(deps);
	await refuseWrongClock(deps, issuer);
	await refuseInOutage(deps, issuer, isSummaryPlan(checked.plan) ? "fc" : "main");
	return { ...attempt, issuer, checked };
}

/** Holds the next number if the caller leaves the numbering to the service. A repeat of the request gets the same number. */
async function number(deps: IssueDeps, attempt: CheckedAttempt): Promise<NumberedAttempt> {
	const { request, item } = attempt;
	const { tenantId, invoice } = item;
	if (invoice.encf !== AUTO) return { ...attempt, held: undefined };
	const place = `${nameOfPlace(request.place)} ${hashPayload(invoice).toString("hex")}`;
	const held = await deps.numbering.take({ tenantId, type: invoice.type, place });
	failpoint("after-hold");
	return { ...attempt, held };
}

async function sign(deps: IssueDeps, attempt: NumberedAttempt): Promise<SignedAttempt> {
	const { issuer, held } = attempt;
	const checked = held ? underNumber(attempt.checked, held) : attempt.checked;
	const [signed, standing] = await Promise.all([
		signFor(deps, issuer, checked, attempt.item.text),
		standingUnsent(deps, issuer.segment),
	]);
	return { ...attempt, checked, signed, standing };
}

async function store(deps: IssueDeps, attempt: SignedAttempt): Promise<StoredAttempt> {
	const { request, item, issuer, checked, signed, standing, held } = attempt;
	const row = toRow(deps, item, checked, signed, { ...issuer, standing }, held?.holdId);
	const outcome = await storeInvoice(deps, item, { row, issuer: issuer.revisions }, request);
	if (outcome.kind === "number-lost" && !held) throw new Error("a document that holds no number has lost it");
	return { ...attempt, row, outcome };
}

async function acknowledge(deps: IssueDeps, attempt: StoredAttempt): Promise<IssueResult> {
	const { outcome, row } = attempt;
	if (outcome.kind === "repeat-of-key" || outcome.kind === "repeat-of-client-request")
		return toRepeat(deps, attempt, outcome);
	const { place, rawSha256 } = attempt.request;
	deps.ring?.keep({ all: [{ row, key: { place, rawSha256 } }] });
	failpoint("after-commit");
	deps.wake();
	currentSpan()?.link(row.docId);
	return { kind: "issued", docId: row.docId, acknowledgement: row.acknowledgement };
}

async function giveBack({ numbering }: IssueDeps, { item, held }: NumberedAttempt): Promise<void> {
	const { tenantId, invoice } = item;
	if (held) await giveBackQuietly(numbering, { tenantId, type: invoice.type }, held.holdId);
}

/** The answer of the request that this one repeats. A document found by its client_request_id also answers this key from now on. */
async function toRepeat(deps: IssueDeps, { request, item }: PreflightAttempt, repeat: Repeat): Promise<IssueResult> {
	const { place, rawSha256 } = request;
	if (repeat.kind === "repeat-of-key") {
		const stored = await retryOnFailure(() => findIssueAnswer(deps, place));
		if (!stored) throw new Error("an idempotency key was taken and is not there");
		return { kind: "repeat-of-key", stored };
	}
	const { docId, acknowledgement: answer } = repeat;
	const headers = { location: `/v1/invoices/${docId}` };
	const stored = { rawSha256, payloadSha256: hashPayload(item.invoice), answer, headers, docId };
	await deps.sql.begin((tx) => saveAnswer(tx, place, stored));
	return { kind: "repeat-of-client-request", docId, stored };
}

/**
 * Stores key, invoice, signed bytes and message, or nothing. `number-lost`: another document has the number that was held for this one. `issuer-changed`: it is to be checked and signed again.
 * Throws: client-request-id-conflict, encf-already-used, service-unavailable.
 */
async function storeInvoice(
	deps: Pick<IssueDeps, "sql" | "readSealed" | "queries">,
	item: ItemRequest,
	{ row, issuer }: Pick<ToStore, "row" | "issuer">,
	{ place, rawSha256 }: Pick<IssueRequest, "place" | "rawSha256">,
): Promise<StoredAttempt["outcome"]> {
	const { sql, queries } = deps;
	const toStore = { row, issuer, key: { place, rawSha256 } };
	for (let attempt = 1; ; attempt++) {
		try {
			// The first attempt shares its transaction and may fail for another request's reasons. Later ones do not share.
			const [outcome] = attempt === 1 ? [await queries.store(toStore)] : await storeAll(sql, [toStore]);
			if (outcome === "company-moved") throw companyMoved();
			if (outcome !== undefined && outcome !== "collision") return { kind: outcome };
			const earlier = await findEarlier(deps, item, place);
			if (earlier) return earlier;
			if (row.holdId !== undefined) return { kind: "number-lost" };
			// The document that held the number or the id is gone again.
			if (attempt >= STORE_ATTEMPTS) throw new Problem("service-unavailable", { headers: { "retry-after": "1" } });
		} catch (error) {
			if (error instanceof Problem) throw error;
			// The connection may have failed after the commit. If the document is there, this transaction stored it.
			if (isConnectionFailure(error) && (await isStored(sql, row))) return { kind: "stored" };
			// A statement that used up its time would do so again.
			const isFirst = attempt === 1 && !isCutShort(error);
			const isWorthRepeating = isFirst || isConnectionFailure(error) || isRolledBackRace(error);
			if (attempt >= STORE_ATTEMPTS || !isWorthRepeating) throw error;
		}
	}
}
