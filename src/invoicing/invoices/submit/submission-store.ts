/** SQL of the submission: the state that steps start from, and what they write. Each is one statement for any number of documents. */
import { SEGMENT_IN_QR_URL } from "../../../authority/client";
import type { AuthorityEnvironment } from "../../../companies";
import { type Sql, type Tx, toJsonText } from "../../../platform/database";
import { leaseParts, type Message, type Outcome } from "../../../platform/outbox";
import { typesLocked } from "../../sequences";
import type { Decision } from "../../verdicts";
import type { Scenario } from "../check/scenario";
import type { AuthorityAnswerRow } from "../model/file-store";
import { type DocKey, type InvoiceRow, listKeys, type Phase } from "../model/invoice-row";
import { columns, refersToOwn } from "../model/store";
import type { Channel } from "./authority-availability";

/** A sending, which begins with an intent. Without a result its outcome is unknown. */
export type Submission = {
	readonly n: number;
	readonly result: string | null;
	readonly intentAt: Date;
	/** By the database's clock, which dated it. Units: seconds, when the state was read. */
	readonly ageSeconds: number;
};

export type SubmissionState = {
	readonly invoice: InvoiceRow;
	/** Seconds since the last change, by the database's clock. */
	readonly inPhaseSeconds: number;
	readonly submissions: readonly Submission[];
	/** The bytes for the authority; present while the document waits to be sent. */
	readonly signed: SignedBytes | null;
	readonly channel: Channel;
	/** For a note that waits to be sent: the state of the tenant's own document that it modifies. */
	readonly reference: Reference | null;
	/** The scenario that the caller chose, in a sandbox. */
	readonly scenario: Scenario | null;
	readonly authorityEnvironment: AuthorityEnvironment;
};

/** `isReleased`: its number was given back, so another document may use it. `isFinal`: it failed and cannot be retried. */
export type Reference = {
	readonly status: InvoiceRow["status"];
	readonly isReleased: boolean;
	readonly isFinal: boolean;
};

export type SignedBytes = { readonly kind: "ecf" | "summary"; readonly bytes: Uint8Array };

type SubmissionStateRow = InvoiceRow & {
	readonly inPhaseSeconds: number;
	readonly submissions: { n: number; result: string | null; intentAt: string; ageSeconds: number }[];
	readonly signedKind: SignedBytes["kind"] | null;
	readonly signedBytes: Uint8Array | null;
	readonly isSummary: boolean;
	readonly reference: Reference | null;
	readonly scenario: Scenario | null;
	readonly authorityEnvironment: AuthorityEnvironment;
};

/** The states of these documents, in their order. */
export async function findSubmissionStates(
	sql: Sql | Tx,
	keys: readonly DocKey[],
): Promise<(SubmissionState | undefined)[]> {
	const rows = await sql<SubmissionStateRow[]>`
		select ${columns(sql)},
			extract(epoch from now() - i.updated_at)::float8 as "inPhaseSeconds",
			coalesce((
				select json_agg(json_build_object(
					'n', s.n, 'result', s.result, 'intentAt', s.intent_at, 'ageSeconds', extract(epoch from now() - s.intent_at)::float8
				) order by s.n)
				from submissions s where s.tenant_id = i.tenant_id and s.doc_id = i.doc_id
			), '[]'::json) as submissions,
			d.kind as "signedKind", d.bytes as "signedBytes",
			exists (
				select 1 from signed_documents z where z.tenant_id = i.tenant_id and z.doc_id = i.doc_id and z.kind = 'summary'
			) as "isSummary",
			case when r.status is not null then
				json_build_object('status', r.status, 'isReleased', r.released, 'isFinal', r.final) end as reference,
			(select x.scenario from sandbox_scenarios x where x.tenant_id = i.tenant_id and x.doc_id = i.doc_id) as scenario,
			(select c.authority_environment from companies c where c.tenant_id = i.tenant_id) as "authorityEnvironment"
		from ${listKeys(sql, keys)} join invoices i using (tenant_id, doc_id)
		left join lateral (
			select kind, bytes from signed_documents y
			where y.tenant_id = i.tenant_id and y.doc_id = i.doc_id and i.phase in ('queued', 'held', 'sending') order by kind desc limit 1
		) d on true
		left join lateral (
			select r.status, r.released, r.final
			from (select i.request::json #>> '{reference,encf}' as encf) modified
			cross join lateral (
				${holderOf(sql, sql`not r.encf_released`)} union all ${holderOf(sql, sql`r.encf_released`)}
			) r
			where i.type in ('33', '34') and i.phase in ('queued', 'held') and ${refersToOwn(sql, sql`i.request::json`)}
			order by r.released limit 1
		) r on true`;
	const byId = new Map(rows.map((row) => [row.docId, toSubmissionState(row)]));
	return keys.map(({ docId }) => byId.get(docId));
}

