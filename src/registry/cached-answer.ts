/** How registry data is answered so that caches keep exactly what they may. */
import { Type } from "@sinclair/typebox";
import { type Answer, type Call, matchesEtag, type Parameter } from "../platform/operation";
import { Problem } from "../platform/problem";
import { isStale } from "./current";
import type { RunRow } from "./store";

export const JSON_TYPE = { "content-type": "application/json; charset=utf-8" } as const;

/** A 200 with a page of a run's data, a value or its JSON, that may be cached, or a 304 when the caller has it already. An erasure changes a page within a run. */
export function answerCached(
	call: Call,
	body: object | Uint8Array<ArrayBuffer>,
	run: RunRow,
	maxAgeSeconds: number,
	now: Date,
): Response {
	const content = body instanceof Uint8Array ? body : JSON.stringify(body);
	return answer(call, content, pageEtagOf(run, content), toCacheHeaders(run, maxAgeSeconds, isStale(run, now)));
}

/** The same for one entry. */
export function answerEntry(
	call: Call,
	entry: Uint8Array<ArrayBuffer>,
	run: RunRow,
	maxAgeSeconds: number,
	now: Date,
): Response {
	return answer(call, entry, entryEtagOf(run), toCacheHeaders(run, maxAgeSeconds, isStale(run, now)));
}

function answer(
	call: Call,
	content: string | Uint8Array<ArrayBuffer>,
	etag: string,
	cacheHeaders: Readonly<Record<string, string>>,
): Response {
	const headers = { ...cacheHeaders, etag };
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	return new Response(content, { headers: { ...JSON_TYPE, ...headers } });
}

/** The hash tells versions apart and guards nothing, so it need not withstand anybody. */
export function pageEtagOf(run: RunRow, content: string | Uint8Array<ArrayBuffer>): string {
	return `W/"${run.runId}-${Bun.hash(content).toString(36)}"`;
}

/** Within a run an address has one entry or none, and an ETag tells versions of one address apart: the run is enough. Source: RFC 9110, 8.8.3. */
export function entryEtagOf(run: RunRow): string {
	return `W/"${run.runId}"`;
}

/** What every answer made of a run says of it. */
export function toCacheHeaders(run: RunRow, maxAgeSeconds: number, stale: boolean): Record<string, string> {
	return {
		"cache-control": `public, max-age=${maxAgeSeconds}`,
		"x-registry-run-id": run.runId,
		...(stale ? { "x-registry-stale": "true" } : {}),
	};
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
