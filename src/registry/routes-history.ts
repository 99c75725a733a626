/** The registry's history: its ingest runs, and what each of them changed. */
import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../database";
import { json, NEEDS_KEY, type Operation, type Parameter, readQuery } from "../operation";
import { Problem } from "../problem";
import { isId, parseTaxpayerDocument } from "../values";
import { withoutCachingProblems } from "./cached-answer";
import { type ChangeRow, listRunsBefore, readFeed } from "./changes/changes-store";
import { CHANGE_KINDS } from "./changes/diff";
import { exampleEntry, RegistryEntry } from "./entry";
import type { RunRow } from "./store";
import { Timestamp } from "./timestamp";
import { type RegistryView, type TakeView, viewOrProblem } from "./view";

export type HistoryRouteDeps = {
	readonly sql: Sql;
	readonly takeView: TakeView;
	readonly isErased: (digits: string) => boolean;
};

export function historyOperations(deps: HistoryRouteDeps): Operation[] {
	return [listChanges(deps), listRuns(deps)];
}

const TAG = "Registry";
const LIMIT_DEFAULT = 100;
const CHANGES_MAX = 1_000;
const RUNS_MAX = 100;

const limitParameter = (max: number): Parameter => ({
	name: "limit",
	in: "query",
	required: false,
	description: `Most items in the answer, an integer from 1 to ${max}; ${LIMIT_DEFAULT} when absent.`,
	schema: Type.String({
		pattern: `^([1-9][0-9]{0,${String(max).length - 2}}|${max})$`,
		default: String(LIMIT_DEFAULT),
		faultDetail: `Expected an integer from 1 to ${max}.`,
	}),
	example: "100",
});

const Change = Type.Object({
	document: Type.String({ description: "The entry's number, digits only." }),
	change: Type.Union(
		CHANGE_KINDS.map((kind) => Type.Literal(kind)),
		{ description: "What the run did to it." },
	),
	run_id: Type.String({ description: "The run that did it." }),
	at: Timestamp("When that run ended."),
	entry: Type.Optional(RegistryEntry),
});
type Change = Static<typeof Change>;

const RegistryChanges = Type.Object(
	{
		changes: Type.Array(Change, {
			description:
				"Oldest run first, within a run by number. `entry` is the entry as it is now, not as it was then; absent when it is no longer there.",
		}),
		count: Type.Integer({ description: "Changes in this answer." }),
		partial: Type.Boolean({ description: "True when further changes follow." }),
		next: Type.String({ description: "Sent as `after` it gives what follows, now or after the next run." }),
		run_id: Type.String({ description: "The run that `entry` shows, and the last whose changes are told." }),
	},
	{ $id: "RegistryChanges" },
);
type RegistryChanges = Static<typeof RegistryChanges>;

function listChanges(deps: HistoryRouteDeps): Operation {
	return {
		id: "listRegistryChanges",
		method: "GET",
		path: "/v1/authority/registry/changes",
		tag: TAG,
		summary: "What changed in the registry",
		description:
			"The entries that each ingest run added, changed or removed against the one before it, for those who keep a copy. The last 30 runs are kept; a cursor from before them, or from before a run whose difference is not known, is answered with `cursor-expired`. An entry that was erased is in no answer, nor is the fact that it is gone.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		parameters: [
			{
				name: "after",
				in: "query",
				required: false,
				description: "`next` of the answer before; from the oldest run that is kept when absent.",
				schema: Type.String({ pattern: "^(0|[1-9][0-9]{0,14})$", faultDetail: "Send `next` of an answer." }),
				example: "48213",
			},
			limitParameter(CHANGES_MAX),
		],
		answers: {
			200: {
				description: "One page of changes; empty when there are none behind `after`.",
				schema: RegistryChanges,
				example: {
					changes: [
						{
							document: exampleEntry.rnc,
							change: "changed",
							run_id: exampleRun.runId,
							at: exampleRun.finishedAt.toISOString(),
							entry: exampleEntry,
						},
						{
							document: "990000007",
							change: "removed",
							run_id: exampleRun.runId,
							at: exampleRun.finishedAt.toISOString(),
						},
					],
					count: 2,
					partial: false,
					next: "48215",
					run_id: exampleRun.runId,
				},
				headers: { "Cache-Control": "`no-store`", "X-Registry-Run-Id": "As `run_id`." },
			},
		},
		problems: ["validation-error", "cursor-expired", "registry-unavailable"],
		handle: withoutCachingProblems(async (call) => {
			const { after, limit = LIMIT_DEFAULT } = readQuery(call);
			const view = viewOrProblem(deps.takeView);
			const page = await readPage(deps, view, after === undefined ? undefined : Number(after), Number(limit));
			return json(200, page, { "cache-control": "no-store", "x-registry-run-id": view.run.runId });
		}),
	};
}

/** Throws: cursor-expired, validation-error. */
async function readPage(
	deps: HistoryRouteDeps,
	view: RegistryView,
	after: number | undefined,
	limit: number,
): Promise<RegistryChanges> {
	const { runId } = view.run;
	const changes: Change[] = [];
	let place = after;
	for (;;) {
		const feed = await readFeed(deps.sql, { runId, after: place, limit: limit + 1 });
		const { floor, head, last, rows } = feed;
		checkCursor(place, floor, last);
		for (const row of rows) {
			// A restored backup may hold rows of what was erased after it was made.
			const isShown = !deps.isErased(row.document);
			if (isShown && changes.length === limit) return toPage(changes, true, place ?? floor, runId);
			if (isShown) changes.push(toChange(view, row));
			place = row.number;
		}
		if (rows.length <= limit) return toPage(changes, false, Math.max(place ?? floor, head), runId);
	}
}

