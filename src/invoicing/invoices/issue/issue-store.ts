/**
 * SQL of issuing: the preflight query before signing, and storing new invoices. Each is one statement for all requests of a batch.
 *
 * The preflight finds:
 *
 *   replay     the answer that is stored under the key
 *   issuer     the version of company and certificate in force, so that they are read only when they have changed
 *   collides   whether the number or the client_request_id is taken, or the number is voided; this only saves the work of signing
 *   standing   whether the number is in a registered sequence, and the last day of that
 *
 * Each part is an index look-up per request, and is written to stay one: the planner neither hashes nor merges a sub-query with a limit, and
 * it assumes the same number of rows for any JSON, so it plans once.
 */
import { issuerVersion } from "../../../companies";
import { type Sql, type Tx, toJsonText } from "../../../platform/database";
import { failpoint } from "../../../platform/failpoints";
import {
	findFreshAnswer,
	type IdempotencyKey,
	KEY_HOURS,
	type StoredAnswer,
	takeAnswer,
} from "../../../platform/idempotency";
import { newId } from "../../../platform/values";
import { isOutsideSequences, type NumberStanding, sequenceExpiry } from "../../sequences";
import type { NewInvoice } from "../model/invoice-row";

export type PreflightQuery = {
	readonly place: IdempotencyKey;
	/** Absent if the request cannot be read, or leaves the numbering to the service. */
	readonly encf?: string | undefined;
	readonly clientRequestId?: string | undefined;
};

export type PreflightResult = {
	readonly replay: StoredAnswer | undefined;
	/** Null without a company. */
	readonly issuerVersion: string | null;
	readonly collides: boolean;
	/** Of the number in the registered sequences. */
	readonly standing: NumberStanding;
};

type Row = Omit<PreflightResult, "replay" | "standing"> & {
	readonly n: number;
	readonly expiresOn: string | null;
	readonly isOutsideRanges: boolean;
};

const NO_STANDING: NumberStanding = { expiresOn: undefined, isOutsideRanges: false };

/** The scope of each key is the tenant. */
export async function runPreflight(sql: Sql, all: readonly PreflightQuery[], now: Date): Promise<PreflightResult[]> {
	const queries = all.map(({ place, encf, clientRequestId }, n) => ({
		n,
		tenant_id: place.scopeId,
		operation: place.operation,
		key: place.key,
		encf,
		number: encf === undefined ? undefined : Number(encf.slice(3)),
		type: encf?.slice(1, 3),
		client_id: clientRequestId,
	}));
	const rows = await sql<Row[]>`
		select w.n, k.*, ${issuerVersion(sql, sql`w.tenant_id`, now)} as "issuerVersion",
			coalesce(
				case when w.client_id is not null then
					(select true from invoices i where i.tenant_id = w.tenant_id and i.client_request_id = w.client_id limit 1) end,
				case when w.encf is not null then
					(select true from invoices i where i.tenant_id = w.tenant_id and i.encf = w.encf and not i.encf_released limit 1) end,
				(select true from sequence_voids v where v.tenant_id = w.tenant_id and v.type = w.type
					and v.numbers @> w.number and v.elsewhere is null and v.status not in ('rejected', 'failed') limit 1),
				false
			) as collides,
			${sequenceExpiry(sql)} as "expiresOn", ${isOutsideSequences(sql)} as "isOutsideRanges"
		from json_to_recordset(${toJsonText(queries)}::text::json)
			as w(n int, tenant_id uuid, operation text, key uuid, encf text, number bigint, type text, client_id text)
		left join lateral (${findFreshAnswer(sql)}) k on true`;
	const results = new Map(
		rows.map((row) => {
			const { n, issuerVersion, collides, expiresOn, isOutsideRanges } = row;
			const standing = { expiresOn: expiresOn ?? undefined, isOutsideRanges };
			return [n, { replay: takeAnswer(row), issuerVersion, collides, standing }];
		}),
	);
	return all.map(
		(_, n) => results.get(n) ?? { replay: undefined, issuerVersion: null, collides: false, standing: NO_STANDING },
	);
}

/** An invoice to store, with its idempotency key if it has one of its own. */
export type ToStore = {
	readonly row: NewInvoice;
	readonly key?: { readonly place: IdempotencyKey; readonly rawSha256: Uint8Array };
};
/**
 * `number-lost`: the hold of its number has expired, so another document may have the number. `collision`: the number or the
 * client_request_id is taken. `company-moved`: it was issued for an environment of the authority that the company has left or is leaving.
 */
export type StoreOutcome = "stored" | "repeat-of-key" | "collision" | "number-lost" | "company-moved";

/** Units: characters of requests and signed documents. */
const PART_LENGTH_MAX = 8 * 1024 * 1024;

/**
 * Stores invoices of which no two share a unique key. Returns an outcome for each, in their order. Either all of them have an idempotency key
 * or none has. Outside a transaction each part that fits into one statement is a transaction of its own.
 *
 * One call of the database's `store_invoices` writes keys, documents, signed bytes, history and messages. All long texts travel as one text
 * with marks: as array elements each quotation mark would be escaped here and parsed there, which costs more than storing them.
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

/** Splits into parts that fit into one statement: hundreds of ordinary invoices, or one with thousands of lines. */
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
	const { text, marks } = joinTexts([
		...all.flatMap(({ row }) => textsOf(row)),
		...all.map(({ row }) => JSON.stringify(row.facts)),
	]);
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

/** Eight texts for each invoice, in the order that the database function expects. */
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

/** Marks are byte offsets in UTF-8; n pieces have n + 1 marks. */
function joinTexts(pieces: readonly string[]): { text: string; marks: number[] } {
	const marks = [0];
	let at = 0;
	for (const piece of pieces) {
		at += Buffer.byteLength(piece);
		marks.push(at);
	}
	return { text: pieces.join(""), marks };
}

/** The array literal of elements without quotation marks, commas or braces. The driver would scan each for characters to escape. */
function toArrayText(elements: readonly (string | null | undefined)[]): string {
	return `{${elements.map((element) => element ?? "NULL").join(",")}}`;
}

function toHex({ buffer, byteOffset, byteLength }: Uint8Array): string {
	return Buffer.from(buffer, byteOffset, byteLength).toString("hex");
}
