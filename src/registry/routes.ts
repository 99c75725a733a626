/** The HTTP operations of the registry. */
import { Type } from "@sinclair/typebox";
import { type Call, json, NEEDS_BOTH, NEEDS_KEY, type Operation, type Parameter, readJson } from "../operation";
import { Problem } from "../problem";
import type { Log } from "../telemetry";
import { isId, parseTaxpayerDocument, type TaxpayerDocument } from "../values";
import { answerEntry, cachedHeaders, conditionalParameter, notModified, withoutCachingProblems } from "./cached-answer";
import { findEntryBytes, type Loaded } from "./current";
import { exampleEntry, RegistryEntry } from "./entry";
import { createVocabularyOfRun } from "./fuzzy/vocabulary-of-run";
import { createLookUpAtOnce } from "./look-up-at-once";
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
import { batchDocuments } from "./routes-batch";
import { listChanges } from "./routes-changes";
import { matchDocuments } from "./routes-match";
import { listRuns } from "./routes-runs";
import { searchDocuments } from "./routes-search";
import { keyOf } from "./snapshot/document-key";
import { exampleStatus, RegistryStatus } from "./status";
import { findTombstone } from "./store";
import { type RegistryView, registryUnavailable, viewOf } from "./view";

export type RegistryRouteDeps = PurgeDeps & {
	readonly status: () => RegistryStatus;
	readonly cursorKey: Uint8Array;
	readonly log: Log;
};

const TAG = "Registry";
const PURGE_BYTES_MAX = 16 * 1024;

export function registryOperations(deps: RegistryRouteDeps): Operation[] {
	const takeView = (): RegistryView | undefined => {
		const loaded = deps.current.get();
		return loaded && viewOf(loaded, deps.tombstones);
	};
	const read = { ...deps, takeView, vocabularyOf: createVocabularyOfRun() };
	return [
		getDocument(deps),
		searchDocuments(read),
		batchDocuments(read),
		matchDocuments(read),
		getRegistryStatus(deps),
		listRuns(read),
		listChanges(read),
		purge(deps),
		getPurge(deps),
	];
}

const documentParameter: Parameter = {
	name: "document",
	in: "path",
	required: true,
	description: "RNC of 9 or 11 digits, or Cédula of 11 digits; hyphens are optional. Check digits are not judged.",
	schema: Type.String(),
	example: "131880681",
};

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
		isPlenty: true,
		handle: withoutCachingProblems((call) => {
			const key = keyOf(readDocument(call).digits);
			const loaded = loadedOrProblem(deps);
			const entry = findEntryBytes(loaded, deps.tombstones, key);
			if (!entry) throw new Problem("document-not-found");
			return answerEntry(call, entry, key, loaded.run, LOOKUP_MAX_AGE_SECONDS, deps.clock.now());
		}),
		answerAtOnce: createLookUpAtOnce(deps),
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

/** The data in use. Throws: registry-unavailable. */
function loadedOrProblem(deps: RegistryRouteDeps): Loaded {
	const loaded = deps.current.get();
	if (!loaded) throw registryUnavailable();
	return loaded;
}
