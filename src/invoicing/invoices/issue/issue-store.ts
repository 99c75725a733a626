/**
 * SQL of issuing: the preflight query before signing, and storing new invoices. Each is one statement for all requests of a batch.
 *
 * The preflight finds:
 *
 *   key        the request that has the key already
 *   issuer     the version of company and certificate in force, so that they are read only when they have changed
 *   collides   whether the number or the client_request_id is taken, or the number is voided; this only saves the work of signing
 *   standing   whether the number is in a registered sequence, and the last day of that
 */
import type { Sql, Tx } from "../../../platform/database";
import { failpoint } from "../../../platform/failpoints";
import {
	findKey,
	type IdempotencyKey,
	KEY_HOURS,
	type StoredAnswer,
	type StoredKey,
	takeKey,
} from "../../../platform/idempotency";
import type { NumberStanding } from "../../sequences";
import { toAmountColumns } from "../model/amounts";
import type { NewInvoice } from "../model/invoice-row";
import { writePapers } from "../model/papers";
import { findWholeInvoice } from "../model/store";
import type { Sources } from "../model/stored-document";

export type PreflightQuery = {
	readonly place: IdempotencyKey;
	/** Absent if the request cannot be read, or leaves the numbering to the service. */
	readonly encf?: string | undefined;
	readonly clientRequestId?: string | undefined;
};

export type PreflightResult = {
	readonly key: StoredKey | undefined;
	/** Null without a company. */
	readonly issuerVersion: string | null;
	readonly collides: boolean;
	/** Of the number in the registered sequences. */
	readonly standing: NumberStanding;
};

type Row = Omit<PreflightResult, "key" | "standing"> & {
	readonly n: number;
	readonly expiresOn: string | null;
	readonly isOutsideRanges: boolean;
};

const NO_STANDING: NumberStanding = { expiresOn: undefined, isOutsideRanges: false };

/** The scope of each key is the tenant. On Citus, where all are of one shard, the first says on which node the function runs. */
export async function runPreflight(sql: Sql, all: readonly PreflightQuery[], now: Date): Promise<PreflightResult[]> {
	const column = (pick: (one: PreflightQuery) => string | undefined) => toArrayText(all.map(pick));
	const rows = await sql<Row[]>`
		select n, raw_digest as "rawSha256", payload_digest as "payloadSha256", answer, headers, doc_id as "docId",
			issuer_version as "issuerVersion", collides, expires_on as "expiresOn", is_outside_ranges as "isOutsideRanges"
		from look_up(${all[0]?.place.scopeId ?? null}::uuid, ${column(({ place }) => place.scopeId)}::uuid[], ${all.map(({ place }) => place.operation)}::text[],
			${column(({ place }) => place.key)}::uuid[], ${column(({ encf }) => encf)}::text[],
			${all.map(({ clientRequestId }) => clientRequestId ?? null)}::text[], ${now}, ${KEY_HOURS})`;
	const results = new Map(
		rows.map((row) => {
			const { n, issuerVersion, collides, expiresOn, isOutsideRanges } = row;
			const standing = { expiresOn: expiresOn ?? undefined, isOutsideRanges };
			return [n, { key: takeKey(row), issuerVersion, collides, standing }];
		}),
	);
	return all.map(
		(_, n) => results.get(n + 1) ?? { key: undefined, issuerVersion: null, collides: false, standing: NO_STANDING },
	);
}

/** The answer that a repeat of an invoice's key gets. */
export async function findIssueAnswer(sources: Sources, place: IdempotencyKey): Promise<StoredAnswer | undefined> {
	const key = await findKey(sources.sql, place);
	return key && toAnswer(sources, place.scopeId, key);
}

/** Reads from the document's papers what is not stored under the key. Throws: archive-unavailable. */
export async function toAnswer(sources: Sources, tenantId: string, key: StoredKey): Promise<StoredAnswer> {
	const { answer, docId, payloadSha256 } = key;
	if (answer !== null && payloadSha256 !== null) return { ...key, answer };
	const row = docId === null ? undefined : await findWholeInvoice(sources, { tenantId, docId });
	if (!row) throw new Error("an idempotency key has neither an answer nor a document");
	const { request, acknowledgement } = row;
	const headers = { location: `/v1/invoices/${docId}` };
	return { ...key, headers, answer: answer ?? acknowledgement, request };
}

/** An invoice to store, with its idempotency key, in the scope of its tenant, if it has one of its own. */
export type ToStore = {
	readonly row: NewInvoice;
	readonly key?: { readonly place: IdempotencyKey; readonly rawSha256: Uint8Array };
	/** The revisions of its issuer. Absent: they are not compared. */
	readonly issuer?: string | undefined;
};
/**
 * `number-lost`: the hold of its number has expired, so another document may have the number. `collision`: the number or the
 * client_request_id is taken. `company-moved`: it was issued for an environment of the authority that the company has left or is leaving.
 * `issuer-changed`: company or certificate are not as they were read.
 */
export type StoreOutcome =
	| "stored"
	| "repeat-of-key"
	| "collision"
	| "number-lost"
	| "company-moved"
	| "issuer-changed";

/** Units: bytes of packed documents. */
const PART_LENGTH_MAX = 2 * 1024 * 1024;

