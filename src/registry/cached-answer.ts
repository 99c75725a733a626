/** How registry data is answered so that caches keep exactly what they may. */
import { Type } from "@sinclair/typebox";
import { type Answer, type Call, matchesEtag, type Parameter } from "../operation";
import { Problem } from "../problem";
import { isStale } from "./current";
import type { RunRow } from "./store";

/**
 * A 200 that may be cached, or a 304 when the caller has it already. Both name the run that the body comes from. The body is a value, or
 * JSON that is ready.
 */
export function answerCached(
	call: Call,
	body: object | Uint8Array<ArrayBuffer>,
	run: RunRow,
	maxAgeSeconds: number,
	now: Date,
): Response {
	const content = body instanceof Uint8Array ? body : JSON.stringify(body);
	// Tells versions apart and guards nothing, so it need not withstand anybody.
	const etag = `W/"${run.runId}-${Bun.hash(content).toString(36)}"`;
	const headers: Record<string, string> = {
		"cache-control": `public, max-age=${maxAgeSeconds}`,
		etag,
		"x-registry-run-id": run.runId,
		...(isStale(run, now) ? { "x-registry-stale": "true" } : {}),
	};
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	return new Response(content, { headers: { "content-type": "application/json; charset=utf-8", ...headers } });
}

/** Lets no cache keep a handler's problems: a 404 must end when the next ingest brings the entry. */
export function withoutCachingProblems(
	handle: (call: Call) => Response | Promise<Response>,
): (call: Call) => Promise<Response> {
	return async (call) => {
		try {
			return await handle(call);
		} catch (error) {
			if (!(error instanceof Problem)) throw error;
			const { slug, detail, faults, extensions } = error;
			const headers = { ...error.headers, "cache-control": "no-store" };
			throw new Problem(slug, { detail, faults, extensions, headers, cause: error });
		}
	};
}

export const conditionalParameter: Parameter = {
	name: "If-None-Match",
	in: "header",
	required: false,
	description: "ETags of answers that the caller has; when one is still good the answer is 304.",
	schema: Type.String(),
};

export const cachedHeaders = (maxAgeSeconds: number) => ({
	"Cache-Control": `\`public, max-age=${maxAgeSeconds}\``,
	ETag: "Weak; changes with the ingest run.",
	"X-Registry-Run-Id": "The ingest run that produced the data.",
	"X-Registry-Stale": "`true` when the last ingest is older than 36 hours; otherwise absent.",
});

export const notModified = (maxAgeSeconds: number): Answer => ({
	description: "The caller has this answer already; no body.",
	headers: cachedHeaders(maxAgeSeconds),
});
