/** The HTTP operations of the registry. */
import { Type } from "@sinclair/typebox";
import {
	type Answer,
	type Call,
	json,
	NEEDS_BOTH,
	NEEDS_KEY,
	type Operation,
	type Parameter,
	readJson,
	readQuery,
} from "../operation";
import { Problem } from "../problem";
import type { Log } from "../telemetry";
import { isId, parseTaxpayerDocument, type TaxpayerDocument } from "../values";
import { answerCached, withoutCachingProblems } from "./cached-answer";
import { findEntry, type Loaded } from "./current";
import { sealCursor } from "./cursor";
import { exampleEntry, RegistryEntry, RegistrySearchItem, toSearchItem } from "./entry";
import {
	checkPurgeRequest,
	examplePurgeAnswer,
	examplePurgeRecord,
	examplePurgeRequest,
	LOOKUP_MAX_AGE_SECONDS,
	PurgeAnswer,
	type PurgeDeps,
	PurgeRecord,
	PurgeRequest,
	purgeDocument,
	toPurgeRecord,
} from "./purge";
import { searchParameters, toSearchQuery } from "./search-query";
import { searchSnapshot } from "./snapshot/search";
import { exampleStatus, RegistryStatus } from "./status";
import { findTombstone } from "./store";

export type RegistryRouteDeps = PurgeDeps & {
	readonly status: () => RegistryStatus;
	readonly cursorKey: Uint8Array;
	readonly log: Log;
};

const TAG = "Registry";
const SEARCH_MAX_AGE_SECONDS = 60;
const PURGE_BYTES_MAX = 16 * 1024;
const RETRY_AFTER_SECONDS = 5;

export function registryOperations(deps: RegistryRouteDeps): Operation[] {
	return [getDocument(deps), searchDocuments(deps), getRegistryStatus(deps), purge(deps), getPurge(deps)];
}

const documentParameter: Parameter = {
	name: "document",
	in: "path",
	required: true,
	description: "RNC of 9 or 11 digits, or Cédula of 11 digits; hyphens are optional. Check digits are not judged.",
	schema: Type.String(),
	example: "131880681",
};

const conditionalParameter: Parameter = {
	name: "If-None-Match",
	in: "header",
	required: false,
	description: "ETags of answers that the caller has; when one is still good the answer is 304.",
	schema: Type.String(),
};

const cachedHeaders = (maxAgeSeconds: number) => ({
	"Cache-Control": `\`public, max-age=${maxAgeSeconds}\``,
	ETag: "Weak; changes with the ingest run.",
	"X-Registry-Run-Id": "The ingest run that produced the data.",
	"X-Registry-Stale": "`true` when the last ingest is older than 36 hours; otherwise absent.",
});

const notModified = (maxAgeSeconds: number): Answer => ({
	description: "The caller has this answer already; no body.",
	headers: cachedHeaders(maxAgeSeconds),
});

function getDocument(deps: RegistryRouteDeps): Operation {
	return {
		id: "getDocument",
		method: "GET",
		path: "/v1/authority/document/{document}",
		tag: TAG,
		summary: "Look a taxpayer up",
		description:
			"The registry's entry of a number. One that was erased is answered like one that never existed. Shared caches may keep an entry for 300 seconds.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		parameters: [documentParameter, conditionalParameter],
		answers: {
			200: {
				description: "The entry.",
				schema: RegistryEntry,
				example: exampleEntry,
				headers: cachedHeaders(LOOKUP_MAX_AGE_SECONDS),
			},
			304: notModified(LOOKUP_MAX_AGE_SECONDS),
		},
		problems: ["invalid-document-format", "document-not-found", "registry-unavailable"],
		handle: withoutCachingProblems((call) => {
			const document = readDocument(call);
			const loaded = loadedOrProblem(deps);
			const entry = findEntry(loaded, deps.tombstones, document);
			if (!entry) throw new Problem("document-not-found");
			return answerCached(call, entry, loaded.run, LOOKUP_MAX_AGE_SECONDS, deps.clock.now());
		}),
	};
}

/**
 * Gap: the specification's envelope has three members. `next` is added, and only where there is a next page, so that an answer
 * without one is exactly the specification's.
 */
const SearchResult = Type.Object(
	{
		items: Type.Array(RegistrySearchItem),
		count: Type.Integer({ description: "Entries in this answer." }),
		partial: Type.Boolean({ description: "True when further entries match." }),
		next: Type.Optional(
			Type.String({ description: "Sent as `after` it gives the next page; absent on the last one." }),
		),
	},
	{ $id: "RegistrySearchResult" },
);

