/**
 * Stores the new documents of a batch, their messages and the answer in one transaction.
 *
 * If another request has taken a row's number or client_request_id since the check, the database leaves the row out, and it is looked up
 * again for its outcome. Rows are written in the order of their numbers, so that two batches with the same invoices meet at the first of
 * them. A deadlock that happens all the same is retried.
 */
import { companyMoved } from "../../../companies";
import { isConnectionFailure, isRolledBackRace, type Tx } from "../../../platform/database";
import { failpoint } from "../../../platform/failpoints";
import { type IdempotencyKey, type StoredAnswer, saveAnswer } from "../../../platform/idempotency";
import { msg, Problem } from "../../../platform/problem";
import type { NewInvoice } from "../model/invoice-row";
import { isStored } from "../model/store";
import type { Sources } from "../model/stored-document";
import type { Acknowledged } from "./acknowledged-ring";
import type { Outcome } from "./batch-format";
import type { Draft, Outcomes, Twin } from "./check-batch";
import { compareWith, encfUsed, findSame } from "./find-duplicate";
import { storeParts } from "./issue-store";
import type { IssueDeps, ItemRequest } from "./issuer";

export type BatchKey = {
	readonly place: IdempotencyKey;
	readonly rawSha256: Uint8Array;
	/** Called only when something is stored. */
	readonly hashPayload: () => Uint8Array;
};

export type SignedBatch = {
	readonly items: readonly unknown[];
	readonly key: BatchKey | undefined;
	readonly toAnswer: (outcomes: readonly Outcome[]) => string;
	readonly rows: ReadonlyMap<Draft, NewInvoice>;
	/** The revisions of their issuer. */
	readonly issuer: string;
	readonly twins: readonly Twin[];
	/** Items that are finished without being stored. */
	readonly outcomes: ReadonlyMap<number, Outcome>;
};

/** Why a batch has no answer of its own. */
export type NotStored = "repeat-of-key" | "issuer-changed";

const STORE_ATTEMPTS = 3;

/** Rolls the transaction back, because another request has stored its answer under the same key. */
class KeyTakenError extends Error {}
/** The same, because the issuer is not as it was read. */
class IssuerChangedError extends Error {}

/** Returns the answer as it is stored. `issuer-changed`: all is to be checked and signed again. */
export async function storeBatch(
	{ sql, readSealed, ring }: Pick<IssueDeps, "sql" | "readSealed" | "ring">,
	batch: SignedBatch,
): Promise<string | NotStored> {
	const [anyRow] = batch.rows.values();
	const keep = ({ answer, kept }: Written): string => {
		if (kept.all.length > 0) ring?.keep(kept);
		return answer;
	};
	for (let attempt = 1; ; attempt++) {
		let written: Written | undefined;
		try {
			return keep(
				await sql.begin(async (tx) => {
					written = await storeOnce({ sql: tx, readSealed }, tx, batch);
					return written;
				}),
			);
		} catch (error) {
			if (error instanceof KeyTakenError) return "repeat-of-key";
			if (error instanceof IssuerChangedError) return "issuer-changed";
			// The connection may have failed after the commit. If a document is there, this transaction stored it.
			const isDone = isConnectionFailure(error) && anyRow && (await isStored(sql, anyRow));
			if (isDone && written !== undefined) return keep(written);
			if (attempt >= STORE_ATTEMPTS || !(isConnectionFailure(error) || isRolledBackRace(error))) throw error;
		}
	}
}

/** The answer, and what it acknowledges. */
type Written = { readonly answer: string; readonly kept: Acknowledged };

async function storeOnce(sources: Sources, tx: Tx, batch: SignedBatch): Promise<Written> {
	const outcomes: Outcomes = new Map(batch.outcomes);
	const signed = [...batch.rows];
	const rows = signed.map(([, row]) => row);
	const stored = await storeParts(
		tx,
		rows.map((row) => ({ row, issuer: batch.issuer })),
	);
	if (stored.includes("issuer-changed")) throw new IssuerChangedError();
	for (const [i, [{ index, request }, { docId, acknowledgement }]] of signed.entries()) {
		if (stored[i] === "stored") outcomes.set(index, { kind: "issued", docId, acknowledgement });
		else if (stored[i] === "company-moved") outcomes.set(index, { kind: "refused", problem: companyMoved() });
		else outcomes.set(index, await settleRace(sources, request));
	}
	for (const { draft, first } of batch.twins) outcomes.set(draft.index, settleTwin(draft, first, batch, outcomes));
	const ordered = batch.items.map((_, index) => outcomes.get(index) ?? lost(index));
	const answer = batch.toAnswer(ordered);
	const own = batch.key && isAnswerKept(ordered) && { place: batch.key.place, stored: toStored(batch.key, answer) };
	if (own && !(await saveAnswer(tx, own.place, own.stored))) throw new KeyTakenError();
	failpoint("before-commit");
	const all = rows.filter((_, i) => stored[i] === "stored").map((row) => ({ row }));
	return { answer, kept: { all, answer: own || undefined } };
}

/**
 * A batch of which nothing is stored leaves its key free, like a refused invoice. So does a batch with a failure on our side: its repeat finds
 * the issued invoices by their own ids and issues the rest, while a stored answer would repeat the failure all day.
 */
function isAnswerKept(outcomes: readonly Outcome[]): boolean {
	const hasPassingTrouble = outcomes.some((outcome) => outcome.kind === "refused" && outcome.problem.status >= 500);
	return !hasPassingTrouble && outcomes.some(({ kind }) => kind !== "refused");
}

function toStored({ rawSha256, hashPayload }: BatchKey, answer: string): StoredAnswer {
	return { rawSha256, payloadSha256: hashPayload(), answer, headers: {}, docId: null };
}

/**
 * The outcome after another request was faster with the number or the client_request_id. A missing hold means the same: an invoice that is in
 * two batches has one hold, which ends when either of them stores the document.
 */
async function settleRace(sources: Sources, request: ItemRequest): Promise<Outcome> {
	try {
		const same = await findSame(sources, request);
		return same ? { ...same, kind: "repeated" } : { kind: "refused", problem: sendAgain() };
	} catch (error) {
		return toRefusal(error);
	}
}

/** The outcome of a draft that shares its number or client_request_id with an earlier one of the batch. */
function settleTwin({ request }: Draft, first: Draft, batch: SignedBatch, outcomes: Outcomes): Outcome {
	const row = batch.rows.get(first);
	const met = outcomes.get(first.index);
	if (met?.kind === "refused" && met.problem.status < 500) return met;
	if (!row || !met || met.kind === "refused") return { kind: "refused", problem: sendAgain() };
	try {
		if (row.clientRequestId !== request.invoice.client_request_id) throw encfUsed(request.invoice.encf, met.docId);
		const { docId, acknowledgement } = met;
		return { ...compareWith({ ...row, docId, acknowledgement }, request), kind: "repeated" };
	} catch (error) {
		return toRefusal(error);
	}
}

function toRefusal(error: unknown): Outcome {
	if (error instanceof Problem) return { kind: "refused", problem: error };
	throw error;
}

/** The colliding document is gone by now, or was not stored in the end. */
function sendAgain(): Problem {
	return new Problem("service-unavailable", {
		detail: msg`Another invoice with this number or client_request_id was being issued, but was not stored. Send this one again.`,
	});
}

function lost(index: number): never {
	throw new Error(`item ${index} of a batch has no outcome`);
}
