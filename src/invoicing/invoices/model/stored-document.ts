/**
 * Documents `d` with what has become of them, and the rows that follow from it. A document without verdict `v` and without a row `o` of open documents
 * waits for its first sending, or is in it.
 */
import type { PendingQuery, Row } from "postgres";
import type { ReadSealed } from "../../../archive";
import type { Warning } from "../../../ecf/mapping";
import type { Sql, Tx } from "../../../platform/database";
import {
	AWAITING_CERTIFICATE,
	type DocKey,
	type InvoiceRow,
	listKeys,
	type Phase,
	type Standing,
	type StatusRow,
} from "./invoice-row";
import { type Papers, readPapers, readSealedPapers } from "./papers";
import { readStep } from "./steps";

type Piece = PendingQuery<Row[]>;

/** A sending, which begins with an intent. Without a result its outcome is unknown. `at`: ISO. */
export type Sending = { readonly n: number; readonly at: string; readonly result: string | null };

/** Results of a sending that prove that the authority does not have the document. */
export const NOTHING_ARRIVED: ReadonlySet<string> = new Set(["not-sent", "not-found", "refused", "retryable"]);

/** A document as it is read. Of a decided one `open` is null, of one that takes long or has failed `verdict` is. */
export type StoredDocument = {
	readonly docId: string;
	readonly tenantId: string;
	readonly type: string;
	readonly encf: string;
	readonly clientRequestId: string | null;
	readonly receivedAt: Date;
	/** Null if there are none. */
	readonly warnings: readonly Warning[] | null;
	readonly testSetId: string | null;
	readonly version: number | null;
	readonly attempts: number | null;
	readonly verdict: "a" | "r" | null;
	readonly decidedAt: Date | null;
	readonly consumed: boolean | null;
	readonly code: string | null;
	readonly more: Readonly<Record<string, unknown>> | null;
	readonly open: "p" | "f" | null;
	readonly phase: Phase | null;
	readonly authorityTrackId: string | null;
	readonly sendings: readonly Sending[] | null;
	readonly contingencySince: Date | null;
	readonly isFailing: boolean | null;
	readonly nextAttemptAt: Date | null;
	readonly failure: Readonly<Record<string, unknown>> | null;
	readonly detail: string | null;
	readonly updatedAt: Date | null;
	/** The step that began its first sending, if it is nowhere else. */
	readonly firstStep: Uint8Array | null;
};
/** `paper`: null once it was dropped, because the document is in the archive. */
export type StoredPapers = StoredDocument & { readonly paper: Uint8Array | null };

/** The database, and the archive for what it does not hold any more. */
export type Sources = { readonly sql: Sql | Tx; readonly readSealed: ReadSealed };

/** SQL of the step that began the first sending of a document `d`. */
const firstStep = (sql: Sql | Tx, isNear: IsNear): Piece => sql`
	(select s.body from steps s where s.tenant_id = d.tenant_id and s.doc_id = d.doc_id and s.n = 1 and ${isNear(sql`s.doc_id`)})`;

/**
 * SQL of the columns of a `StoredDocument`. `isNear` names the range of the documents' ids, where it is known. `step`: where the first step is read
 * from.
 */
export const stateColumns = (
	sql: Sql | Tx,
	isNear: IsNear = () => sql`true`,
	step = firstStep(sql, isNear),
): Piece => sql`
	d.doc_id as "docId", d.tenant_id as "tenantId", d.type::text as type, d.encf, d.client_request_id as "clientRequestId",
	d.received_at as "receivedAt", d.test_set_id as "testSetId", d.warnings,
	coalesce(v.version, o.version) as version, coalesce(v.attempts, o.attempts) as attempts,
	v.status as verdict, v.decided_at as "decidedAt", v.consumed, v.code, v.more,
	o.status as open, o.phase, coalesce(v.track_id, o.track_id) as "authorityTrackId", o.sendings, o.contingency_since as "contingencySince",
	o.internal_failure_since is not null as "isFailing", o.next_attempt_at as "nextAttemptAt", o.failure, o.detail, o.updated_at as "updatedAt",
	case when v.doc_id is null and o.doc_id is null then ${step} end as "firstStep"`;

/** SQL of the columns of a `StoredPapers`. */
export const paperColumns = (sql: Sql | Tx, isNear: IsNear): Piece =>
	sql`${stateColumns(sql, isNear)}, p.body as paper`;

/** SQL of a document's status. */
export const statusOf = (sql: Sql | Tx): Piece => sql`
	case v.status when 'a' then 'accepted' when 'r' then 'rejected' else case o.status when 'f' then 'failed' else 'pending' end end`;

/**
 * SQL that joins verdict and row of open documents to documents `d`. Limits, because the planner takes partitions that are new for empty and would
 * read the whole range for each document.
 */
export const stateJoins = (sql: Sql | Tx, isNear: IsNear = () => sql`true`): Piece => sql`
	left join lateral (
		select * from verdicts v where v.tenant_id = d.tenant_id and v.doc_id = d.doc_id and ${isNear(sql`v.doc_id`)} limit 1
	) v on true
	left join lateral (select * from open_documents o where o.tenant_id = d.tenant_id and o.doc_id = d.doc_id limit 1) o on true`;

