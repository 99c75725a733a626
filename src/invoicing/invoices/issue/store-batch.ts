/**
 * Stores the new documents of a batch, their messages and the answer in one transaction.
 *
 * A row whose number or client's id another request has taken since the look-up is left out by the database, looked up again and
 * told for what it is. Rows are written in the order of their numbers, so that two batches with the same invoices wait
 * for each other at the first of them; a deadlock that comes about all the same is tried again.
 */
import { companyMoved } from "../../../companies";
import { isConnectionFailure, isRolledBackRace, type Sql, type Tx } from "../../../platform/database";
import { faultPoint } from "../../../platform/failpoints";
import { type KeyPlace, saveAnswer } from "../../../platform/idempotency";
import { Problem } from "../../../platform/problem";
import type { NewInvoice } from "../model/invoice-row";
import { findInvoiceById } from "../model/store";
import type { Outcome } from "./batch-format";
import type { Draft, Outcomes, Twin } from "./check-batch";
import { compareWith, encfUsed, findSame } from "./find-duplicate";
import { storeParts } from "./issue-store";
import type { ItemRequest } from "./issuer";

export type BatchKey = {
	readonly place: KeyPlace;
	readonly rawSha256: Uint8Array;
	readonly payloadSha256: Uint8Array;
};

export type SignedBatch = {
	readonly items: readonly unknown[];
	readonly key: BatchKey | undefined;
	readonly toAnswer: (outcomes: readonly Outcome[]) => string;
	/** Of those that are signed. */
	readonly rows: ReadonlyMap<Draft, NewInvoice>;
	readonly twins: readonly Twin[];
	/** Of those that are settled without being stored. */
	readonly outcomes: ReadonlyMap<number, Outcome>;
};

const STORE_ATTEMPTS = 3;

/** Rolls the transaction back: another request has stored its answer under the same key. */
class KeyTakenError extends Error {}

/** The answer as it is stored and given. */
export async function storeBatch(sql: Sql, batch: SignedBatch): Promise<string | "repeat-of-key"> {
	const [anyRow] = batch.rows.values();
	for (let attempt = 1; ; attempt++) {
		let written: string | undefined;
		try {
			return await sql.begin(async (tx) => {
				written = await storeOnce(tx, batch);
				return written;
			});
		} catch (error) {
			if (error instanceof KeyTakenError) return "repeat-of-key";
			// The connection may have failed after the commit: if a document is there, it was this very transaction.
			const isDone = isConnectionFailure(error) && anyRow && (await findInvoiceById(sql, anyRow.docId)) !== undefined;
			if (isDone && written !== undefined) return written;
			if (attempt >= STORE_ATTEMPTS || !(isConnectionFailure(error) || isRolledBackRace(error))) throw error;
		}
	}
}

async function storeOnce(tx: Tx, batch: SignedBatch): Promise<string> {
	const outcomes: Outcomes = new Map(batch.outcomes);
	const signed = [...batch.rows];
	const rows = signed.map(([, row]) => row);
	const stored = await storeParts(
		tx,
		rows.map((row) => ({ row })),
	);
	for (const [i, [{ index, request }, { docId, acknowledgement }]] of signed.entries()) {
		if (stored[i] === "stored") outcomes.set(index, { kind: "issued", docId, acknowledgement });
		else if (stored[i] === "company-moved") outcomes.set(index, { kind: "refused", problem: companyMoved() });
		else outcomes.set(index, await meetRace(tx, request));
	}
	for (const { draft, first } of batch.twins) outcomes.set(draft.index, meetFirst(draft, first, batch, outcomes));
	const ordered = batch.items.map((_, index) => outcomes.get(index) ?? lost(index));
	const answer = batch.toAnswer(ordered);
	if (batch.key && isAnswerKept(ordered)) await saveKey(tx, batch.key, answer);
	faultPoint("before-commit");
	return answer;
}

/**
 * A batch of which nothing is kept leaves its key free, like an invoice that was refused. So does one in which we have failed: its repeat finds what
 * was issued by the invoices' own ids and issues the rest, where the answer as it was would tell of yesterday's trouble all day.
 */
function isAnswerKept(outcomes: readonly Outcome[]): boolean {
	const hasPassingTrouble = outcomes.some((outcome) => outcome.kind === "refused" && outcome.problem.status >= 500);
	return !hasPassingTrouble && outcomes.some(({ kind }) => kind !== "refused");
}

async function saveKey(tx: Tx, { place, rawSha256, payloadSha256 }: BatchKey, answer: string): Promise<void> {
	const isFirst = await saveAnswer(tx, place, { rawSha256, payloadSha256, answer, headers: {}, docId: null });
	if (!isFirst) throw new KeyTakenError();
}

/**
 * Another request was faster with the number or the client's id. A hold that is gone tells the same: the same invoice in two batches has one, and
 * whichever stores the document ends it.
 */
async function meetRace(tx: Tx, request: ItemRequest): Promise<Outcome> {
	try {
		const same = await findSame(tx, request);
		return same ? { ...same, kind: "repeated" } : { kind: "refused", problem: sendAgain() };
	} catch (error) {
		return toRefusal(error);
	}
}

/** The first of two that share a number or a client's id has its outcome; the other one meets it. */
function meetFirst({ request }: Draft, first: Draft, batch: SignedBatch, outcomes: Outcomes): Outcome {
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

/** What stood in the way is gone by now, or was not stored in the end. */
function sendAgain(): Problem {
	return new Problem("service-unavailable", {
		detail:
			"Another invoice with this number or client_request_id was being issued, and was not in the end. Send this one again.",
	});
}

function lost(index: number): never {
	throw new Error(`item ${index} of a batch has no outcome`);
}
