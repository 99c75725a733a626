/**
 * Reads the body of a batch: `{"invoices":[…]}`, or one invoice a line (NDJSON). In lines, what is wrong with one is its own
 * affair, even when it is no JSON; in a document, only what stands inside `invoices` is.
 */
import { type Static, Type } from "@sinclair/typebox";
import { WarningSchema } from "../../../ecf/mapping";
import { PLAN_LIMITS } from "../../../identity/rate-limits";
import { type Call, checkBody, ProblemSchema, parseJson } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { type Acknowledgement, PrintSchema } from "../model/acknowledgement";

export const NDJSON = "application/x-ndjson";

/** As in a request of its own. */
const ITEM_BYTES_MAX = 2 * 1024 * 1024;
const LINE_FEED = 0x0a;

const BatchForm = Type.Object({ invoices: Type.Array(Type.Unknown()) }, { additionalProperties: false });

/** One invoice as it came; its form is not checked yet. */
export type BatchItem =
	| { readonly index: number; readonly value: unknown; readonly text: string }
	| { readonly index: number; readonly problem: Problem };

/** Throws: malformed-json, validation-error; for a body that is no batch at all. */
export function readBatch(bytes: Uint8Array, isLines: boolean): BatchItem[] {
	if (isLines) return splitLines(bytes).map(readLine);
	const { invoices } = checkBody<{ invoices: unknown[] }>(parseJson(bytes), BatchForm, Number.POSITIVE_INFINITY);
	return invoices.map((value, index) => toItem(index, value, JSON.stringify(value)));
}

/** What two bodies have in common that say the same, in whichever form; a line that is no JSON stands for itself. */
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

/** The answer to a batch: one outcome for each invoice, in the order in which they came. */

/** What became of one invoice. */
export type Outcome =
	| { readonly kind: "issued" | "repeated"; readonly docId: string; readonly acknowledgement: string }
	| { readonly kind: "refused"; readonly problem: Problem };

const index = Type.Integer({ description: "Place in the batch, from 0." });

export const BatchResult = Type.Object(
	{
		results: Type.Array(
			Type.Union([
				Type.Object({
					index,
					status: Type.Integer({ description: "202 for a new document, 200 for one that was there already." }),
					docId: Type.String(),
					trackId: Type.String(),
					encf: Type.String(),
					print: PrintSchema,
					warnings: Type.Array(WarningSchema),
					replayed: Type.Optional(
						Type.Boolean({ description: "True for the same invoice under the same client_request_id." }),
					),
				}),
				Type.Object({
					index,
					status: Type.Integer({ description: "As if the invoice had come alone." }),
					problem: ProblemSchema,
				}),
			]),
		),
		accepted: Type.Integer({ description: "New documents." }),
		replayed: Type.Integer({ description: "Documents that were there already." }),
		failed: Type.Integer({ description: "Invoices that were refused; nothing is stored of them." }),
	},
	{ $id: "InvoiceBatchResult" },
);
export type BatchResult = Static<typeof BatchResult>;

/** Where the answer is given; problem documents name it. */
export type Place = { readonly baseUrl: string; readonly instance: string; readonly requestId: string };

export function toBatchResult(outcomes: readonly Outcome[], place: Place): BatchResult {
	const count = (kind: Outcome["kind"]) => outcomes.filter((outcome) => outcome.kind === kind).length;
	return {
		results: outcomes.map((outcome, i) => toResult(outcome, i, place)),
		accepted: count("issued"),
		replayed: count("repeated"),
		failed: count("refused"),
	};
}

function toResult(outcome: Outcome, at: number, place: Place): BatchResult["results"][number] {
	if (outcome.kind === "refused") {
		const { problem } = outcome;
		return { index: at, status: problem.status, problem: problem.toDocument(place) as ProblemSchema };
	}
	const { docId, trackId, encf, print, warnings } = JSON.parse(outcome.acknowledgement) as Static<
		typeof Acknowledgement
	>;
	const isNew = outcome.kind === "issued";
	const shown = { index: at, status: isNew ? 202 : 200, docId, trackId, encf, print, warnings };
	return isNew ? shown : { ...shown, replayed: true };
}

/** How many invoices one request may hold, by plan. */

/** Most invoices of any plan. */
export const BATCH_MAX = 500;

/**
 * Tells how many a request asks for, and holds them to the caller's plan. Throws: validation-error when nothing is asked, or more than
 * the plan allows.
 */
export function checkCount(call: Call, pointer: string, count: number, batch: "issue" | "status"): void {
	const plan = call.principal?.plan;
	if (!plan) throw new Error(`operation ${call.operation.id} has no principal`);
	call.countItems?.(count);
	const maximum = PLAN_LIMITS[plan].batch[batch];
	const fault =
		count === 0
			? { pointer, code: "too-few", detail: "Send at least one.", minimum: 1 }
			: { pointer, code: "too-many", detail: `The plan ${plan} takes at most ${maximum} at once.`, maximum };
	if (count === 0 || count > maximum) throw new Problem("validation-error", { faults: [fault] });
}
