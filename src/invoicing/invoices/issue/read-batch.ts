/**
 * Reads the body of a batch: `{"invoices":[…]}`, or one invoice a line (NDJSON). In lines, what is wrong with one is its own
 * affair, even when it is no JSON; in a document, only what stands inside `invoices` is.
 */
import { Type } from "@sinclair/typebox";
import { checkBody, parseJson } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";

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
