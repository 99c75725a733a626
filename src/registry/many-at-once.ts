/** What the operations that answer many questions in one request have in common. */
import { Type } from "@sinclair/typebox";
import { PLAN_LIMITS } from "../identity/rate-limits";
import { type BodyRule, type Call, JSON_BYTES_MAX, json } from "../platform/operation";
import { Problem } from "../platform/problem";
import { isStale } from "./current";
import type { RegistryView } from "./view";

export const ITEMS_MAX = 1_000;

export const runIdMember = Type.String({ description: "The ingest run that every entry of the answer comes from." });

export const oneRunHeaders = {
	"Cache-Control": "`no-store`",
	"X-Registry-Run-Id": "The ingest run that produced the data.",
	"X-Registry-Stale": "`true` when the last ingest is older than 36 hours; otherwise absent.",
};

export const bodyRule = (schema: BodyRule["schema"], example: unknown): BodyRule => ({
	schema,
	limitBytes: JSON_BYTES_MAX,
	required: true,
	mediaTypes: ["application/json"],
	example,
});

export const bodyProblems = [
	"malformed-json",
	"validation-error",
	"payload-too-large",
	"unsupported-media-type",
	"registry-unavailable",
] as const;

/** Tells how many items a request asks for. Throws: validation-error when the caller's plan takes fewer. */
export function checkPlan(call: Call, pointer: string, count: number, max: number): void {
	const plan = call.principal?.plan;
	if (!plan) throw new Error(`operation ${call.operation.id} has no principal`);
	call.countItems?.(count);
	const maximum = Math.min(PLAN_LIMITS[plan].batch.lookup, max);
	if (count <= maximum) return;
	const detail = `The plan ${plan} takes at most ${maximum} items at once.`;
	throw new Problem("validation-error", { faults: [{ pointer, code: "too-many", detail, maximum }] });
}

/** An answer made from one view, which must not be kept. */
export function answerOneRun(view: RegistryView, now: Date, body: unknown): Response {
	return json(200, body, {
		"cache-control": "no-store",
		"x-registry-run-id": view.run.runId,
		...(isStale(view.run, now) ? { "x-registry-stale": "true" } : {}),
	});
}
