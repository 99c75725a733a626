/** Builds answers with registry data, and the parameters that the operations share. */

import { Type } from "@sinclair/typebox";
import { PLAN_LIMITS } from "../../identity/rate-limits";
import {
	type Answer,
	type Call,
	codeAnswer,
	headerParameter,
	json,
	matchesEtag,
	NO_SNIFFING,
	type Parameter,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { type Clock, parseTaxpayerDocument, type TaxpayerDocument } from "../../platform/values";
import { isStale, type RegistryView, type RunRow } from "../runs";

export const JSON_TYPE = { "content-type": "application/json; charset=utf-8" } as const;

/**
 * A cacheable 200 with a page of a run's data, given as a value or as JSON, or a 304 if the caller has it. An erasure changes a page within
 * a run.
 */
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

export function answerEntry(
	call: Call,
	entry: Uint8Array<ArrayBuffer>,
	run: RunRow,
	maxAgeSeconds: number,
	now: Date,
): Response {
	return answer(call, entry, entryEtagOf(entry), toCacheHeaders(run, maxAgeSeconds, isStale(run, now)));
}

function answer(
	call: Call,
	content: string | Uint8Array<ArrayBuffer>,
	etag: string,
	cacheHeaders: Readonly<Record<string, string>>,
): Response {
	const headers = { ...cacheHeaders, etag };
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
	const coded = codeAnswer(bytes, call.request.headers.get("accept-encoding"));
	if (coded === undefined) return new Response(bytes, { headers: { ...JSON_TYPE, ...headers } });
	return new Response(coded.bytes, { headers: { ...JSON_TYPE, ...headers, "content-encoding": coded.coding } });
}

/** The hash only distinguishes versions, so it need not resist attacks. */
export function pageEtagOf(run: RunRow, content: string | Uint8Array<ArrayBuffer>): string {
	return `W/"${run.runId}-${Bun.hash(content).toString(36)}"`;
}

/** The same without the run: most entries outlast thousands of runs, and so do the copies in caches. */
export function entryEtagOf(entry: Uint8Array<ArrayBuffer>): string {
	return `W/"${Bun.hash(entry).toString(36)}"`;
}

function toCacheHeaders(run: RunRow, maxAgeSeconds: number, stale: boolean): Record<string, string> {
	return {
		"cache-control": `public, max-age=${maxAgeSeconds}`,
		"x-registry-run-id": run.runId,
		vary: "Accept-Encoding",
		...(stale ? { "x-registry-stale": "true" } : {}),
	};
}

/** Keeps caches from storing a handler's problems: a 404 must end when the next ingest brings the entry. */
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

export const conditionalParameter = headerParameter(
	"If-None-Match",
	"ETags of answers that you have. If one is current, the answer is 304.",
);

const modeDescription = "`grace` if the database was away and the key was known before; otherwise absent.";

export const cachedHeaders = (maxAgeSeconds: number) => ({
	"Cache-Control": `\`public, max-age=${maxAgeSeconds}\``,
	ETag: "Weak. An entry's changes with the entry, a page's with the ingest run.",
	Vary: "`Accept-Encoding`: answers over 1 KiB are available as `gzip` and `zstd`.",
	"X-Registry-Run-Id": "The ingest run that produced the data.",
	"X-Registry-Stale": "`true` if the last ingest is older than 36 hours; otherwise absent.",
	"X-Registry-Mode": modeDescription,
});

export const notModified = (maxAgeSeconds: number): Answer => ({
	description: "You already have this answer; no body. The headers name the run that confirms it.",
	headers: cachedHeaders(maxAgeSeconds),
});

/** Prebuilt headers, created once for each run instead of once for each answer. */

/** The sender sets the ETag, which differs between answers. */
type ReadyHeaders = { readonly full: Headers; readonly unmodified: Headers };

export function createReadyHeaders(clock: Clock, maxAgeSeconds: number): (run: RunRow) => ReadyHeaders {
	let made: (ReadyHeaders & { readonly run: RunRow; readonly stale: boolean }) | undefined;
	return (run) => {
		const stale = isStale(run, clock.now());
		if (made?.run === run && made.stale === stale) return made;
		const headers = { ...NO_SNIFFING, ...toCacheHeaders(run, maxAgeSeconds, stale) };
		made = { run, stale, full: new Headers({ ...JSON_TYPE, ...headers }), unmodified: new Headers(headers) };
		return made;
	};
}

export const ITEMS_MAX = 1_000;

export const runIdMember = Type.String({ description: "The ingest run that all entries of the answer come from." });

export const oneRunHeaders = {
	"Cache-Control": "`no-store`",
	"X-Registry-Run-Id": "The ingest run that produced the data.",
	"X-Registry-Stale": "`true` if the last ingest is older than 36 hours; otherwise absent.",
	"X-Registry-Mode": modeDescription,
};

export const bodyProblems = [
	"malformed-json",
	"validation-error",
	"payload-too-large",
	"unsupported-media-type",
	"registry-unavailable",
] as const;

/** Counts the items of a request. Throws: validation-error if the caller's plan allows fewer. */
export function checkPlan(call: Call, pointer: string, count: number, max: number): void {
	const plan = call.principal?.plan;
	if (!plan) throw new Error(`operation ${call.operation.id} has no principal`);
	call.countItems?.(count);
	const maximum = Math.min(PLAN_LIMITS[plan].batch.lookup, max);
	if (count <= maximum) return;
	const detail = msg`The plan ${plan} allows at most ${maximum} items per request.`;
	throw new Problem("validation-error", { faults: [{ pointer, code: "too-many", detail, maximum }] });
}

export function answerOneRun(view: Pick<RegistryView, "run">, now: Date, body: unknown): Response {
	return json(200, body, {
		"cache-control": "no-store",
		"x-registry-run-id": view.run.runId,
		...(isStale(view.run, now) ? { "x-registry-stale": "true" } : {}),
	});
}

export const LIMIT_DEFAULT = 100;

/** The `limit` of a list, as text, so that `0x10` is not read as 16. */
export function limitParameter(max: 100 | 1000): Parameter {
	return {
		name: "limit",
		in: "query",
		required: false,
		description: `Maximum number of items, an integer from 1 to ${max}. Default: ${LIMIT_DEFAULT}.`,
		schema: Type.String({
			pattern: `^([1-9][0-9]{0,${String(max).length - 2}}|${max})$`,
			default: String(LIMIT_DEFAULT),
			faultDetail: msg`Expected an integer from 1 to ${max}.`,
		}),
		example: "100",
	};
}

export const documentParameter: Parameter = {
	name: "document",
	in: "path",
	required: true,
	description:
		"RNC of 9 or 11 digits, or Cédula of 11 digits. Hyphens are optional, and check digits are not verified.",
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
