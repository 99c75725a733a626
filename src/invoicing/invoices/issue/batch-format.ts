/**
 * The body of a batch and its answer. The body is `{"invoices":[…]}`, or one invoice per line (NDJSON). A defect of one line, even invalid
 * JSON, concerns that invoice alone; in a JSON document only what is inside `invoices` does.
 */
import { type Static, Type } from "@sinclair/typebox";
import { WarningSchema } from "../../../ecf/mapping";
import { PLAN_LIMITS } from "../../../identity/rate-limits";
import { type Call, checkBody, ProblemSchema, parseJson } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { type Acknowledgement, PrintSchema } from "../model/acknowledgement";

export const NDJSON = "application/x-ndjson";

/** The same limit as for a single invoice. */
const ITEM_BYTES_MAX = 2 * 1024 * 1024;
const LINE_FEED = 0x0a;

const BatchForm = Type.Object({ invoices: Type.Array(Type.Unknown()) }, { additionalProperties: false });

/** One invoice as received, unchecked. */
export type BatchItem =
	| { readonly index: number; readonly value: unknown; readonly text: string }
	| { readonly index: number; readonly problem: Problem };

/** Throws: malformed-json, validation-error when the body as a whole is no batch. */
export function readBatch(bytes: Uint8Array, isLines: boolean): BatchItem[] {
	if (isLines) return splitLines(bytes).map(readLine);
	const { invoices } = checkBody<{ invoices: unknown[] }>(parseJson(bytes), BatchForm, Number.POSITIVE_INFINITY);
	return invoices.map((value, index) => toItem(index, value, JSON.stringify(value)));
}

/** The content of a batch, equal for equal batches in either form. A line that is no JSON stands for itself. */
export function toPayload(items: readonly BatchItem[]): unknown {
	return { invoices: items.map((item) => ("problem" in item ? { problem: item.problem.message } : item.value)) };
}

function splitLines(bytes: Uint8Array): Uint8Array[] {
	const lines: Uint8Array[] = [];
	for (let start = 0; start < bytes.length; ) {
		const end = bytes.indexOf(LINE_FEED, start);
		const line = bytes.subarray(start, end < 0 ? bytes.length : end);
		if (line.some((byte) => byte > 0x20)) lines.push(line);
		start = end < 0 ? bytes.length : end + 1;
	}
	return lines;
}

function readLine(line: Uint8Array, index: number): BatchItem {
	try {
		return toItem(index, parseJson(line), new TextDecoder().decode(line).trim());
	} catch (error) {
		if (error instanceof Problem) return { index, problem: error };
		throw error;
	}
}

function toItem(index: number, value: unknown, text: string): BatchItem {
	if (Buffer.byteLength(text) <= ITEM_BYTES_MAX) return { index, value, text };
	const detail = `The invoice exceeds ${ITEM_BYTES_MAX} bytes.`;
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
					print: PrintSchema,
					warnings: Type.Array(WarningSchema),
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

export type ProblemContext = { readonly baseUrl: string; readonly instance: string; readonly requestId: string };

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
		return { index: at, status: problem.status, problem: problem.toDocument(context) as ProblemSchema };
	}
	const { docId, trackId, encf, print, warnings } = JSON.parse(outcome.acknowledgement) as Static<
		typeof Acknowledgement
	>;
	const isNew = outcome.kind === "issued";
	const shown = { index: at, status: isNew ? 202 : 200, docId, trackId, encf, print, warnings };
	return isNew ? shown : { ...shown, replayed: true };
}

/** The largest batch that any plan allows. */
export const BATCH_MAX = 500;

/** Counts the items of a request. Throws: validation-error without any, or with more than the caller's plan allows. */
export function checkCount(call: Call, pointer: string, count: number, batch: "issue" | "status"): void {
	const plan = call.principal?.plan;
	if (!plan) throw new Error(`operation ${call.operation.id} has no principal`);
	call.countItems?.(count);
	const maximum = PLAN_LIMITS[plan].batch[batch];
	const fault =
		count === 0
			? { pointer, code: "too-few", detail: "Send at least one.", minimum: 1 }
			: { pointer, code: "too-many", detail: `The plan ${plan} allows at most ${maximum} at once.`, maximum };
	if (count === 0 || count > maximum) throw new Problem("validation-error", { faults: [fault] });
}