function checkCursor(after: number | undefined, floor: number, last: number): void {
	if (after === undefined) return;
	if (after < floor) throw new Problem("cursor-expired");
	if (after <= last) return;
	const detail = "Send `next` of an answer.";
	throw new Problem("validation-error", { faults: [{ pointer: "#/query/after", code: "invalid-cursor", detail }] });
}

function toPage(changes: Change[], partial: boolean, next: number, runId: string): RegistryChanges {
	return { changes, count: changes.length, partial, next: String(next), run_id: runId };
}

function toChange(view: RegistryView, row: ChangeRow): Change {
	const parsed = parseTaxpayerDocument(row.document);
	const entry = parsed && view.lookup(parsed);
	return {
		document: row.document,
		change: row.kind,
		run_id: row.runId,
		at: row.at.toISOString(),
		...(entry ? { entry } : {}),
	};
}

const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
	Type.Union([schema, Type.Null()], { description: schema.description });

const Run = Type.Object({
	run_id: Type.String({ description: "As in `X-Registry-Run-Id`." }),
	result: Type.Union(
		["ok", "refused", "failed"].map((result) => Type.Literal(result)),
		{ description: "`refused`: the source was read but not trusted; `failed`: it could not be read." },
	),
	started_at: Timestamp("When the run, or the latest try that found its source unchanged, began."),
	finished_at: Timestamp("When the run ended."),
	confirmed_at: Timestamp("When the source was last seen to hold this run's data."),
	record_count: Type.Integer({ description: "Entries of the run." }),
	source_sha256: Nullable(Type.String({ description: "SHA-256 of the source file as it came, in hex." })),
	added: Nullable(Type.Integer({ description: "Entries that the run before did not have; null when unknown." })),
	changed: Nullable(Type.Integer({ description: "Entries that differ from the run before; null when unknown." })),
	removed: Nullable(Type.Integer({ description: "Entries that only the run before had; null when unknown." })),
	refused: Type.Integer({ description: "Lines of the source that could not be read." }),
	suppressed: Type.Integer({ description: "Entries left out because they had been erased." }),
	duration_ms: Type.Integer({ description: "How long the run took." }),
});
type Run = Static<typeof Run>;

const RegistryRuns = Type.Object(
	{
		runs: Type.Array(Run, { description: "Newest first, those that were refused or failed included." }),
		count: Type.Integer({ description: "Runs in this answer." }),
		partial: Type.Boolean({ description: "True when older runs follow." }),
		next: Type.Optional(
			Type.String({ description: "Sent as `after` it gives the next page; absent on the last one." }),
		),
	},
	{ $id: "RegistryRuns" },
);
type RegistryRuns = Static<typeof RegistryRuns>;

function listRuns(deps: HistoryRouteDeps): Operation {
	return {
		id: "listRegistryRuns",
		method: "GET",
		path: "/v1/authority/registry/runs",
		tag: TAG,
		summary: "Ingest runs of the registry",
		description:
			"When the authority's file was ingested, with what outcome, and how much it changed. A try that found the file unchanged is no run of its own: it moves `confirmed_at` of the run it confirms.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		parameters: [
			{
				name: "after",
				in: "query",
				required: false,
				description: "`next` of the page before.",
				schema: Type.String({ minLength: 1, maxLength: 60 }),
				example: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
			},
			limitParameter(RUNS_MAX),
		],
		answers: {
			200: {
				description: "One page of runs.",
				schema: RegistryRuns,
				example: { runs: [toRun(exampleRun)], count: 1, partial: false },
				headers: { "Cache-Control": "`no-store`" },
			},
		},
		problems: ["validation-error"],
		handle: withoutCachingProblems(async (call) => {
			const { after, limit = LIMIT_DEFAULT } = readQuery(call);
			if (after !== undefined && !isId(after)) {
				const fault = { pointer: "#/query/after", code: "invalid-cursor", detail: "Send `next` of an answer." };
				throw new Problem("validation-error", { faults: [fault] });
			}
			const rows = await listRunsBefore(deps.sql, after, Number(limit) + 1);
			const shown = rows.slice(0, Number(limit));
			const last = shown[shown.length - 1];
			const partial = rows.length > shown.length;
			const page: RegistryRuns = {
				runs: shown.map(toRun),
				count: shown.length,
				partial,
				...(partial && last ? { next: last.runId } : {}),
			};
			return json(200, page, { "cache-control": "no-store" });
		}),
	};
}

/** What everybody may know of a run: where the source lies and why it was refused is for the operator. */
function toRun(run: RunRow): Run {
	return {
		run_id: run.runId,
		result: run.result,
		started_at: run.attemptedAt.toISOString(),
		finished_at: run.finishedAt.toISOString(),
		confirmed_at: run.confirmedAt.toISOString(),
		record_count: run.recordCount,
		source_sha256: run.sourceSha256,
		added: run.added,
		changed: run.changed,
		removed: run.removed,
		refused: run.refused,
		suppressed: run.suppressed,
		duration_ms: run.durationMs,
	};
}

const exampleRun: RunRow = {
	runId: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
	attemptedAt: new Date("2026-11-20T04:00:00.000Z"),
	result: "ok",
	reason: null,
	source: "https://authority.example/rnc.zip",
	sourceEtag: null,
	sourceSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	recordCount: 760_214,
	added: 312,
	changed: 1_840,
	removed: 27,
	refused: 14,
	suppressed: 3,
	durationMs: 4_210,
	finishedAt: new Date("2026-11-20T04:02:11.000Z"),
	confirmedAt: new Date("2026-11-20T04:02:11.000Z"),
};
