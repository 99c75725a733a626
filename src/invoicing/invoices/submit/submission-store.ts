/** SQL of what the steps of a submission write. Each is one statement for any number of documents. */
import { type Sql, type Tx, toJsonText } from "../../../platform/database";
import { leaseParts, type Message, type Outcome } from "../../../platform/outbox";
import type { Decision } from "../../verdicts";
import type { AuthorityAnswerRow } from "../model/file-store";
import type { DocKey, Phase } from "../model/invoice-row";
import { type Step, writeStep } from "../model/steps";
import { nearTo, type Sending } from "../model/stored-document";
import type { Place } from "./submission-state";

/** The next state of an undecided document. */
export type Move = {
	readonly phase: Phase;
	readonly authorityTrackId?: string;
	readonly countsAttempt?: boolean;
	/** `start` keeps an earlier start. */
	readonly contingency?: "start" | "end";
	readonly nextAttemptInSeconds?: number;
	/** The time of an internal failure begins, or goes on if one is ongoing. Otherwise it ends. */
	readonly failing?: "begins" | "goes-on";
	/** Null leaves no entry in the history. */
	readonly detail: string | null;
};

/** What one step writes. If the lease is lost, only the answers are kept, as evidence. */
export type StepWrite = {
	readonly message: Message;
	readonly docId: string;
	readonly place: Place;
	readonly answers?: readonly AuthorityAnswerRow[];
	readonly opensSubmission?: boolean;
	readonly finishes?: { readonly n: number; readonly result: string; readonly detail: string | null };
	/** The authority's trackIds for this document. */
	readonly trackIds?: readonly string[];
	/** A state that the document passes on its way to `to`. Only its history records it. */
	readonly through?: Pick<Move, "phase" | "authorityTrackId" | "detail">;
	readonly to?: Move | Decision;
	readonly outcome?: Outcome;
};

export type StepWritten = {
	/** False if the lease has passed to another holder. */
	readonly isHeld: boolean;
	/** The number of the sending that it opens. */
	readonly n: number | null;
	/** The document's new version; null when it was no longer pending, or is not moved. */
	readonly version: number | null;
	/** The authority is out of reach for this document, for the first time. */
	readonly startsContingency: boolean;
	/** For how long steps have failed on our side. Units: seconds, by the database's clock. */
	readonly failingSeconds: number;
	readonly place: Place;
};

/**
 * Writes steps of different documents in one statement; each succeeds or is refused on its own. Its parts act on messages that are still leased
 * (`held`). The first sending of a document, and a verdict that comes with it, write no row of `open_documents`.
 *
 * A verdict itself is written by `insertVerdicts`, in the same transaction, once its event has a number.
 */