/**
 * The newest document under a note's `modified` number, in the authority's environment that the note's QR address names. Held and released
 * numbers have an index each, so each has its own query. A number that the company's move set aside does not count as given back.
 */
function holderOf(sql: Sql | Tx, isMeant: ReturnType<Sql>): ReturnType<Sql> {
	const segment = (row: ReturnType<Sql>) => sql`substring(${row}.print ->> 'qrUrl' from ${SEGMENT_IN_QR_URL}::text)`;
	return sql`(
		select r.status, r.encf_released and not r.encf_elsewhere as released,
			coalesce(r.failure ->> 'retryable' = 'false', false) as final
		from invoices r
		where ${isMeant} and r.tenant_id = i.tenant_id and r.encf = modified.encf and r.doc_id <> i.doc_id
			and ${segment(sql`r`)} is not distinct from ${segment(sql`i`)}
			and r.test_set_id is not distinct from i.test_set_id
		order by r.doc_id desc limit 1)`;
}

function toSubmissionState({
	inPhaseSeconds,
	submissions,
	signedKind,
	signedBytes,
	isSummary,
	reference,
	scenario,
	authorityEnvironment,
	...invoice
}: SubmissionStateRow): SubmissionState {
	return {
		invoice,
		inPhaseSeconds,
		submissions: submissions.map(({ intentAt, ...submission }) => ({ ...submission, intentAt: new Date(intentAt) })),
		signed: signedKind && signedBytes && { kind: signedKind, bytes: signedBytes },
		// A summary goes to a host of its own. Source: the authority's rule for type 32 below RD$250,000.
		channel: isSummary ? "fc" : "main",
		reference,
		scenario,
		authorityEnvironment,
	};
}

/** The next state of an undecided document. */
export type Move = {
	readonly phase: Phase;
	readonly authorityTrackId?: string;
	readonly countsAttempt?: boolean;
	/** `start` keeps an earlier start. */
	readonly contingency?: "start" | "end";
	readonly nextAttemptInSeconds?: number;
	/** Keeps the time of an ongoing internal failure running. */
	readonly goesOnFailing?: boolean;
	readonly detail: string;
};

/** What one step writes. If the lease is lost, only the answers are kept, as evidence. */
export type StepWrite = {
	readonly message: Message;
	readonly docId: string;
	readonly answers?: readonly AuthorityAnswerRow[];
	readonly opensSubmission?: boolean;
	readonly finishes?: { readonly n: number; readonly result: string; readonly detail: string | null };
	/** The authority's trackIds for this document; one that another document has stays with it. */
	readonly trackIds?: readonly string[];
	/** A state that the document passes on its way to `to`. Only its history records it. */
	readonly through?: Pick<Move, "phase" | "authorityTrackId" | "detail">;
	readonly to?: Move | Decision;
	readonly outcome?: Outcome;
};

export type StepWritten = {
	/** False if the lease has passed to another holder. */
	readonly isHeld: boolean;
	readonly n: number | null;
	/** The document's new version; null when it was no longer pending. */
	readonly version: number | null;
	/** The authority is out of reach for this document, for the first time. */
	readonly startsContingency: boolean;
};

/**
 * Writes steps of different documents in one statement; each succeeds or is refused on its own. Its parts act on messages that are still leased
 * (`held`). The movable status is a column, because with a constant the planner compares each document with each step.
 */
