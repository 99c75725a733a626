/** The HTTP operations of the registry. */
import { json, NEEDS_KEY, type Operation } from "../platform/operation";
import { Problem } from "../platform/problem";
import { answerEntry, cachedHeaders, conditionalParameter, notModified, withoutCachingProblems } from "./cached-answer";
import { type Current, findEntryBytes, type Loaded } from "./current";
import { documentParameter, readDocument } from "./document-parameter";
import { exampleEntry, RegistryEntry } from "./entry";
import { LOOKUP_MAX_AGE_SECONDS } from "./erasure/record";
import { keyOf } from "./index/document-key";
import { createLookUpAtOnce } from "./look-up-at-once";
import { batchDocuments } from "./routes-batch";
import { listChanges } from "./routes-changes";
import { matchDocuments } from "./routes-match";
import { type PurgeRouteDeps, purgeOperations } from "./routes-purge";
import { listRuns } from "./routes-runs";
import { searchDocuments } from "./routes-search";
import { createVocabularyOfData } from "./search/fuzzy/vocabulary-of-data";
import { exampleStatus, RegistryStatus } from "./status";
import { type RegistryView, registryUnavailable, viewOf } from "./view";

type RegistryRouteDeps = PurgeRouteDeps & {
	readonly current: Current;
	readonly status: () => RegistryStatus;
	readonly cursorKey: Uint8Array;
};

const TAG = "Registry";

export function registryOperations(deps: RegistryRouteDeps): Operation[] {
	const takeView = (): RegistryView | undefined => {
		const loaded = deps.current.get();
		return loaded && viewOf(loaded, deps.tombstones);
	};
	const read = { ...deps, takeView, vocabularyOf: createVocabularyOfData() };
	return [
		getDocument(deps),
		searchDocuments(read),
		batchDocuments(read),
		matchDocuments(read),
		getRegistryStatus(deps),
		listRuns(read),
		listChanges(read),
		...purgeOperations(deps),
	];
}

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
		limit: "lookup",
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
			return answerEntry(call, entry, loaded.run, LOOKUP_MAX_AGE_SECONDS, deps.clock.now());
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

/** The data in use. Throws: registry-unavailable. */
function loadedOrProblem(deps: RegistryRouteDeps): Loaded {
	const loaded = deps.current.get();
	if (!loaded) throw registryUnavailable();
	return loaded;
}
