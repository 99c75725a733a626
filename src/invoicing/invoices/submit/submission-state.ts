/** SQL of the state that the steps of a submission start from, for any number of documents. */
import type { AuthorityEnvironment } from "../../../companies";
import type { Sql, Tx } from "../../../platform/database";
import type { Scenario } from "../check/scenario";
import type { DocKey, InvoiceRow, Phase } from "../model/invoice-row";
import {
	documentsOf,
	type IsNear,
	nearTo,
	paperColumns,
	paperJoins,
	type Sending,
	type StoredPapers,
	sendingsOf,
	stateJoins,
	statusOf,
	toInvoiceRow,
} from "../model/stored-document";
import type { Channel } from "./authority-availability";

/** A sending with its age when the state was read. Units: seconds. */
export type Submission = Pick<Sending, "n" | "result"> & { readonly intentAt: Date; readonly ageSeconds: number };

export type SubmissionState = {
	readonly invoice: InvoiceRow;
	/** Seconds since the last change, by the database's clock. */
	readonly inPhaseSeconds: number;
	readonly submissions: readonly Submission[];
	/** The bytes for the authority. */
	readonly signed: SignedBytes;
	readonly channel: Channel;
	/** For a note that waits to be sent: the state of the tenant's own document that it modifies. */
	readonly reference: Reference | null;
	/** The scenario that the caller chose, in a sandbox. */
	readonly scenario: Scenario | null;
	readonly authorityEnvironment: AuthorityEnvironment;
	readonly place: Place;
};

/** `isReleased`: its number was given back, so another document may use it. `isFinal`: it failed and cannot be retried. */
export type Reference = {
	readonly status: InvoiceRow["status"];
	readonly isReleased: boolean;
	readonly isFinal: boolean;
};

export type SignedBytes = { readonly kind: "ecf" | "summary"; readonly bytes: Uint8Array };

/** Where a document stands: what its next step continues. Only the holder of its message moves it. */
export type Place = {
	/** How many steps are stored. */
	readonly steps: number;
	readonly version: number;
	readonly attempts: number;
	readonly phase: Phase;
	readonly trackId: string | null;
	readonly sendings: readonly Sending[];
	/** Of the newest entry of the history; null after the first one. */
	readonly detail: string | null;
};

type StateRow = StoredPapers & {
	readonly hasSummary: boolean;
	readonly modifies: string | null;
	readonly steps: number;
	readonly inPhaseSeconds: number | null;
	readonly authorityEnvironment: AuthorityEnvironment;
};

/** The states of these documents, in their order. */
export async function findSubmissionStates(
	sql: Sql | Tx,
	keys: readonly DocKey[],
	now = new Date(),
): Promise<(SubmissionState | undefined)[]> {
	const isNear = nearTo(sql, keys);
	const rows = await sql<StateRow[]>`
		select ${paperColumns(sql, isNear)}, d.has_summary as "hasSummary", d.modifies,
			case when v.doc_id is null then (
				select coalesce(max(s.n), 0) from steps s
				where s.tenant_id = d.tenant_id and s.doc_id = d.doc_id and s.n > 0 and ${isNear(sql`s.doc_id`)}
			) else 0 end as steps,
			extract(epoch from now() - o.updated_at)::float8 as "inPhaseSeconds",
			(select c.authority_environment from companies c where c.tenant_id = d.tenant_id) as "authorityEnvironment"
		from ${documentsOf(sql, keys, isNear)} ${paperJoins(sql, isNear)}`;
	const waiting = rows.filter(({ modifies, verdict, phase }) => modifies !== null && !verdict && isUnsent(phase));
	const references = waiting.length === 0 ? undefined : await findReferences(sql, waiting);
	const byId = new Map(rows.map((row) => [row.docId, toSubmissionState(row, references?.get(row.docId), now)]));
	return keys.map(({ docId }) => byId.get(docId));
}

const isUnsent = (phase: Phase | null) => phase === null || phase === "queued" || phase === "held";

/**
 * The newest document under the number that each of these notes modifies, in the environment of the authority that the note was signed for, holders
 * first.
 */
async function findReferences(sql: Sql | Tx, notes: readonly DocKey[]): Promise<Map<string, Reference>> {
	const isNear = nearTo(sql, notes);
	// Their ids first, because with their range the partitions of other months stay closed.
	const meant = await sql<Pick<DocKey, "docId">[]>`
		select u.doc_id as "docId" from ${documentsOf(sql, notes, isNear)} cross join lateral (${meantBy(sql)}) u`;
	if (meant.length === 0) return new Map();
	const rows = await sql<(Reference & { docId: string })[]>`
		select d.doc_id as "docId", r.status, r."isReleased", r."isFinal" from ${documentsOf(sql, notes, isNear)}
		cross join lateral (${referenceOf(sql, nearTo(sql, meant))}) r`;
	return new Map(rows.map(({ docId, ...reference }) => [docId, reference]));
}

/** SQL of the documents that have, or had, the number that a note `d` modifies. */
function meantBy(sql: Sql | Tx): ReturnType<Sql> {
	const isMeant = sql`u.kind = d.environment and u.name = d.modifies and u.doc_id <> d.doc_id`;
	return sql`
		select d.test_set_id as wanted_set, u.tenant_id, u.doc_id, false as is_released from names u where u.tenant_id = d.tenant_id and ${isMeant}
		union all
		select d.test_set_id, u.tenant_id, u.doc_id, true from released_names u where u.tenant_id = d.tenant_id and ${isMeant}`;
}

/** SQL of the reference of a note `d`. The inner documents are `d` in their turn. */
function referenceOf(sql: Sql | Tx, isNear: IsNear): ReturnType<Sql> {
	return sql`
		select ${statusOf(sql)} as status, h.is_released as "isReleased", coalesce(o.failure ->> 'retryable' = 'false', false) as "isFinal"
		from (${meantBy(sql)}) h
		join documents d on d.tenant_id = h.tenant_id and d.doc_id = h.doc_id and ${isNear(sql`d.doc_id`)}
			and d.test_set_id is not distinct from h.wanted_set
		${stateJoins(sql, isNear)}
		order by h.is_released, h.doc_id desc limit 1`;
}

/** Undefined for a decided document whose papers were dropped. */
function toSubmissionState(stored: StateRow, reference: Reference | undefined, now: Date): SubmissionState | undefined {
	const { hasSummary, inPhaseSeconds, authorityEnvironment, steps, detail } = stored;
	const whole = toInvoiceRow(stored);
	if (!whole) return undefined;
	const { row: invoice, papers } = whole;
	const { version, attempts, phase, authorityTrackId: trackId } = invoice;
	const sendings = sendingsOf(stored);
	const kind = hasSummary ? "summary" : "ecf";
	return {
		invoice,
		inPhaseSeconds: inPhaseSeconds ?? 0,
		submissions: sendings.map(({ n, result, at }) => {
			const intentAt = new Date(at);
			return { n, result, intentAt, ageSeconds: (now.getTime() - intentAt.getTime()) / 1000 };
		}),
		signed: { kind, bytes: Buffer.from(papers[kind] ?? "") },
		// A summary goes to a host of its own. Source: the authority's rule for type 32 below RD$250,000.
		channel: hasSummary ? "fc" : "main",
		reference: reference ?? null,
		scenario: papers.scenario ?? null,
		authorityEnvironment,
		place: { steps, version, attempts, phase, trackId, sendings, detail },
	};
}
