/** The ingest runs and the freshness of the registry. */

import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/database";
import { checkCursorId, json, NEEDS_KEY, type Operation, readQuery } from "../../platform/operation";
import { Timestamp } from "../entry";
import { ageSeconds, isStale, type LastAttempt, listRunsBefore, type RunRow } from "../runs";
import { LIMIT_DEFAULT, limitParameter, withoutCachingProblems } from "./answers";

type RunsRouteDeps = { readonly sql: Sql };

const RUNS_MAX = 100;

const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
	Type.Union([schema, Type.Null()], { description: schema.description });

const keptMembers = {
	fields_kept: Type.Optional(
		Type.Array(Type.String(), {
			description:
				"Members that the source lacks, with values of an earlier run: `trade_name`, `started_on`. Absent if there are none.",
		}),
	),
	fields_from_run: Type.Optional(
		Type.String({ description: "The last run whose source had `fields_kept`; absent together with them." }),
	),
};

const toKept = ({ fieldsKept, fieldsFromRun }: Pick<RunRow, "fieldsKept" | "fieldsFromRun">) =>
	fieldsKept.length > 0 && fieldsFromRun !== null
		? { fields_kept: [...fieldsKept], fields_from_run: fieldsFromRun }
		: {};

const Run = Type.Object({
	run_id: Type.String({ description: "As in `X-Registry-Run-Id`." }),
	result: Type.Union(
		["ok", "refused", "failed"].map((result) => Type.Literal(result)),
		{ description: "`refused`: the source was read but not accepted. `failed`: it could not be read." },
	),
	started_at: Timestamp("When the run started, or the latest attempt that found its source unchanged."),
	finished_at: Timestamp("When the run ended."),
	confirmed_at: Timestamp("When the source was last found to have this run's data."),
	record_count: Type.Integer({ description: "Entries of the run." }),
	source_sha256: Nullable(Type.String({ description: "SHA-256 of the source file as received, in hex." })),
	added: Nullable(
		Type.Integer({
			description: "Entries that the previous run did not have; all of them for the first run; null if unknown.",
		}),
	),
	changed: Nullable(Type.Integer({ description: "Entries that differ from the previous run; null if unknown." })),
	removed: Nullable(Type.Integer({ description: "Entries that only the previous run had; null if unknown." })),
	refused: Type.Integer({ description: "Lines of the source that could not be read." }),
	suppressed: Type.Integer({ description: "Entries left out because they are erased." }),
	healed: Type.Integer({ description: "Lines with `|` inside a text that could be put right." }),
	guessed: Type.Integer({ description: "Lines with `|` inside a text whose surplus was added to the name." }),
	columns_ignored: Type.Optional(
		Type.Array(Type.String(), { description: "Columns of the source that are not read; absent if there are none." }),
	),
	...keptMembers,
	duration_ms: Type.Integer({ description: "How long the run took." }),
});
type Run = Static<typeof Run>;

const RegistryRuns = Type.Object(
	{
		runs: Type.Array(Run, { description: "Newest first, including refused and failed runs." }),
		count: Type.Integer({ description: "Runs in this answer." }),
		partial: Type.Boolean({ description: "True if older runs follow." }),
		next: Type.Optional(
			Type.String({ description: "Send it as `after` to get the next page; absent on the last page." }),
		),
	},
	{ $id: "RegistryRuns" },
);
type RegistryRuns = Static<typeof RegistryRuns>;