/**
 * Stores invoices of which no two share a unique key. Returns an outcome for each, in their order. Either all of them have an idempotency key
 * or none has. Outside a transaction each part that fits into one statement is a transaction of its own.
 *
 * One call of the database's `intake` writes keys, names, documents, papers and entries of the work log. All papers travel as one value with marks.
 */
export async function storeParts(sql: Sql | Tx, all: readonly ToStore[]): Promise<StoreOutcome[]> {
	const outcomes = new Map<ToStore, StoreOutcome>();
	for (const part of splitByLength(all.toSorted(compareNumbers))) {
		failpoint("before-key");
		const stored = storeTogether(sql, part);
		failpoint("before-commit");
		for (const [i, outcome] of (await stored).entries()) outcomes.set(part[i] as ToStore, outcome);
	}
	return all.map((one) => outcomes.get(one) as StoreOutcome);
}

/** All transactions write rows in this order, so that no two wait for each other. */
function compareNumbers({ row: a }: ToStore, { row: b }: ToStore): number {
	if (a.tenantId !== b.tenantId) return a.tenantId < b.tenantId ? -1 : 1;
	return a.encf < b.encf ? -1 : Number(a.encf > b.encf);
}

/** Splits into parts that fit into one statement: hundreds of ordinary invoices, or a few with thousands of lines. */
function splitByLength(all: readonly ToStore[]): ToStore[][] {
	const parts: ToStore[][] = [];
	let length = 0;
	for (const one of all) {
		const own = one.row.packed.length;
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
	const bodies = all.map(({ row }) => writePapers(row.packed, row));
	const amounts = all.map(({ row }) => toAmountColumns(row));
	const column = (pick: (row: NewInvoice, key: ToStore["key"]) => string | null | undefined) =>
		toArrayText(all.map(({ row, key }) => pick(row, key)));
	const texts = (pick: (row: NewInvoice) => string | null) => all.map(({ row }) => pick(row));
	const [answer] = await sql<{ outcomes: StoreOutcome[] }[]>`
		select intake(${column((i) => i.tenantId)}::uuid[], ${column((i) => i.docId)}::uuid[],
			${column((i) => i.receivedAt.toISOString())}::timestamptz[], ${column((i) => i.sha256)}::text[],
			${toArrayText(amounts.map(({ subtotal }) => subtotal))}::bigint[], ${toArrayText(amounts.map(({ tax }) => tax))}::bigint[],
			${column((i) => i.facts.issueDate)}::date[], ${column((i) => i.type)}::smallint[], ${column((i) => i.environment)}::"char"[],
			${column((i) => String(i.hasSummary))}::boolean[], ${column((i) => i.encf)}::text[], ${texts((i) => i.clientRequestId)}::text[],
			${column((i) => i.facts.customerRnc)}::text[], ${texts((i) => i.facts.customerName)}::text[], ${texts((i) => i.branch)}::text[],
			${column((i) => i.modifies)}::text[],
			${amounts.map(({ shown }) => shown && JSON.stringify(shown))}::text[],
			${all.map(({ row }) => toWarningsText(row))}::text[],
			${column((i) => i.holdId)}::uuid[], ${all.map(({ issuer }) => issuer ?? null)}::text[],
			${all.map(({ key }) => key?.place.operation ?? null)}::text[], ${column((_, key) => key?.place.key)}::uuid[],
			${column((_, key) => key && toHex(key.rawSha256))}::text[], ${Buffer.concat(bodies)}, ${toMarks(bodies)}::int[]) as outcomes`;
	if (answer?.outcomes.length !== all.length) throw new Error(`expected ${all.length} outcomes of storing`);
	return answer.outcomes;
}

/** The same first step of documents that were stored in this transaction. */
export async function insertFirstSteps(
	tx: Tx,
	rows: readonly Pick<NewInvoice, "tenantId" | "docId">[],
	step: Uint8Array,
): Promise<void> {
	if (rows.length === 0) return;
	await tx`
		insert into steps (tenant_id, doc_id, n, body)
		select tenant_id, doc_id, 1, ${Buffer.from(step)}
		from unnest(${rows.map(({ tenantId }) => tenantId)}::uuid[], ${rows.map(({ docId }) => docId)}::uuid[]) g (tenant_id, doc_id)`;
}

/** Null without warnings, as most documents are. */
export function toWarningsText({ warnings }: Pick<NewInvoice, "warnings">): string | null {
	return warnings.length === 0 ? null : JSON.stringify(warnings);
}

/** Byte offsets; n pieces have n + 1 marks. */
function toMarks(pieces: readonly Uint8Array[]): string {
	const marks = [0];
	for (const { length } of pieces) marks.push((marks.at(-1) ?? 0) + length);
	return toArrayText(marks.map(String));
}

/** The array literal of elements without quotation marks, commas or braces. The driver would scan each for characters to escape. */
function toArrayText(elements: readonly (string | null | undefined)[]): string {
	return `{${elements.map((element) => element ?? "NULL").join(",")}}`;
}

function toHex({ buffer, byteOffset, byteLength }: Uint8Array): string {
	return Buffer.from(buffer, byteOffset, byteLength).toString("hex");
}
