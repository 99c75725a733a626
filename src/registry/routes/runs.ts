/** The registry's ingest runs, as everybody may see them. */

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
	added: Nullable(
		Type.Integer({
			description: "Entries that the run before did not have, all of them for the first run; null when unknown.",
		}),
	),
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

export function listRuns(deps: RunsRouteDeps): Operation {
	return {
		id: "listRegistryRuns",
		method: "GET",
		path: "/v1/authority/registry/runs",
		tag: "Registry",
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

/** How fresh the registry is, as it is answered. */

export const RegistryStatus = Type.Object(
	{
		last_ingest: Nullable(
			Timestamp("When the source was last ingested, or seen to be unchanged; null before the first time."),
		),
		record_count: Type.Integer({
			description: "Entries of the run in use, as it was ingested. An erasure shows from the next run on.",
		}),
		source_etag: Nullable(
			Type.String({ description: "ETag of the source; made of its SHA-256 when the source has none." }),
		),
		source_sha256: Nullable(Type.String({ description: "SHA-256 of the source file as it came, in hex." })),
		age_seconds: Nullable(Type.Integer({ description: "Whole seconds since `last_ingest`." })),
		stale: Type.Boolean({
			description: "True when `age_seconds` is greater than 129600, or nothing was ever ingested.",
		}),
		run_id: Nullable(Type.String({ description: "The run in use, as in `X-Registry-Run-Id`." })),
		added: Nullable(
			Type.Integer({
				description: "Entries that the run before did not have, all of them for the first run; null when unknown.",
			}),
		),
		changed: Nullable(Type.Integer({ description: "Entries that differ from the run before; null when unknown." })),
		removed: Nullable(Type.Integer({ description: "Entries that only the run before had; null when unknown." })),
		suppressed: Type.Integer({ description: "Entries of the source that were left out because they had been erased." }),
		next_scheduled: Nullable(Timestamp("When the next ingest is due.")),
		last_attempt: Type.Union(
			[
				Type.Object({
					at: Timestamp("When it began."),
					result: Type.Union(["ok", "unchanged", "refused", "failed"].map((result) => Type.Literal(result))),
				}),
				Type.Null(),
			],
			{ description: "The latest try, successful or not." },
		),
	},
	{ $id: "RegistryStatus" },
);
export type RegistryStatus = Static<typeof RegistryStatus>;

type StatusFacts = {
	/** The run in use; undefined until something was loaded. */
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
		next_scheduled: nextScheduled?.toISOString() ?? null,
		last_attempt: lastAttempt ? { at: lastAttempt.at.toISOString(), result: lastAttempt.result } : null,
	};
}

export const exampleStatus: RegistryStatus = {
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
	next_scheduled: "2026-11-21T04:00:00.000Z",
	last_attempt: { at: "2026-11-20T04:00:00.000Z", result: "ok" },
};

export function getRegistryStatus(deps: { readonly status: () => RegistryStatus }): Operation {
	return {
		id: "getRegistryStatus",
		method: "GET",
		path: "/v1/authority/registry/status",
		tag: "Registry",
		summary: "Freshness of the registry",
		description:
			"When the registry was last ingested, from what, and whether it is stale. Answered before the first ingest too.",
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
