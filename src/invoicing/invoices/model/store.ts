/**
 * SQL on stored invoices: finding them by any of their names, and changing one outside the steps of its submission. Other SQL on invoices:
 * `stored-document.ts` for what a document is read from, `issue/issue-store.ts` for new ones, `submit/submission-store.ts` for steps, `file-store.ts`
 * for files.
 */

import type { PendingQuery, Row } from "postgres";
import type { Sql, Tx } from "../../../platform/database";
import { OUTBOX_KINDS } from "../../../platform/outbox";
import { findSteps, findWhole } from "./file-store";
import type { DocKey, InvoiceRow, Phase, Standing, Status, StatusRow } from "./invoice-row";
import { writeStep } from "./steps";
import {
	documentsOf,
	kindHere,
	NOTHING_ARRIVED,
	nearTo,
	type Sending,
	type Sources,
	type StoredDocument,
	stateColumns,
	stateJoins,
	toStatusRow,
} from "./stored-document";

type Piece = PendingQuery<Row[]>;

/** The members of a row that are read with it where they are shown. */
export type Derived = Pick<InvoiceRow, "delivery" | "isPutOff" | "putOffTo" | "isNumberTaken">;

/** A document as it is shown without its papers. */
export type ShownInvoice = StatusRow & Derived;

/** A tenant's own invoice. Another tenant's is as absent as one that never existed. */
export async function findInvoice(sql: Sql | Tx, tenantId: string, docId: string): Promise<ShownInvoice | undefined> {
	const [row] = await findShown(sql, [{ tenantId, docId }]);
	return row;
}

/** These documents as they are shown, oldest first. */
async function findShown(sql: Sql | Tx, keys: readonly DocKey[]): Promise<ShownInvoice[]> {
	if (keys.length === 0) return [];
	const isNear = nearTo(sql, keys);
	const rows = await sql<(StoredDocument & Derived)[]>`
		select ${stateColumns(sql, isNear)}, ${derivedColumns(sql)} from ${documentsOf(sql, keys, isNear)} ${stateJoins(sql, isNear)}
		order by d.doc_id`;
	return rows.map((row) => ({ ...toStatusRow(row), ...toDerived(row) }));
}

export function toDerived({ delivery, isPutOff, putOffTo, isNumberTaken }: Derived): Derived {
	return {
		...{ delivery: delivery ?? null, isPutOff: isPutOff ?? false, putOffTo: putOffTo ?? null },
		isNumberTaken: isNumberTaken ?? false,
	};
}

/** The same with its papers, and without what is derived. Throws: archive-unavailable. */
export async function findWholeInvoice(sources: Sources, key: DocKey): Promise<InvoiceRow | undefined> {
	const [row] = await findStored(sources, [key]);
	return row;
}

async function findStored(sources: Sources, keys: readonly DocKey[]): Promise<InvoiceRow[]> {
	return (await findWhole(sources, keys)).map(({ row }) => row);
}

/** Whether a document is stored. */
export async function isStored(sql: Sql | Tx, { tenantId, docId }: DocKey): Promise<boolean> {
	return (await sql`select from documents where tenant_id = ${tenantId} and doc_id = ${docId}`).length > 0;
}

/** What has become of these documents; unknown ones are left out. */
export async function findStandings(sql: Sql | Tx, keys: readonly DocKey[]): Promise<(DocKey & Standing)[]> {
	if (keys.length === 0) return [];
	const isNear = nearTo(sql, keys);
	const rows = await sql<StoredDocument[]>`
		select ${stateColumns(sql, isNear)} from ${documentsOf(sql, keys, isNear)} ${stateJoins(sql, isNear)}`;
	return rows.map(toStatusRow);
}

/** Their statuses alone. */
export async function findStatuses(sql: Sql, keys: readonly DocKey[]): Promise<Map<string, Status>> {
	return new Map((await findStandings(sql, keys)).map(({ docId, status }) => [docId, status]));
}

/** Throws: archive-unavailable. */
export async function findByClientRequestId(
	sources: Sources,
	tenantId: string,
	id: string,
): Promise<InvoiceRow | undefined> {
	return (await findByClientRequestIds(sources, tenantId, [id])).get(id);
}