export async function writeSteps(tx: Sql | Tx, writes: readonly StepWrite[]): Promise<StepWritten[]> {
	const isSeveral = writes.filter(({ to }) => to && "status" in to && to.releasesEncf).length > 1;
	const rows = await tx<(StepWritten & { id: string })[]>`
		with ${leaseParts(tx, writes)}, step as materialized (
			select w.*, h.id is not null as held, 'pending'::text as movable
			from json_to_recordset(${toJsonText(writes.map(toColumns))}::text::json) as w(
				id uuid, tenant_id uuid, doc_id uuid, answers json, opens bool, n int, result text, note text, track_ids json,
				moves bool, status text, phase text, track_id text, counts int, contingency text, next_after float8, failing bool,
				authority json, failure json, releases bool, at timestamptz, detail text, through_phase text, through_detail text
			)
			left join held h using (id)
		), evidence as (
			insert into authority_answers (tenant_id, doc_id, at, operation, http_status, media_type, body)
			select s.tenant_id, s.doc_id, a.at, a.operation, a."httpStatus", a."mediaType", a.body
			from step s cross join lateral json_to_recordset(s.answers)
				as a(at timestamptz, operation text, "httpStatus" int, "mediaType" text, body text)
		), opened as (
			insert into submissions (tenant_id, doc_id, n)
			select s.tenant_id, s.doc_id, coalesce((
				select max(p.n) from submissions p where p.tenant_id = s.tenant_id and p.doc_id = s.doc_id
			), 0) + 1
			from step s where s.held and s.opens
			returning doc_id, n
		), finished as (
			update submissions p set result = s.result, detail = s.note, finished_at = now()
			from step s
			where s.held and p.tenant_id = s.tenant_id and p.doc_id = s.doc_id and p.n = s.n
		), tracked as (
			insert into authority_track_ids (tenant_id, track_id, doc_id)
			select s.tenant_id, t.id, s.doc_id from step s cross join lateral json_array_elements_text(s.track_ids) as t(id)
			where s.held
			on conflict (tenant_id, track_id) do nothing
		), before as materialized (
			select i.doc_id, i.contingency_told from step s join invoices i using (tenant_id, doc_id)
			where s.contingency = 'start'
		)${isSeveral ? releasedTypes(tx) : tx``}, changed as (
			update invoices i set
				status = coalesce(s.status, i.status), phase = s.phase,
				authority_track_id = coalesce(s.track_id, i.authority_track_id),
				authority = coalesce(s.authority, i.authority), failure = coalesce(s.failure, i.failure),
				encf_released = i.encf_released or s.releases, encf_elsewhere = i.encf_elsewhere and not s.releases,
				attempts = i.attempts + s.counts,
				contingency_since = case s.contingency
					when 'start' then coalesce(i.contingency_since, now()) when 'end' then null else i.contingency_since end,
				contingency_told = i.contingency_told or s.contingency is not distinct from 'start',
				next_attempt_at = now() + make_interval(secs => s.next_after),
				internal_failure_since = case when s.status is null and not s.failing then null else i.internal_failure_since end,
				version = i.version + case when s.through_phase is null then 1 else 2 end, updated_at = coalesce(s.at, now()), decided_at = coalesce(s.at, i.decided_at)
			from step s
			where s.held and s.moves and i.tenant_id = s.tenant_id and i.doc_id = s.doc_id and i.status = s.movable
				${isSeveral ? tx`and (select count(*) from released_types) is not null` : tx``}
			returning i.tenant_id, i.doc_id, i.version, i.status, i.phase, s.detail, s.contingency, s.through_phase, s.through_detail
		), recorded as (
			insert into invoice_history (tenant_id, doc_id, version, status, phase, detail)
			select tenant_id, doc_id, version, status, phase, detail from changed
			union all
			select tenant_id, doc_id, version - 1, 'pending', through_phase, through_detail from changed where through_phase is not null
		)
		select s.id, s.held as "isHeld", o.n, c.version,
			coalesce(c.contingency = 'start' and not b.contingency_told, false) as "startsContingency"
		from step s
		left join opened o using (doc_id)
		left join changed c using (doc_id)
		left join before b using (doc_id)`;
	const byId = new Map(rows.map(({ id, ...written }) => [id, written]));
	return writes.map(({ message }) => byId.get(message.id) ?? LOST);
}

/**
 * A trigger at the end of the statement frees the numbers that are given back, under the lock of their type and in the order of its rows. For
 * several numbers the locks are taken here, in the common order, to avoid deadlocks.
 */
function releasedTypes(sql: Sql | Tx): ReturnType<Sql> {
	const which: ReturnType<Sql> = sql`
		select i.tenant_id, i.type from step s join invoices i using (tenant_id, doc_id)
		where s.held and s.releases`;
	return sql`, released_types as materialized (${typesLocked(sql, which)})`;
}

const LOST: StepWritten = { isHeld: false, n: null, version: null, startsContingency: false };

function toColumns(step: StepWrite) {
	const { message, docId, answers = [], opensSubmission = false, finishes, trackIds = [], through, to } = step;
	return {
		id: message.id,
		tenant_id: message.tenantId,
		doc_id: docId,
		answers,
		opens: opensSubmission,
		n: finishes?.n ?? null,
		result: finishes?.result ?? null,
		note: cut(finishes?.detail ?? null),
		track_ids: trackIds,
		moves: to !== undefined,
		...(to && ("status" in to ? toFinalColumns(to) : toMoveColumns(to))),
		...(through && {
			track_id: through.authorityTrackId ?? null,
			through_phase: through.phase,
			through_detail: cut(through.detail),
		}),
	};
}

function toMoveColumns(move: Move) {
	const { phase, authorityTrackId, countsAttempt, contingency, nextAttemptInSeconds, goesOnFailing, detail } = move;
	return {
		phase,
		track_id: authorityTrackId ?? null,
		counts: countsAttempt ? 1 : 0,
		contingency: contingency ?? null,
		next_after: nextAttemptInSeconds ?? null,
		failing: goesOnFailing ?? false,
		releases: false,
		detail: cut(detail),
	};
}

function toFinalColumns({ status, authority, failure, releasesEncf, at, detail }: Decision) {
	return {
		status,
		phase: "decided",
		counts: 0,
		contingency: "end",
		authority,
		failure,
		releases: releasesEncf,
		at,
		detail: cut(detail),
	};
}

const DETAIL_MAX = 500;

function cut(detail: string | null): string | null {
	return detail?.slice(0, DETAIL_MAX) ?? null;
}
