/**
 * SQL of what the submission's steps write: one statement for any number of steps. Its parts act only on messages that are still held (`held`); answers of
 * the authority are evidence and are kept in any case. All parts commit together or not at all.
 */
import { type Sql, type Tx, toJsonText } from "../../../platform/database";
import { heldParts, type Message, type Outcome } from "../../../platform/outbox";
import { typesLocked } from "../../sequences";
import type { AuthorityAnswerRow } from "../model/file-store";
import type { Phase, Status } from "../model/invoice-row";

/** Where an undecided document gets to. */
export type Move = {
	readonly phase: Phase;
	readonly authorityTrackId?: string;
	readonly countsAttempt?: boolean;
	/** `start` keeps an earlier start. */
	readonly contingency?: "start" | "end";
	readonly nextAttemptInSeconds?: number;
	/** A failure on our side that may go on is not over with this: its time runs on. */
	readonly goesOnFailing?: boolean;
	readonly detail: string;
};

/** A final state. */
export type Decision = {
	readonly status: Exclude<Status, "pending">;
	readonly authority: Readonly<Record<string, unknown>> | null;
	readonly failure: Readonly<Record<string, unknown>> | null;
	readonly releasesEncf: boolean;
	readonly at: Date;
	readonly detail: string;
};

/** What one step writes: everything, or nothing but the answers when the message has passed to another holder. */
export type StepWrite = {
	readonly message: Message;
	readonly docId: string;
	readonly answers?: readonly AuthorityAnswerRow[];
	/** Bytes are about to be sent. */
	readonly opensSubmission?: boolean;
	readonly finishes?: { readonly n: number; readonly result: string; readonly detail: string | null };
	/** The authority's names for this document; one that another document holds stays with it. */
	readonly trackIds?: readonly string[];
	/** What the document went through on its way to `to`; in its history it is told, in its row it is passed. */
	readonly through?: Pick<Move, "phase" | "authorityTrackId" | "detail">;
	readonly to?: Move | Decision;
	/** Settles the message. */
	readonly outcome?: Outcome;
};

export type StepWritten = {
	/** False: the lease has passed to another holder. */
	readonly isHeld: boolean;
	/** The number of the submission that was opened. */
	readonly n: number | null;
	/** The document's new version; null when it was no longer pending. */
	readonly version: number | null;
	/** The authority is out of reach for this document, and nobody has been told yet. */
	readonly startsContingency: boolean;
};

/**
 * Writes steps of different documents. Each is refused or carried out for itself. Which status may move is a column: of a constant the planner
 * expects one document that has it, and then compares each document with each step.
 */
export async function writeSteps(tx: Sql | Tx, writes: readonly StepWrite[]): Promise<StepWritten[]> {
	const docIds = tx`any(${writes.map(({ docId }) => docId)}::uuid[])`;
	const isSeveral = writes.filter(({ to }) => to && "status" in to && to.releasesEncf).length > 1;
	const rows = await tx<(StepWritten & { id: string })[]>`
		with ${heldParts(tx, writes)}, step as materialized (
			select w.*, h.id is not null as held, 'pending'::text as movable
			from json_to_recordset(${toJsonText(writes.map(toColumns))}::text::json) as w(
				id uuid, doc_id uuid, answers json, opens bool, n int, result text, note text, track_ids json,
				moves bool, status text, phase text, track_id text, counts int, contingency text, next_after float8, failing bool,
				authority json, failure json, releases bool, at timestamptz, detail text, through_phase text, through_detail text
			)
			left join held h using (id)
		), evidence as (
			insert into authority_answers (doc_id, at, operation, http_status, media_type, body)
			select s.doc_id, a.at, a.operation, a."httpStatus", a."mediaType", a.body
			from step s cross join lateral json_to_recordset(s.answers)
				as a(at timestamptz, operation text, "httpStatus" int, "mediaType" text, body text)
		), opened as (
			insert into submissions (doc_id, n)
			select s.doc_id, coalesce((select max(p.n) from submissions p where p.doc_id = s.doc_id), 0) + 1
			from step s where s.held and s.opens
			returning doc_id, n
		), finished as (
			update submissions p set result = s.result, detail = s.note, finished_at = now()
			from step s where p.doc_id = ${docIds} and s.held and p.doc_id = s.doc_id and p.n = s.n
		), tracked as (
			insert into authority_track_ids (track_id, doc_id)
			select t.id, s.doc_id from step s cross join lateral json_array_elements_text(s.track_ids) as t(id)
			where s.held
			on conflict (track_id) do nothing
		), before as materialized (
			select i.doc_id, i.contingency_told from invoices i join step s using (doc_id)
			where i.doc_id = ${docIds} and s.contingency = 'start'
		)${isSeveral ? releasedTypes(tx, writes) : tx``}, changed as (
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
			where i.doc_id = ${docIds} and s.held and s.moves and i.doc_id = s.doc_id and i.status = s.movable
				${isSeveral ? tx`and (select count(*) from released_types) is not null` : tx``}
			returning i.doc_id, i.version, i.status, i.phase, s.detail, s.contingency, s.through_phase, s.through_detail
		), told as (
			insert into invoice_history (doc_id, version, status, phase, detail)
			select doc_id, version, status, phase, detail from changed
			union all
			select doc_id, version - 1, 'pending', through_phase, through_detail from changed where through_phase is not null
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
 * Numbers that are given back are made free under the lock of their type, by a trigger at the end of the statement and in the order of its rows. Where
 * there are several the locks are taken before, in the order of all who take several; of a single one there is none.
 */
function releasedTypes(sql: Sql | Tx, writes: readonly StepWrite[]): ReturnType<Sql> {
	const which: ReturnType<Sql> = sql`
		select i.tenant_id, i.type from invoices i join step s using (doc_id)
		where i.doc_id = any(${writes.map(({ docId }) => docId)}::uuid[]) and s.held and s.releases`;
	return sql`, released_types as materialized (${typesLocked(sql, which)})`;
}

const LOST: StepWritten = { isHeld: false, n: null, version: null, startsContingency: false };

function toColumns(step: StepWrite) {
	const { message, docId, answers = [], opensSubmission = false, finishes, trackIds = [], through, to } = step;
	return {
		id: message.id,
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