/** A tenant's documents by client_request_id; unknown ids are left out. Throws: archive-unavailable. */
export async function findByClientRequestIds(
	sources: Sources,
	tenantId: string,
	ids: readonly string[],
): Promise<Map<string, InvoiceRow>> {
	const { sql } = sources;
	const keys = await sql<DocKey[]>`
		select tenant_id as "tenantId", doc_id as "docId" from (${docIdsOfClient(sql, tenantId, ids)}) n`;
	return new Map((await findStored(sources, keys)).map((row) => [row.clientRequestId ?? "", row]));
}

/** SQL of the ids of a tenant's documents under these numbers, in any environment of the authority, whether held or given back. */
export function docIdsUnder(sql: Sql | Tx, tenantId: string, encfs: readonly string[]): Piece {
	const isNumber = sql`kind in ('t', 'c', 'p') and name = any(${[...encfs]}::text[])`;
	return sql`
		select tenant_id, doc_id from names where tenant_id = ${tenantId} and ${isNumber}
		union all
		select tenant_id, doc_id from released_names where tenant_id = ${tenantId} and ${isNumber}`;
}

function docIdsOfClient(sql: Sql | Tx, tenantId: string, ids: readonly string[]): Piece {
	return sql`
		select tenant_id, doc_id from names where tenant_id = ${tenantId} and kind = 'i' and name = any(${[...ids]}::text[])`;
}

/** A tenant's documents by any of three names, oldest first. */
export async function findInvoicesByAny(
	sql: Sql | Tx,
	tenantId: string,
	names: {
		readonly docIds: readonly string[];
		readonly encfs: readonly string[];
		readonly clientRequestIds: readonly string[];
	},
): Promise<ShownInvoice[]> {
	const named = await sql<DocKey[]>`
		select tenant_id as "tenantId", doc_id as "docId"
		from (${docIdsUnder(sql, tenantId, names.encfs)} union all ${docIdsOfClient(sql, tenantId, names.clientRequestIds)}) n`;
	return findShown(sql, [...named, ...names.docIds.map((docId) => ({ tenantId, docId }))]);
}

/** The documents that hold these numbers; numbers without a holder are left out. */
export async function findHoldersOfEncfs(
	sql: Sql | Tx,
	tenantId: string,
	encfs: readonly string[],
): Promise<Map<string, string>> {
	const rows = await sql<{ encf: string; docId: string }[]>`
		select encf, doc_id as "docId" from holders_of(${tenantId}, ${[...encfs]}::text[])`;
	return new Map(rows.map((row) => [row.encf, row.docId]));
}

/** The document that holds a number. A document whose number was given back does not hold it. */
export async function findHolderOfEncf(sql: Sql | Tx, tenantId: string, encf: string): Promise<string | undefined> {
	return (await findHoldersOfEncfs(sql, tenantId, [encf])).get(encf);
}

/** What the rules for notes need of a document and of each note on it. */
export type NoteFacts = {
	readonly type: string;
	readonly encf: string;
	/** The number that a note modifies; null for the modified document itself. */
	readonly modifies: string | null;
	readonly status: Status;
	readonly signedAt: Date;
	/** As in the request. */
	readonly issueDate: string | null;
	readonly buyerRnc: string | null;
	readonly foreignBuyer: string | null;
	/** Modification code of a note. */
	readonly code: string | null;
	readonly total: string;
};

/**
 * The newest document under each of these numbers, holders first, and the notes that modify them, all in the company's environment of the authority.
 * Throws: archive-unavailable.
 */
export async function findWithNotes(
	sources: Sources,
	tenantId: string,
	encfs: readonly string[],
): Promise<NoteFacts[]> {
	const { sql } = sources;
	const isMeant = sql`n.kind = ${kindHere(sql, tenantId)} and n.name = any(${[...encfs]}::text[])`;
	const keys = await sql<(DocKey & { modifies: string | null })[]>`
		select ${tenantId}::uuid as "tenantId", newest.doc_id as "docId", null as modifies from (
			select distinct on (name) doc_id from (
				select n.name, n.doc_id, false as is_released from names n where n.tenant_id = ${tenantId} and ${isMeant}
				union all
				select n.name, n.doc_id, true from released_names n
				join documents d on d.tenant_id = n.tenant_id and d.doc_id = n.doc_id and d.test_set_id is null
				where n.tenant_id = ${tenantId} and ${isMeant}
			) under order by name, is_released, doc_id desc
		) newest
		union all
		select d.tenant_id, d.doc_id, d.modifies from documents d
		where d.tenant_id = ${tenantId} and d.modifies = any(${[...encfs]}::text[]) and d.environment = ${kindHere(sql, tenantId)}
			and d.encf <> d.modifies and exists (
				select from names n where n.tenant_id = d.tenant_id and n.kind = d.environment and n.name = d.encf and n.doc_id = d.doc_id
			)`;
	const rows = new Map((await findStored(sources, keys)).map((row) => [row.docId, row]));
	return keys.flatMap(({ docId, modifies }) => {
		const row = rows.get(docId);
		return row ? [toNoteFacts(row, modifies)] : [];
	});
}