export async function writeSteps(tx: Sql | Tx, writes: readonly StepWrite[], now = new Date()): Promise<StepWritten[]> {
	const planned = writes.map((write) => planStep(write, now));
	const isNear = nearTo(tx, writes);
	const rows = await tx<(WrittenRow & { id: string })[]>`
		with ${leaseParts(tx, writes)}, step as materialized (
			select w.*, h.id is not null as held, o.doc_id is not null as has_row, coalesce(o.contingency_told, false) as is_known,
				h.id is not null and coalesce(o.status = 'p', true) and not exists (
					select from verdicts v where v.tenant_id = w.tenant_id and v.doc_id = w.doc_id and ${isNear(tx`v.doc_id`)}
				) as open
			from json_to_recordset(${toJsonText(planned.map(({ columns }) => columns))}::text::json) as w(
				id uuid, tenant_id uuid, doc_id uuid, body text, n int, lot int, answered bool, moves bool, ends bool, starts bool, fails bool,
				phase text, track_id text, sendings json, attempts int, contingency text, next_after float8, failing text, failure json,
				detail text, version int, passes int, at timestamptz
			)
			left join held h using (id)
			left join lateral (
				select o.doc_id, o.status, o.contingency_told from open_documents o
				where o.tenant_id = w.tenant_id and o.doc_id = w.doc_id limit 1
			) o on true
		), noted as (
			insert into steps (tenant_id, doc_id, n, body)
			select s.tenant_id, s.doc_id, case when s.open then s.n else -s.lot end, decode(s.body, 'base64')
			from step s where s.body is not null and (s.open or s.answered)
		), moved as (
			update open_documents o set
				status = case when s.fails then 'f' else 'p' end::"char", phase = s.phase, track_id = s.track_id, sendings = s.sendings,
				attempts = s.attempts,
				contingency_since = case s.contingency
					when 'start' then coalesce(o.contingency_since, now()) when 'end' then null else o.contingency_since end,
				contingency_told = o.contingency_told or s.contingency is not distinct from 'start',
				internal_failure_since = case s.failing
					when 'begins' then coalesce(o.internal_failure_since, now()) when 'goes-on' then o.internal_failure_since end,
				next_attempt_at = now() + make_interval(secs => s.next_after), failure = s.failure, detail = coalesce(s.detail, o.detail),
				version = o.version + s.passes, updated_at = coalesce(s.at, now())
			from step s
			where s.open and s.moves and s.has_row and not s.ends and o.tenant_id = s.tenant_id and o.doc_id = s.doc_id
			returning o.tenant_id, o.doc_id, o.version, o.internal_failure_since
		), begun as (
			insert into open_documents (
				tenant_id, doc_id, status, phase, track_id, sendings, attempts, contingency_since, contingency_told, internal_failure_since,
				next_attempt_at, failure, detail, version, updated_at
			)
			select s.tenant_id, s.doc_id, case when s.fails then 'f' else 'p' end::"char", s.phase, s.track_id, s.sendings, s.attempts,
				case when s.contingency = 'start' then now() end, s.contingency is not distinct from 'start',
				case when s.failing = 'begins' then now() end, now() + make_interval(secs => s.next_after), s.failure, s.detail, s.version,
				coalesce(s.at, now())
			from step s where s.open and s.starts and not s.has_row
		), ended as (
			delete from open_documents o using step s
			where s.open and s.ends and s.has_row and o.tenant_id = s.tenant_id and o.doc_id = s.doc_id
			returning o.tenant_id, o.doc_id, o.version + s.passes as version
		)
		select s.id, s.held as "isHeld", s.open as "isOpen",
			case when s.open and s.moves then coalesce(m.version, e.version, s.version) end as version,
			s.open and s.contingency is not distinct from 'start' and not s.is_known as "startsContingency",
			coalesce(extract(epoch from now() - m.internal_failure_since)::float8, 0) as "failingSeconds"
		from step s left join moved m using (tenant_id, doc_id) left join ended e using (tenant_id, doc_id)`;
	const byId = new Map(rows.map((row) => [row.id, row]));
	return writes.map(({ message, place }, i) => {
		const { isOpen, isHeld, version, startsContingency, failingSeconds } = byId.get(message.id) ?? LOST;
		const { next, n } = planned[i] as Planned;
		const reached = isOpen ? { ...next, version: version ?? next.version } : place;
		return { isHeld, n: isOpen ? n : null, version, startsContingency, failingSeconds, place: reached };
	});
}

type WrittenRow = Omit<StepWritten, "n" | "place"> & { readonly isOpen: boolean };

const LOST: WrittenRow = { isHeld: false, isOpen: false, version: null, startsContingency: false, failingSeconds: 0 };

type Planned = {
	readonly columns: Readonly<Record<string, unknown>>;
	readonly n: number | null;
	readonly next: Place;
};

const LOT_MAX = 2 ** 31 - 1;

