/**
 * What issuing asks the database before it signs: one statement for all requests that come at the same time.
 *
 *   replay     the answer that the key has already
 *   issuer     which version of company and certificate is in force, so that they are read only when they have changed
 *   collides   whether the number or the client's id is taken, or the number voided; only saves the work of signing
 *   expiry     last day of the registered sequence that the number belongs to
 *
 * Every part is a look-up by index for each request, and is written so that it stays one: a sub-query with a limit is neither hashed nor
 * merged, and JSON rows are as many to the planner whatever they are, so that it plans once.
 */
import { issuerVersion } from "../../../companies";
import { type Sql, type Tx, toJsonText } from "../../../platform/database";
import { faultPoint } from "../../../platform/failpoints";
import {
	findFreshAnswer,
	KEY_HOURS,
	type KeyPlace,
	type StoredAnswer,
	takeAnswer,
} from "../../../platform/idempotency";
import { newId } from "../../../platform/values";
import { sequenceExpiry } from "../../sequences";
import type { NewInvoice } from "../model/invoice-row";

export type Sought = {
	readonly place: KeyPlace;
	/** Absent where the request cannot be read, or leaves its number to us. */
	readonly encf?: string | undefined;
	readonly clientRequestId?: string | undefined;
};

export type Facts = {
	readonly replay: StoredAnswer | undefined;
	/** Null without a company. */
	readonly issuerVersion: string | null;
	readonly collides: boolean;
	readonly expiresOn: string | undefined;
};

type Row = Omit<Facts, "replay" | "expiresOn"> & { readonly n: number; readonly expiresOn: string | null };

/** The tenant is the scope of the key. */
export async function lookUp(sql: Sql, all: readonly Sought[], now: Date): Promise<Facts[]> {
	const asked = all.map(({ place, encf, clientRequestId }, n) => ({
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
			${sequenceExpiry(sql)} as "expiresOn"
		from json_to_recordset(${toJsonText(asked)}::text::json)
			as w(n int, tenant_id uuid, operation text, key uuid, encf text, number bigint, type text, client_id text)
		left join lateral (${findFreshAnswer(sql)}) k on true`;
	const facts = new Map(
		rows.map((row) => {
			const { n, issuerVersion, collides, expiresOn } = row;
			return [n, { replay: takeAnswer(row), issuerVersion, collides, expiresOn: expiresOn ?? undefined }];
		}),
	);
	return all.map(
		(_, n) => facts.get(n) ?? { replay: undefined, issuerVersion: null, collides: false, expiresOn: undefined },
	);
}

/**
 * Writes new invoices: keys, documents, signed bytes, history and messages, by one call of the database's `store_invoices`.
 *
 * The long texts of all invoices go as one text with marks where each begins. As elements of arrays every quotation mark of theirs would be
 * escaped here and read back character by character there, which costs more than storing them.
 */

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