type NoteRequest = {
	readonly issue_date?: string;
	readonly customer?: { readonly rnc?: string; readonly foreign_id?: string };
	readonly reference?: { readonly code?: string | number };
	readonly totals?: { readonly grand_total?: string };
};

function toNoteFacts(row: InvoiceRow, modifies: string | null): NoteFacts {
	const { type, encf, status, print, request, acknowledgement } = row;
	const { issue_date, customer, reference, totals } = JSON.parse(request) as NoteRequest;
	const { totalsDop } = JSON.parse(acknowledgement) as { readonly totalsDop?: { readonly grand_total?: string } };
	return {
		...{ type, encf, modifies, status, signedAt: new Date(print.signedAt) },
		...{ issueDate: issue_date ?? null, buyerRnc: customer?.rnc ?? null, foreignBuyer: customer?.foreign_id ?? null },
		code: reference?.code === undefined ? null : String(reference.code),
		total: totalsDop?.grand_total ?? totals?.grand_total ?? "0",
	};
}

/** The notes that wait for one of these documents. */
export async function findWaitingNotes(
	tx: Tx,
	documents: readonly { readonly tenantId: string; readonly encf: string }[],
): Promise<{ readonly tenantId: string; readonly subject: string }[]> {
	return tx<{ tenantId: string; subject: string }[]>`
		select d.tenant_id as "tenantId", d.doc_id as subject
		from (select distinct tenant_id from unnest(${documents.map(({ tenantId }) => tenantId)}::uuid[]) as t(tenant_id)) t
		join open_documents o on o.tenant_id = t.tenant_id and o.phase = 'held'
		join documents d on d.tenant_id = o.tenant_id and d.doc_id = o.doc_id
		where (d.tenant_id, d.modifies) in (
			select * from unnest(${documents.map(({ tenantId }) => tenantId)}::uuid[], ${documents.map(({ encf }) => encf)}::text[])
		)`;
}

/**
 * Returns a failed document to pending, in the phase that its last sending left it in (see `next-step.ts`). Documents of test sets stay failed,
 * because the set has ended, and so do documents whose number was given back.
 */
export async function reopenInvoice(tx: Tx, tenantId: string, docId: string): Promise<boolean> {
	const [failed] = await tx<{ sendings: readonly Sending[]; trackId: string | null; version: number; steps: number }[]>`
		select o.sendings, o.track_id as "trackId", o.version, (
			select coalesce(max(s.n), 0) from steps s where s.tenant_id = o.tenant_id and s.doc_id = o.doc_id and s.n > 0
		) as steps
		from open_documents o join documents d on d.tenant_id = o.tenant_id and d.doc_id = o.doc_id
		where o.tenant_id = ${tenantId} and o.doc_id = ${docId} and o.status = 'f' and d.test_set_id is null
			and o.failure ->> 'retryable' is distinct from 'false'
		for update of o`;
	if (!failed) return false;
	const version = failed.version + 1;
	const phase = phaseAfter(failed.sendings.at(-1)?.result, failed.trackId);
	const detail = "retried";
	await tx`
		update open_documents set status = 'p', phase = ${phase}, failure = null, internal_failure_since = null, detail = ${detail},
			version = ${version}, updated_at = now()
		where tenant_id = ${tenantId} and doc_id = ${docId}`;
	const entry = { version, at: new Date().toISOString(), status: "pending", phase, detail } as const;
	await tx`
		insert into steps (tenant_id, doc_id, n, body)
		values (${tenantId}, ${docId}, ${failed.steps + 1}, ${Buffer.from(writeStep({ history: [entry] }))})`;
	return true;
}