/** What a step writes, and where the document stands then. */
function planStep(write: StepWrite, now: Date): Planned {
	const { message, docId, place, answers = [], opensSubmission = false, finishes, trackIds = [], through, to } = write;
	const n = opensSubmission ? (place.sendings.at(-1)?.n ?? 0) + 1 : null;
	const at = now.toISOString();
	const end = to && "status" in to ? to : undefined;
	const move = to && "phase" in to ? to : undefined;
	const passes = through ? 2 : 1;
	const version = place.version + (to ? passes : 0);
	const phase = end ? "decided" : (move?.phase ?? place.phase);
	const [passed, detail] = [cut(through?.detail), cut(to?.detail)];
	const history = [
		...(through
			? [{ version: version - 1, at, status: "pending" as const, phase: through.phase, detail: passed }]
			: []),
		...(to && detail !== null ? [{ version, at, status: end?.status ?? ("pending" as const), phase, detail }] : []),
	];
	const step: Step = {
		...(n === null ? {} : { intent: { n, at } }),
		...(finishes ? { result: { ...finishes, detail: cut(finishes.detail), at } } : {}),
		...(answers.length > 0 ? { answers: answers.map((answer) => ({ ...answer, at: answer.at.toISOString() })) } : {}),
		...(trackIds.length > 0 ? { trackIds } : {}),
		...(history.length > 0 ? { history } : {}),
	};
	const isNoted = Object.keys(step).length > 0;
	const next: Place = {
		steps: place.steps + (isNoted ? 1 : 0),
		version,
		attempts: place.attempts + (move?.countsAttempt ? 1 : 0),
		phase,
		trackId: through?.authorityTrackId ?? move?.authorityTrackId ?? place.trackId,
		sendings: nextSendings(place.sendings, n, at, finishes),
		detail: detail ?? place.detail,
	};
	const isVerdict = end !== undefined && end.status !== "failed";
	const columns = {
		...{ id: message.id, tenant_id: message.tenantId, doc_id: docId },
		body: isNoted ? Buffer.from(writeStep(step)).toString("base64") : null,
		n: next.steps,
		lot: 1 + Math.floor(Math.random() * LOT_MAX),
		answered: answers.length > 0,
		moves: to !== undefined,
		ends: isVerdict,
		starts: to !== undefined && !isVerdict && !(n === 1 && phase === "sending"),
		fails: end?.status === "failed",
		...{ phase, track_id: next.trackId, sendings: next.sendings, attempts: next.attempts, version, passes },
		contingency: end ? "end" : (move?.contingency ?? null),
		next_after: move?.nextAttemptInSeconds ?? null,
		failing: end ? "goes-on" : (move?.failing ?? null),
		failure: end?.failure ?? null,
		detail,
		at: end?.at ?? null,
	};
	return { columns, n, next };
}

/** Earlier sendings that were not sent say nothing more, and an outage may have thousands of them. The first one says when it all began. */
function nextSendings(
	sendings: readonly Sending[],
	opened: number | null,
	at: string,
	finishes: StepWrite["finishes"],
): readonly Sending[] {
	const finished = sendings.map((one) => (one.n === finishes?.n ? { ...one, result: finishes.result } : one));
	if (opened === null) return finished;
	return [...finished.filter(({ result }, i) => i === 0 || result !== "not-sent"), { n: opened, at, result: null }];
}

const DETAIL_MAX = 500;

function cut(detail: string | null | undefined): string | null {
	return detail?.slice(0, DETAIL_MAX) ?? null;
}

/** A verdict to write. `sequence`: the number of the event that reports it. */
export type NewVerdict = DocKey & {
	readonly decision: Decision;
	readonly version: number;
	readonly attempts: number;
	readonly sequence: number | null;
};

/** Writes verdicts. The key of the table refuses a second one. */
export async function insertVerdicts(tx: Tx, verdicts: readonly NewVerdict[]): Promise<void> {
	if (verdicts.length === 0) return;
	await tx`
		insert into verdicts (tenant_id, doc_id, decided_at, sequence, version, status, consumed, attempts, code, track_id, more)
		select * from json_to_recordset(${toJsonText(verdicts.map(toVerdictColumns))}::text::json) as w(
			tenant_id uuid, doc_id uuid, decided_at timestamptz, sequence bigint, version int, status "char", consumed bool, attempts int,
			code text, track_id text, more json
		)`;
}

function toVerdictColumns({ tenantId, docId, decision, version, attempts, sequence }: NewVerdict) {
	const { status, authority, releasesEncf, at } = decision;
	// These have columns of their own, or follow from them.
	const { approvedAt: _, sequenceConsumed: __, code = null, trackId = null, ...rest } = authority ?? {};
	const more = Object.entries(rest).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
	return {
		...{
			tenant_id: tenantId,
			doc_id: docId,
			decided_at: at,
			sequence,
			version,
			status: status[0],
			consumed: !releasesEncf,
		},
		...{ attempts, code, track_id: trackId, more: more.length > 0 ? Object.fromEntries(more) : null },
	};
}

/** Gives back the numbers that these documents did not use. */
export async function releaseNumbers(tx: Tx, keys: readonly DocKey[]): Promise<void> {
	if (keys.length === 0) return;
	await tx`
		select release_numbers(${keys.map(({ tenantId }) => tenantId)}::uuid[], ${keys.map(({ docId }) => docId)}::uuid[])`;
}
