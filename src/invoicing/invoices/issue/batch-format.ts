/**
 * The body of a batch and its answer. The body is `{"invoices":[…]}`, or one invoice per line (NDJSON). A defect of one line, even invalid
 * JSON, concerns that invoice alone; in a JSON document only what is inside `invoices` does.
 */
import { type Static, Type } from "@sinclair/typebox";
import { WarningSchema } from "../../../ecf/mapping";
import { PLAN_LIMITS } from "../../../identity/rate-limits";
import { createTurns } from "../../../platform/concurrency";
import { type Call, checkBody, ProblemSchema, parseJson } from "../../../platform/operation";
import { msg, Problem, type ProblemContext, toProblemDocument } from "../../../platform/problem";
import { Acknowledgement, ReceiptPrint } from "../model/acknowledgement";
import { createItemSplitter, createLineSplitter, type Part } from "./split-batch";

export const NDJSON = "application/x-ndjson";

/** The same limit as for a single invoice. */
const ITEM_BYTES_MAX = 2 * 1024 * 1024;

const BatchForm = Type.Object({ invoices: Type.Array(Type.Unknown()) }, { additionalProperties: false });

/** One invoice as received, unchecked. */
export type BatchItem =
	| { readonly index: number; readonly value: unknown; readonly text: string }
	| { readonly index: number; readonly problem: Problem };

export type BatchReader = {
	/** Gets the body piece by piece. Throws: validation-error when there are more invoices than the plan allows. */
	readonly watch: (piece: Uint8Array) => void;
	/** Throws: malformed-json, validation-error, payload-too-large when the body as a whole is no batch. */
	readonly read: (body: Uint8Array) => Promise<BatchItem[]>;
};

/** Longest time without a turn for other work. Units: milliseconds. */
const TURN_MS = 5;

/** Invoices are counted while the body arrives, and only then parsed one after another. */
export function createBatchReader(call: Call, isLines: boolean): BatchReader {
	const { maximum } = batchLimit(call, "issue");
	const rule = { maximum, checkCount: (count: number) => checkCount(call, "/invoices", count, "issue") };
	const readAll = async (body: Uint8Array, parts: readonly Part[], readOne: typeof readLine) => {
		const items: BatchItem[] = [];
		const takeTurn = createTurns(TURN_MS);
		for (const [index, { from, to }] of parts.entries()) {
			await takeTurn();
			items.push(readOne(body.subarray(from, to), index));
		}
		return items;
	};
	if (isLines) {
		const lines = createLineSplitter(rule);
		return {
			watch: lines.push,
			read: async (body) => {
				const parts = lines.parts(body);
				rule.checkCount(parts.length);
				return readAll(body, parts, readLine);
			},
		};
	}
	const splitter = createItemSplitter(rule);
	return {
		watch: splitter.push,
		read: async (body) => {
			const around = parseJson(splitter.aroundParts(body));
			const items = await readAll(body, splitter.parts(body), readMember);
			// There are no parts outside of `invoices` in a document that passes.
			checkBody(around, BatchForm, Number.POSITIVE_INFINITY);
			rule.checkCount(items.length);
			return items;
		},
	};
}

/** The content of a batch, equal for equal batches in either form. A line that is no JSON stands for itself. */
export function toPayload(items: readonly BatchItem[]): unknown {
	return { invoices: items.map((item) => ("problem" in item ? { problem: item.problem.message } : item.value)) };
}

function readLine(line: Uint8Array, index: number): BatchItem {
	if (line.length > ITEM_BYTES_MAX) return tooLarge(index);
	try {
		return { index, value: parseJson(line), text: new TextDecoder().decode(line).trim() };
	} catch (error) {
		if (error instanceof Problem) return { index, problem: error };
		throw error;
	}
}

