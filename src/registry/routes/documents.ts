/** The look-ups of one and of many taxpayers. The fast path answers from memory alone: without a promise, a URL, or newly built headers. */

import { type Static, Type } from "@sinclair/typebox";
import {
	type Call,
	checkDay,
	jsonBody,
	matchesEtag,
	NEEDS_KEY,
	type Operation,
	oneOf,
	queryParameter,
	type ReadyAnswer,
	readJson,
	readQuery,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { type Clock, parseTaxpayerDocument } from "../../platform/values";
import { exampleEntry, RegistryEntry, RegistryLookUp } from "../entry";
import { LOOKUP_MAX_AGE_SECONDS, type Tombstones } from "../erasure";
import { createResponseBuffer, keyOf, keyOfWritten, startedOnOf } from "../index/index";
import {
	type Current,
	findEntryBytes,
	type HistoryDeps,
	type Loaded,
	openDay,
	type RegistryView,
	registryUnavailable,
	type TakeView,
	viewOrProblem,
} from "../runs";
import {
	answerCached,
	answerEntry,
	answerOneRun,
	bodyProblems,
	cachedHeaders,
	checkPlan,
	conditionalParameter,
	createReadyHeaders,
	documentParameter,
	entryEtagOf,
	ITEMS_MAX,
	notModified,
	oneRunHeaders,
	readDocument,
	runIdMember,
	withoutCachingProblems,
} from "./answers";
import { answerAsOf, asOfMember, asOfParameter, historyDaysOf, optionalAsOfMembers, toEntryAsOf } from "./history";

const ENTRY_BYTES = 4_096;

/** Returns undefined for an unknown or invalid number, and while nothing is loaded; the operation's handler then explains. */
function createFastLookUp(deps: {
	readonly current: Current;
	readonly tombstones: Tombstones;
	readonly clock: Clock;
}): (parameter: string, ifNoneMatch: string | null) => ReadyAnswer | undefined {
	const buffer = createResponseBuffer(ENTRY_BYTES);
	const headersOf = createReadyHeaders(deps.clock, LOOKUP_MAX_AGE_SECONDS);
	return (parameter, ifNoneMatch) => {
		const loaded = deps.current.get();
		const key = keyOfWritten(parameter);
		if (!loaded || Number.isNaN(key)) return undefined;
		const body = findEntryBytes(loaded, deps.tombstones, key, buffer);
		if (!body) return undefined;
		const { full, unmodified } = headersOf(loaded.run);
		const etag = entryEtagOf(body);
		const isKnown = ifNoneMatch !== null && matchesEtag(ifNoneMatch, etag);
		const headers = isKnown ? unmodified : full;
		headers.set("etag", etag);
		return { body: isKnown ? null : body, headers };
	};
}

const expandParameter = queryParameter(
	"expand",
	"`started_on` adds when the taxpayer started to operate.",
	oneOf("started_on"),
);

type DocumentRouteDeps = {
	readonly current: Current;
	readonly tombstones: Tombstones;
	readonly clock: Clock;
};

const DocumentEntry = Type.Object({ ...RegistryLookUp.properties, ...optionalAsOfMembers }, { $id: "DocumentEntry" });
const BatchEntry = Type.Object({ ...RegistryEntry.properties, ...optionalAsOfMembers }, { $id: "BatchEntry" });

export function getDocument(deps: DocumentRouteDeps): Operation {
	return {
		id: "getDocument",
		sdk: "registry.lookup",
		method: "GET",
		path: "/v1/authority/document/{document}",
		tag: "Registry",
		summary: "Look up a taxpayer",
		description:
			"Returns the registry entry of a number, or with `as_of` the one that our copy held at the end of an earlier day; such an answer is not cached. An erased entry is answered like one that never existed. Shared caches may keep an entry for 300 seconds.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		limit: "lookup",
		parameters: [documentParameter, asOfParameter, expandParameter, conditionalParameter],
		answers: {
			200: {
				description: "The entry.",
				schema: DocumentEntry,
				example: exampleEntry,
				headers: cachedHeaders(LOOKUP_MAX_AGE_SECONDS),
			},
			304: notModified(LOOKUP_MAX_AGE_SECONDS),
		},
		problems: [
			"invalid-document-format",
			"validation-error",
			"document-not-found",
			"history-not-available",
			"registry-unavailable",
		],
		isPlenty: true,
		handle: withoutCachingProblems((call) => {
			const document = readDocument(call);
			const { as_of, expand } = readQuery(call);
			if (as_of !== undefined && expand !== undefined) {
				const fault = {
					pointer: "#/query/expand",
					code: "not-with-as-of",
					detail: msg`The history has no start dates.`,
				};
				throw new Problem("validation-error", { faults: [fault] });
			}
			if (as_of !== undefined) return answerAsOf(deps, call, document, as_of);
			const key = keyOf(document.digits);
			const loaded = loadedOrProblem(deps);
			const entry = findEntryBytes(loaded, deps.tombstones, key);
			if (!entry) throw new Problem("document-not-found");
			if (expand !== undefined) {
				const expanded = {
					...JSON.parse(Buffer.from(entry).toString()),
					started_on: startedOnOf(loaded.snapshot, key) ?? null,
				};
				return answerCached(call, expanded, loaded.run, LOOKUP_MAX_AGE_SECONDS, deps.clock.now());
			}
			return answerEntry(call, entry, loaded.run, LOOKUP_MAX_AGE_SECONDS, deps.clock.now());
		}),
		answerAtOnce: createFastLookUp(deps),
	};
}

function loadedOrProblem(deps: DocumentRouteDeps): Loaded {
	const loaded = deps.current.get();
	if (!loaded) throw registryUnavailable();
	return loaded;
}

type BatchRouteDeps = {
	readonly takeView: TakeView;
	readonly current: Current;
	readonly tombstones: Tombstones;
	readonly clock: Clock;
};

const DocumentBatch = Type.Object(
	{
		documents: Type.Array(Type.String({ description: "As in a single look-up; hyphens are optional." }), {
			minItems: 1,
			maxItems: ITEMS_MAX,
			description: `At most ${ITEMS_MAX}, or fewer by plan: demo key 10, free 100, starter 500.`,
		}),
		as_of: Type.Optional(asOfMember),
	},
	{ $id: "DocumentBatch", additionalProperties: false },
);
type DocumentBatch = Static<typeof DocumentBatch>;

const document = Type.String({ description: "As requested." });
const DocumentBatchResult = Type.Object(
	{
		results: Type.Array(
			Type.Union([
				Type.Object({ document, outcome: Type.Literal("found"), entry: BatchEntry }),
				Type.Object({
					document,
					outcome: Type.Union([Type.Literal("not_found"), Type.Literal("invalid")], {
						description: "`invalid` if neither 9 nor 11 digits remain without hyphens.",
					}),
				}),
			]),
			{ description: "One for each number, in the order of the request." },
		),
		run_id: runIdMember,
	},
	{ $id: "DocumentBatchResult" },
);
type DocumentBatchResult = Static<typeof DocumentBatchResult>;

export function batchDocuments(deps: BatchRouteDeps): Operation {
	return {
		id: "batchDocuments",
		sdk: "registry.lookupBatch",
		method: "POST",
		path: "/v1/authority/document:batch",
		tag: "Registry",
		summary: "Look up many taxpayers",
		description:
			"Returns the registry entries of up to 1,000 numbers, or fewer by plan. Each number has its own outcome: an unknown or invalid one does not affect the others. All entries come from one ingest run.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		limit: "lookup",
		// Invalid text counts as an invalid number.
		body: { ...jsonBody(DocumentBatch, { documents: ["131880681", "999999999", "12"] }), takesAnyText: true },
		answers: {
			200: {
				description: "An outcome for each number.",
				schema: DocumentBatchResult,
				example: {
					results: [
						{ document: "131880681", outcome: "found", entry: exampleEntry },
						{ document: "999999999", outcome: "not_found" },
						{ document: "12", outcome: "invalid" },
					],
					run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
				},
				headers: oneRunHeaders,
			},
		},
		problems: [...bodyProblems, "history-not-available"],
		handle: withoutCachingProblems(async (call) => {
			const { documents, as_of } = await readJson<DocumentBatch>(call);
			checkPlan(call, "/documents", documents.length, ITEMS_MAX);
			if (as_of !== undefined) return answerBatchAsOf(deps, call, documents, as_of);
			const view = viewOrProblem(deps.takeView);
			const results = documents.map((text) => lookUp(view, text));
			countValid(call, results);
			return answerOneRun(view, deps.clock.now(), { results, run_id: view.run.runId });
		}),
	};
}

function answerBatchAsOf(deps: HistoryDeps, call: Call, documents: readonly string[], day: string): Response {
	const fault = checkDay(day);
	if (fault) throw new Problem("validation-error", { faults: [{ pointer: "/as_of", ...fault }] });
	const { loaded, find } = openDay(deps, { day, pointer: "/as_of", historyDays: historyDaysOf(call) });
	const results = documents.map((text): DocumentBatchResult["results"][number] => {
		const parsed = parseTaxpayerDocument(text);
		if (!parsed) return { document: text, outcome: "invalid" };
		const entry = toEntryAsOf(day, find(parsed));
		return entry ? { document: text, outcome: "found", entry } : { document: text, outcome: "not_found" };
	});
	countValid(call, results);
	return answerOneRun(loaded, deps.clock.now(), { results, run_id: loaded.run.runId });
}

/** An invalid number is free; that a number is unknown is an answer. */
function countValid(call: Call, results: DocumentBatchResult["results"]): void {
	call.countBillable?.(results.filter(({ outcome }) => outcome !== "invalid").length);
}

function lookUp(view: RegistryView, text: string): DocumentBatchResult["results"][number] {
	const parsed = parseTaxpayerDocument(text);
	if (!parsed) return { document: text, outcome: "invalid" };
	const entry = view.lookup(parsed);
	return entry ? { document: text, outcome: "found", entry } : { document: text, outcome: "not_found" };
}
