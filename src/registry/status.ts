/** How fresh the registry is, as it is answered. */
import { type Static, Type } from "@sinclair/typebox";
import { ageSeconds, isStale } from "./current";
import type { LastAttempt, RunRow } from "./store";
import { Timestamp } from "./timestamp";

const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
	Type.Union([schema, Type.Null()], { description: schema.description });

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