/** Part of a document, which is malformed if one of its members is. Throws: malformed-json. */
function readMember(text: Uint8Array, index: number): BatchItem {
	if (text.length > ITEM_BYTES_MAX) return tooLarge(index);
	try {
		const value = parseJson(text);
		return { index, value, text: JSON.stringify(value) };
	} catch (error) {
		if (error instanceof Problem && error.slug !== "malformed-json") return { index, problem: error };
		throw error;
	}
}

function tooLarge(index: number): BatchItem {
	const detail = msg`The invoice exceeds ${ITEM_BYTES_MAX} bytes.`;
	const extensions = { limitBytes: ITEM_BYTES_MAX };
	return { index, problem: new Problem("payload-too-large", { detail, extensions }) };
}

export type Outcome =
	| { readonly kind: "issued" | "repeated"; readonly docId: string; readonly acknowledgement: string }
	| { readonly kind: "refused"; readonly problem: Problem };

const index = Type.Integer({ description: "Position in the batch, from 0." });

export const BatchResult = Type.Object(
	{
		results: Type.Array(
			Type.Union([
				Type.Object({
					index,
					status: Type.Integer({ description: "202 for a new document, 200 for a repeat." }),
					docId: Type.String(),
					trackId: Type.String(),
					encf: Type.String(),
					print: ReceiptPrint,
					warnings: Type.Array(WarningSchema),
					totalsDop: Acknowledgement.properties.totalsDop,
					replayed: Type.Optional(
						Type.Boolean({ description: "true if the document was issued before, under the same client_request_id." }),
					),
				}),
				Type.Object({
					index,
					status: Type.Integer({ description: "The status that the invoice would get alone." }),
					problem: ProblemSchema,
				}),
			]),
		),
		accepted: Type.Integer({ description: "New documents." }),
		replayed: Type.Integer({ description: "Documents that were issued before." }),
		failed: Type.Integer({ description: "Refused invoices. Nothing of them is stored." }),
	},
	{ $id: "InvoiceBatchResult" },
);
export type BatchResult = Static<typeof BatchResult>;

export function toBatchResult(outcomes: readonly Outcome[], context: ProblemContext): BatchResult {
	const count = (kind: Outcome["kind"]) => outcomes.filter((outcome) => outcome.kind === kind).length;
	return {
		results: outcomes.map((outcome, i) => toResult(outcome, i, context)),
		accepted: count("issued"),
		replayed: count("repeated"),
		failed: count("refused"),
	};
}

function toResult(outcome: Outcome, at: number, context: ProblemContext): BatchResult["results"][number] {
	if (outcome.kind === "refused") {
		const { problem } = outcome;
		return { index: at, status: problem.status, problem: toProblemDocument(problem, context) as ProblemSchema };
	}
	const { docId, trackId, encf, print, warnings, totalsDop } = JSON.parse(outcome.acknowledgement) as Static<
		typeof Acknowledgement
	>;
	const isNew = outcome.kind === "issued";
	const shown = { index: at, status: isNew ? 202 : 200, docId, trackId, encf, print, warnings, totalsDop };
	return isNew ? shown : { ...shown, replayed: true };
}

/** The largest batch that any plan allows. */
export const BATCH_MAX = 500;

/** Counts the items of a request. Throws: validation-error without any, or with more than the caller's plan allows. */
export function checkCount(call: Call, pointer: string, count: number, batch: "issue" | "status"): void {
	call.countItems?.(count);
	const { plan, maximum } = batchLimit(call, batch);
	if (count > 0 && count <= maximum) return;
	const fault =
		count === 0
			? { pointer, code: "too-few", detail: msg`Send at least one.`, minimum: 1 }
			: { pointer, code: "too-many", detail: msg`The plan ${plan} allows at most ${maximum} at once.`, maximum };
	throw new Problem("validation-error", { faults: [fault] });
}

function batchLimit(call: Call, batch: "issue" | "status") {
	const plan = call.principal?.plan;
	if (!plan) throw new Error(`operation ${call.operation.id} has no principal`);
	return { plan, maximum: PLAN_LIMITS[plan].batch[batch] };
}
