/**
 * Writes new invoices: keys, documents, signed bytes, history and messages, by one call of the database's `store_invoices`.
 *
 * The long texts of all invoices go as one text with marks where each begins. As elements of arrays every quotation mark of theirs would be
 * escaped here and read back character by character there, which costs more than storing them.
 */
import type { Sql, Tx } from "../../../platform/database";
import { faultPoint } from "../../../platform/failpoints";
import { KEY_HOURS, type KeyPlace } from "../../../platform/idempotency";
import { newId } from "../../../platform/values";
import type { NewInvoice } from "../model/invoice-row";

/** An invoice to be stored, under an idempotency key where it has one of its own. */
export type ToStore = {
	readonly row: NewInvoice;
	readonly key?: { readonly place: KeyPlace; readonly rawSha256: Uint8Array };
};
/**
 * `number-lost`: the hold of its number has ended, so the number may be another document's. `collision`: number or client's id is taken.
 * `company-moved`: it was made for an environment of the authority in which the company is no more, or which it is leaving.
 */
export type StoreOutcome = "stored" | "repeat-of-key" | "collision" | "number-lost" | "company-moved";

/** Units: characters of requests and signed documents. */
const PART_LENGTH_MAX = 8 * 1024 * 1024;

/**
 * Stores invoices, no two of them with equal unique keys, and tells what became of each. All of them have a key, or none has. Outside a
 * transaction each part that the database takes at once is one of its own.
 */
export async function storeParts(sql: Sql | Tx, all: readonly ToStore[]): Promise<StoreOutcome[]> {
	const outcomes = new Map<ToStore, StoreOutcome>();
	for (const part of splitByLength(all.toSorted(compareNumbers))) {
		faultPoint("before-key");
		const told = storeTogether(sql, part);
		faultPoint("before-commit");
		for (const [i, outcome] of (await told).entries()) outcomes.set(part[i] as ToStore, outcome);
	}
	return all.map((one) => outcomes.get(one) as StoreOutcome);
}

/** The order in which rows are written, the same everywhere: two transactions never wait for each other in a circle. */
function compareNumbers({ row: a }: ToStore, { row: b }: ToStore): number {
	if (a.tenantId !== b.tenantId) return a.tenantId < b.tenantId ? -1 : 1;
	return a.encf < b.encf ? -1 : Number(a.encf > b.encf);
}

/** Parts whose texts the database can take at once: hundreds of ordinary invoices, or one of thousands of lines. */
function splitByLength(all: readonly ToStore[]): ToStore[][] {
	const parts: ToStore[][] = [];
	let length = 0;
	for (const one of all) {
		const own = one.row.request.length + one.row.documents.reduce((sum, { text }) => sum + text.length, 0);
		length += own;
		const part = parts.at(-1);
		if (part && length <= PART_LENGTH_MAX) part.push(one);
		else {
			parts.push([one]);
			length = own;
		}
	}
	return parts;
}

async function storeTogether(sql: Sql | Tx, all: readonly ToStore[]): Promise<StoreOutcome[]> {
	const { text, marks } = joinTexts(all.flatMap(({ row }) => textsOf(row)));
	const column = (pick: (row: NewInvoice, key: ToStore["key"]) => string | null | undefined) =>
		toArrayText(all.map(({ row, key }) => pick(row, key)));
	const [answer] = await sql<{ outcomes: StoreOutcome[] }[]>`
		select store_invoices(${column((i) => i.docId)}::uuid[], ${column((i) => i.trackId)}::uuid[], ${column((i) => i.tenantId)}::uuid[],
			${column((i) => i.type)}::text[], ${column((i) => i.encf)}::text[], ${all.map(({ row }) => row.clientRequestId)}::text[],
			${column((i) => i.print.signedAt)}::timestamptz[], ${column((i) => i.receivedAt.toISOString())}::timestamptz[],
			${column((i) => i.holdId)}::uuid[], ${column(() => newId())}::uuid[],
			${column((i) => documentOf(i, "ecf")?.sha256)}::text[], ${column((i) => documentOf(i, "summary")?.sha256)}::text[],
			${all.map(({ row: { scenario } }) => (scenario ? JSON.stringify(scenario) : null))}::text[],
			${column((_, key) => key?.place.scopeId)}::uuid[], ${all.map(({ key }) => key?.place.operation ?? null)}::text[],
			${column((_, key) => key?.place.key)}::uuid[], ${column((_, key) => key && toHex(key.rawSha256))}::text[], ${KEY_HOURS},
			${`{${marks.join(",")}}`}::int[], ${text}) as outcomes`;
	if (answer?.outcomes.length !== all.length) throw new Error(`expected ${all.length} outcomes of storing`);
	return answer.outcomes;
}

/** Eight of each invoice, as the function in the database counts them. */
function textsOf(row: NewInvoice): string[] {
	const textOf = (kind: "ecf" | "summary") => documentOf(row, kind)?.text ?? "";
	return [
		row.request,
		row.acknowledgement,
		JSON.stringify(row.print),
		JSON.stringify(row.warnings),
		JSON.stringify(row.registry),
		textOf("ecf"),
		textOf("summary"),
		JSON.stringify(row.sums),
	];
}

function documentOf({ documents }: NewInvoice, kind: "ecf" | "summary") {
	return documents.find((one) => one.kind === kind);
}

/** Units: bytes of UTF-8. A text of n pieces has n + 1 marks. */
function joinTexts(pieces: readonly string[]): { text: string; marks: number[] } {
	const marks = [0];
	let at = 0;
	for (const piece of pieces) {
		at += Buffer.byteLength(piece);
		marks.push(at);
	}
	return { text: pieces.join(""), marks };
}

/** Elements without quotation marks, commas or braces, as an array's text: the driver would look through each for what to escape. */
function toArrayText(elements: readonly (string | null | undefined)[]): string {
	return `{${elements.map((element) => element ?? "NULL").join(",")}}`;
}

function toHex({ buffer, byteOffset, byteLength }: Uint8Array): string {
	return Buffer.from(buffer, byteOffset, byteLength).toString("hex");
}