export function listRuns(deps: RunsRouteDeps): Operation {
	return {
		id: "listRegistryRuns",
		sdk: "registry.listRuns",
		method: "GET",
		path: "/v1/authority/registry/runs",
		tag: "Registry",
		summary: "List ingest runs",
		description:
			"Lists when the authority's file was ingested, with what result, and how much it changed. An attempt that finds the file unchanged is not a run of its own: it updates `confirmed_at` of the run that it confirms.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		parameters: [
			{
				name: "after",
				in: "query",
				required: false,
				description: "`next` of the previous page.",
				schema: Type.String({ minLength: 1, maxLength: 60 }),
				check: checkCursorId,
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

/** The public members of a run. The location of the source and the reason of a refusal are for the operator. */
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
		healed: run.healed,
		guessed: run.guessed,
		...(run.columnsIgnored.length > 0 ? { columns_ignored: [...run.columnsIgnored] } : {}),
		...toKept(run),
		duration_ms: run.durationMs,
	};
}

export const exampleRun: RunRow = {
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
	healed: 12,
	guessed: 1,
	columnsIgnored: ["FACTURADOR"],
	fieldsKept: ["trade_name"],
	fieldsFromRun: "0192ea00-11aa-7b00-9c3e-5d2f7a1b8c44",
	durationMs: 4_210,
	finishedAt: new Date("2026-11-20T04:02:11.000Z"),
	confirmedAt: new Date("2026-11-20T04:02:11.000Z"),
};

export const RegistryStatus = Type.Object(
	{
		last_ingest: Nullable(
			Timestamp("When the source was last ingested or found unchanged; null before the first time."),
		),
		record_count: Type.Integer({
			description: "Entries of the run in use, as ingested. Erasures count from the next run on.",
		}),
		source_etag: Nullable(
			Type.String({ description: "ETag of the source; derived from its SHA-256 if the source has none." }),
		),
		source_sha256: Nullable(Type.String({ description: "SHA-256 of the source file as received, in hex." })),
		age_seconds: Nullable(Type.Integer({ description: "Whole seconds since `last_ingest`." })),
		stale: Type.Boolean({
			description: "True if `age_seconds` is greater than 129600, or if nothing was ever ingested.",
		}),
		run_id: Nullable(Type.String({ description: "The run in use, as in `X-Registry-Run-Id`." })),
		added: Nullable(
			Type.Integer({
				description: "Entries that the previous run did not have; all of them for the first run; null if unknown.",
			}),
		),
		changed: Nullable(Type.Integer({ description: "Entries that differ from the previous run; null if unknown." })),
		removed: Nullable(Type.Integer({ description: "Entries that only the previous run had; null if unknown." })),
		suppressed: Type.Integer({ description: "Entries of the source that were left out because they are erased." }),
		...keptMembers,
		next_scheduled: Nullable(Timestamp("When the next ingest is due.")),
		last_attempt: Type.Union(
			[
				Type.Object({
					at: Timestamp("When it started."),
					result: Type.Union(["ok", "unchanged", "refused", "failed"].map((result) => Type.Literal(result))),
				}),
				Type.Null(),
			],
			{ description: "The latest attempt, successful or not." },
		),
	},
	{ $id: "RegistryStatus" },
);
export type RegistryStatus = Static<typeof RegistryStatus>;

type StatusFacts = {
	readonly run: RunRow | undefined;
	readonly lastAttempt: LastAttempt | undefined;
	readonly nextScheduled: Date | undefined;
	readonly now: Date;
};

export function toRegistryStatus({ run, lastAttempt, nextScheduled, now }: StatusFacts): RegistryStatus {
	const sha256 = run?.sourceSha256 ?? null;
	return {
		last_ingest: run?.confirmedAt.toISOString() ?? null,
		record_count: run?.recordCount ?? 0,
		source_etag: run?.sourceEtag ?? (sha256 === null ? null : `"${sha256.slice(0, 16)}"`),
		source_sha256: sha256,
		age_seconds: run ? ageSeconds(run, now) : null,
		stale: run ? isStale(run, now) : true,
		run_id: run?.runId ?? null,
		added: run?.added ?? null,
		changed: run?.changed ?? null,
		removed: run?.removed ?? null,
		suppressed: run?.suppressed ?? 0,
		...(run ? toKept(run) : {}),
		next_scheduled: nextScheduled?.toISOString() ?? null,
		last_attempt: lastAttempt ? { at: lastAttempt.at.toISOString(), result: lastAttempt.result } : null,
	};
}

const exampleStatus: RegistryStatus = {
	last_ingest: "2026-11-20T04:02:11.000Z",
	record_count: 760_214,
	source_etag: '"6f1e-63a1c0"',
	source_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	age_seconds: 36_049,
	stale: false,
	run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
	added: 312,
	changed: 1_840,
	removed: 27,
	suppressed: 3,
	fields_kept: ["trade_name"],
	fields_from_run: "0192ea00-11aa-7b00-9c3e-5d2f7a1b8c44",
	next_scheduled: "2026-11-21T04:00:00.000Z",
	last_attempt: { at: "2026-11-20T04:00:00.000Z", result: "ok" },
};

export function getRegistryStatus(deps: { readonly status: () => RegistryStatus }): Operation {
	return {
		id: "getRegistryStatus",
		sdk: "registry.getStatus",
		method: "GET",
		path: "/v1/authority/registry/status",
		tag: "Registry",
		summary: "Get the freshness of the registry",
		description:
			"Shows when the registry was last ingested, from which source, and whether it is stale. Available before the first ingest too.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		answers: {
			200: {
				description: "The status.",
				schema: RegistryStatus,
				example: exampleStatus,
				headers: { "Cache-Control": "`no-store`" },
			},
		},
		problems: [],
		handle: () => json(200, deps.status(), { "cache-control": "no-store" }),
	};
}