/** The same with the papers. */
export const paperJoins = (sql: Sql | Tx, isNear: IsNear): Piece => sql`
	${stateJoins(sql, isNear)}
	left join papers p on p.tenant_id = d.tenant_id and p.doc_id = d.doc_id and ${isNear(sql`p.doc_id`)}`;

/** SQL of a condition on a column of ids. */
export type IsNear = (column: Piece) => Piece;

/** SQL of whether a column of ids lies among these: the partitions outside of their range are not opened. */
export function nearTo(sql: Sql | Tx, keys: readonly Pick<DocKey, "docId">[]): IsNear {
	const ids = keys.map(({ docId }) => docId).toSorted();
	const [first = null, last = null] = [ids[0], ids.at(-1)];
	return (column) => sql`${column} between ${first}::uuid and ${last}::uuid`;
}

/** SQL of these documents as `d`, each once, to join with. */
export function documentsOf(sql: Sql | Tx, keys: readonly DocKey[], isNear: IsNear): Piece {
	return sql`${listKeys(sql, keys)} join documents d on d.tenant_id = w.tenant_id and d.doc_id = w.doc_id and ${isNear(sql`d.doc_id`)}`;
}

/** SQL of the kind of the numbers that a company's documents take now. */
export function kindHere(sql: Sql | Tx, tenantId: string): Piece {
	return sql`(select left(c.authority_environment, 1)::"char" from companies c where c.tenant_id = ${tenantId})`;
}

/** What is known of a document without its papers. */
export function toStatusRow(document: StoredDocument): StatusRow {
	const { docId, tenantId, type, encf, clientRequestId, receivedAt, testSetId, warnings } = document;
	return {
		...{
			docId,
			trackId: docId,
			tenantId,
			type,
			encf,
			clientRequestId,
			receivedAt,
			testSetId,
			warnings: warnings ?? [],
		},
		...toStanding(document),
	};
}

export type WholeDocument = { readonly row: InvoiceRow; readonly papers: Papers };

/** A document with its papers; undefined if they were dropped. */
export function toInvoiceRow(document: StoredPapers): WholeDocument | undefined {
	return document.paper === null ? undefined : withPapers(document, readPapers(document.paper));
}

/** A document with its papers, wherever they are. Throws: archive-unavailable. */
export async function readWhole({ readSealed }: Sources, document: StoredPapers): Promise<WholeDocument> {
	return toInvoiceRow(document) ?? withPapers(document, readSealedPapers(await readSealed(document)));
}

function withPapers(document: StoredPapers, papers: Papers): WholeDocument {
	const { request, acknowledgement, print, registry } = papers;
	return { row: { ...toStatusRow(document), request, acknowledgement, print, registry }, papers };
}

/** The sendings of an undecided document, oldest first. */
export function sendingsOf({ sendings, firstStep }: StoredDocument): readonly Sending[] {
	if (sendings) return sendings;
	const intent = firstStep ? readStep(firstStep).intent : undefined;
	return intent ? [{ ...intent, result: null }] : [];
}

const DECIDED = { phase: "decided", failure: null, contingencySince: null, nextAttemptAt: null } as const;

function toStanding(document: StoredDocument): Standing {
	const { verdict, open, receivedAt, authorityTrackId, version, attempts, decidedAt, updatedAt } = document;
	if (verdict && decidedAt) {
		const status = verdict === "a" ? "accepted" : "rejected";
		const counted = { version: version ?? 1, attempts: attempts ?? 0 };
		const authority = toAuthority(document, decidedAt);
		return { ...DECIDED, ...counted, status, authority, authorityTrackId, updatedAt: decidedAt, decidedAt };
	}
	if (!open || !updatedAt) {
		const [sending] = sendingsOf(document);
		const state = sending
			? ({ phase: "sending", version: 2, attempts: 1, updatedAt: new Date(sending.at) } as const)
			: ({ phase: "queued", version: 1, attempts: 0, updatedAt: receivedAt } as const);
		return { ...DECIDED, ...state, status: "pending", authority: null, authorityTrackId: null, decidedAt: null };
	}
	const { phase, contingencySince, nextAttemptAt, failure, detail, isFailing } = document;
	return {
		...{ authorityTrackId, authority: null, failure, contingencySince, nextAttemptAt, updatedAt },
		...{ version: version ?? 1, attempts: attempts ?? 0, phase: phase ?? "queued" },
		...(open === "f"
			? { status: "failed", decidedAt: updatedAt }
			: {
					...{ status: "pending", decidedAt: null },
					awaitsCertificate: nextAttemptAt !== null && !isFailing && detail === AWAITING_CERTIFICATE,
				}),
	};
}

/** The verdict as it is shown, in the order of its members. */
function toAuthority({ verdict, authorityTrackId, code, consumed, more }: StoredDocument, decidedAt: Date) {
	const trackId = authorityTrackId === null ? {} : { trackId: authorityTrackId };
	const said = { ...trackId, ...(code === null ? {} : { code }), sequenceConsumed: consumed ?? true };
	const { messages = [], warnings = [], ...rest } = more ?? {};
	return verdict === "a"
		? { approvedAt: decidedAt.toISOString(), ...said, ...rest, warnings }
		: { ...said, ...rest, messages };
}
