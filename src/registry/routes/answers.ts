/** How registry data is answered so that caches keep exactly what they may. */

import { Type } from "@sinclair/typebox";
import { PLAN_LIMITS } from "../../identity/rate-limits";
import {
	type Answer,
	type BodyRule,
	type Call,
	JSON_BYTES_MAX,
	json,
	matchesEtag,
	NO_SNIFFING,
	type Parameter,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { type Clock, parseTaxpayerDocument, type TaxpayerDocument } from "../../platform/values";
import { isStale, type RegistryView, type RunRow } from "../runs";

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

/** The headers of answers that are given by the thousand, made once for each run instead of once for each answer. */

/** Whoever sends them sets the ETag where it differs from answer to answer. */
type ReadyHeaders = { readonly full: Headers; readonly unmodified: Headers };

export function createReadyHeaders(
	clock: Clock,
	maxAgeSeconds: number,
	etagOf: (run: RunRow) => Readonly<Record<string, string>> = () => ({}),
): (run: RunRow) => ReadyHeaders {
	let made: (ReadyHeaders & { readonly run: RunRow; readonly stale: boolean }) | undefined;
	return (run) => {
		const stale = isStale(run, clock.now());
		if (made?.run === run && made.stale === stale) return made;
		const headers = { ...NO_SNIFFING, ...toCacheHeaders(run, maxAgeSeconds, stale), ...etagOf(run) };
		made = { run, stale, full: new Headers({ ...JSON_TYPE, ...headers }), unmodified: new Headers(headers) };
		return made;
	};
}

/** What the operations that answer many questions in one request have in common. */

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

export const LIMIT_DEFAULT = 100;

/** The `limit` of a list, as text: `0x10` must not become 16 on the way. */
export function limitParameter(max: 100 | 1000): Parameter {
	return {
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
	};
}

/** The number in a path. */

export const documentParameter: Parameter = {
	name: "document",
	in: "path",
	required: true,
	description: "RNC of 9 or 11 digits, or Cédula of 11 digits; hyphens are optional. Check digits are not judged.",
	schema: Type.String(),
	example: "131880681",
	takesUndecodable: true,
};

/** Throws: invalid-document-format. */
export function readDocument(call: Call): TaxpayerDocument {
	const document = parseTaxpayerDocument(call.params.document ?? "");
	if (!document) throw new Problem("invalid-document-format");
	return document;
}