function searchDocuments(deps: RegistryRouteDeps): Operation {
	return {
		id: "searchDocuments",
		method: "GET",
		path: "/v1/authority/document:search",
		tag: TAG,
		summary: "Search taxpayers",
		description:
			"Entries whose field has, for each word of `q`, a word that begins with it. First those whose whole value equals `q`, then those that begin with it, then the rest; within each active ones first, then the shorter value, then the number. With `field=document`, numbers that begin with `q`, ascending.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		parameters: [...searchParameters, conditionalParameter],
		answers: {
			200: {
				description: "One page of matches; empty when nothing matches.",
				schema: SearchResult,
				example: { items: [toSearchItem(exampleEntry)], count: 1, partial: false },
				headers: cachedHeaders(SEARCH_MAX_AGE_SECONDS),
			},
			304: notModified(SEARCH_MAX_AGE_SECONDS),
		},
		problems: ["validation-error", "registry-unavailable"],
		handle: withoutCachingProblems((call) => {
			const query = toSearchQuery(readQuery(call), deps.cursorKey);
			const { run, snapshot } = loadedOrProblem(deps);
			const { entries, more, last } = searchSnapshot(snapshot, query, deps.tombstones.isErased);
			const body = {
				items: entries.map(toSearchItem),
				count: entries.length,
				partial: more,
				...(more && last ? { next: sealCursor(deps.cursorKey, query, last) } : {}),
			};
			return answerCached(call, body, run, SEARCH_MAX_AGE_SECONDS, deps.clock.now());
		}),
	};
}

function getRegistryStatus(deps: RegistryRouteDeps): Operation {
	return {
		id: "getRegistryStatus",
		method: "GET",
		path: "/v1/authority/registry/status",
		tag: TAG,
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

function purge(deps: RegistryRouteDeps): Operation {
	return {
		id: "purgeDocument",
		method: "POST",
		path: "/v1/authority/document/{document}:purge",
		tag: TAG,
		summary: "Erase a taxpayer's entry",
		description:
			"Erases an entry under the data-protection law (ARCO): at once here, within a second on every node, and in every later ingest. The answer is the same whether or not the number was in the registry, and erasing it again changes nothing and is answered with the first record.",
		credentials: NEEDS_BOTH,
		scope: "registry:purge",
		parameters: [documentParameter],
		body: {
			schema: PurgeRequest,
			limitBytes: PURGE_BYTES_MAX,
			required: true,
			mediaTypes: ["application/json"],
			example: examplePurgeRequest,
		},
		answers: {
			200: {
				description: "Erased, or nothing to erase.",
				schema: PurgeAnswer,
				example: examplePurgeAnswer,
				headers: { "Cache-Control": "`no-store`" },
			},
		},
		problems: [
			"invalid-document-format",
			"malformed-json",
			"validation-error",
			"payload-too-large",
			"unsupported-media-type",
		],
		handle: withoutCachingProblems(async (call) => {
			const document = readDocument(call);
			const request = await readJson<PurgeRequest>(call);
			checkPurgeRequest(request, document);
			const answer = await purgeDocument(deps, document, request);
			const { keyId, clientId } = call.principal ?? {};
			deps.log.info({ requestId: call.requestId, purgeId: answer.purge_id, keyId, clientId }, "registry entry purged");
			return json(200, answer, { "cache-control": "no-store" });
		}),
	};
}

function getPurge(deps: RegistryRouteDeps): Operation {
	return {
		id: "getPurge",
		method: "GET",
		path: "/v1/authority/purges/{id}",
		tag: TAG,
		summary: "Record of an erasure",
		description: "What an erasure did and what it could not touch. The number is not in it: it is not kept.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		parameters: [
			{
				name: "id",
				in: "path",
				required: true,
				description: "`purge_id` of the erasure.",
				schema: Type.String(),
				example: examplePurgeRecord.purge_id,
			},
		],
		answers: {
			200: {
				description: "The record.",
				schema: PurgeRecord,
				example: examplePurgeRecord,
				headers: { "Cache-Control": "`no-store`" },
			},
		},
		problems: ["not-found"],
		handle: withoutCachingProblems(async (call) => {
			const id = call.params.id ?? "";
			const tombstone = isId(id) ? await findTombstone(deps.sql, id) : undefined;
			if (!tombstone) throw new Problem("not-found");
			return json(200, toPurgeRecord(tombstone), { "cache-control": "no-store" });
		}),
	};
}

function readDocument(call: Call): TaxpayerDocument {
	const document = parseTaxpayerDocument(call.params.document ?? "");
	if (!document) throw new Problem("invalid-document-format");
	return document;
}

/** The data in use. Throws: registry-unavailable: an unknown answer must not look like a 404. */
function loadedOrProblem(deps: RegistryRouteDeps): Loaded {
	const loaded = deps.current.get();
	if (!loaded) throw new Problem("registry-unavailable", { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } });
	return loaded;
}