/** `result`: of the last sending; undefined before the first one. */
function phaseAfter(result: string | null | undefined, trackId: string | null): Phase {
	if (result === undefined || NOTHING_ARRIVED.has(result ?? "")) return "queued";
	return result === "received" && trackId !== null ? "tracking" : "unconfirmed";
}

/** Which of these trackIds belong to other documents that have had the number of this one. */
export async function findForeignTrackIds(
	sql: Sql | Tx,
	{ tenantId, docId, encf }: Pick<InvoiceRow, "tenantId" | "docId" | "encf">,
	trackIds: readonly string[],
): Promise<Set<string>> {
	if (trackIds.length === 0) return new Set();
	const named = await sql<DocKey[]>`
		select tenant_id as "tenantId", doc_id as "docId" from (${docIdsUnder(sql, tenantId, [encf])}) n where doc_id <> ${docId}`;
	const others = await findStandings(sql, named);
	const steps = await findSteps(sql, others);
	const foreign = new Set<string | null>([
		...others.map(({ authorityTrackId }) => authorityTrackId),
		...steps.flatMap(({ n, trackIds = [] }) => (n > 0 ? trackIds : [])),
	]);
	return new Set(trackIds.filter((trackId) => foreign.has(trackId)));
}

/** Postpones the next attempt of a document that keeps waiting for the same reason. */
export async function postponeNextAttempt(
	sql: Sql | Tx,
	{ tenantId, docId }: DocKey,
	nextAttemptInSeconds: number,
): Promise<void> {
	await sql`
		update open_documents set
			next_attempt_at = now() + make_interval(secs => ${nextAttemptInSeconds}), version = version + 1, updated_at = now()
		where tenant_id = ${tenantId} and doc_id = ${docId} and status = 'p' and next_attempt_at is not null`;
}

/** Ages the times of a tenant's undecided documents for its test clock: internal failures, contingency, next attempt. */
export async function ageInvoices(tx: Tx, tenantId: string, seconds: number): Promise<void> {
	const aged = tx`make_interval(secs => ${seconds})`;
	await tx`
		update open_documents set internal_failure_since = internal_failure_since - ${aged},
			contingency_since = contingency_since - ${aged}, next_attempt_at = next_attempt_at - ${aged}, version = version + 1
		where tenant_id = ${tenantId} and status = 'p'
			and (internal_failure_since is not null or contingency_since is not null or next_attempt_at is not null)`;
}

/** Derived column: the delivery to the buyer. Most buyers do not receive electronically, and have none. */
const delivery = (sql: Sql | Tx) => sql`(
	select json_build_object('state', b.state, 'at', b.updated_at, 'motive', b.motive, 'version', b.version)
	from buyer_deliveries b where b.tenant_id = d.tenant_id and b.doc_id = d.doc_id and b.state <> 'not-listed'
) as delivery`;

/**
 * Derived column: when the document is really tried next, if its stored time has passed. During an outage only its message is postponed. The same
 * holds for a document that the authority turned out not to have, which has no time of its own.
 */
const putOffTo = (sql: Sql | Tx) => {
	const isPutOff = sql`coalesce(o.status = 'p' and (
		o.next_attempt_at < now() or o.next_attempt_at is null and o.contingency_since is not null and o.phase <> 'held'
	), false)`;
	return sql`
	${isPutOff} as "isPutOff",
	case when ${isPutOff} then (
		select max(m.available_at) from outbox m
		where m.tenant_id = d.tenant_id and m.subject = d.doc_id and m.kind = ${OUTBOX_KINDS.submitInvoice} and m.state = 'ready' and m.available_at > now()
	) end as "putOffTo"`;
};

/** Derived column: whether the number of a rejection is used again or voided. Storing a document follows the same rule. */
const isNumberTaken = (sql: Sql | Tx) => sql`
	case when v.status = 'r' and not v.consumed then exists (
		select from names n where n.tenant_id = d.tenant_id and n.kind = d.environment and n.name = d.encf
	) or exists (
		select from sequence_voids z
		where z.tenant_id = d.tenant_id and z.type = d.type::text and z.numbers @> substr(d.encf, 4)::bigint
			and z.elsewhere is null and z.status not in ('rejected', 'failed')
	) else false end as "isNumberTaken"`;

/** The derived columns of a document `d` with its state. Each part reads more only for the few documents that need it. */
export const derivedColumns = (sql: Sql | Tx) => sql`${delivery(sql)}, ${putOffTo(sql)}, ${isNumberTaken(sql)}`;
