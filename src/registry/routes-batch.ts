/** Looks up many numbers, and finds entries by name, in one request each. */
import { type Static, Type } from "@sinclair/typebox";
import { type BodyRule, type Call, json, NEEDS_KEY, type Operation, type Plan, readJson } from "../operation";
import { Problem } from "../problem";
import { type Clock, parseTaxpayerDocument } from "../values";
import { withoutCachingProblems } from "./cached-answer";
import { isStale } from "./current";
import { exampleEntry, RegistryEntry } from "./entry";
import type { Vocabulary } from "./fuzzy/vocabulary";
import { MATCHED_FIELDS, matchName } from "./match/match-name";
import { type RegistryView, type TakeView, viewOrProblem } from "./view";

export type BatchRouteDeps = {
	readonly takeView: TakeView;
	readonly vocabularyOf: (view: RegistryView) => Promise<Vocabulary>;
	readonly clock: Clock;
};

export function batchOperations(deps: BatchRouteDeps): Operation[] {
	return [batchDocuments(deps), matchDocuments(deps)];
}

const TAG = "Registry";
const BODY_BYTES_MAX = 256 * 1024;
const DOCUMENTS_MAX = 1_000;
const NAMES_MAX = 100;
const NAME_LENGTH_MAX = 250;
const MATCHES_DEFAULT = 3;
const MATCHES_MAX = 10;
const SCORE_DEFAULT = 0.8;
const SCORE_MIN = 0.5;

/** Items that a plan may ask for at once. */
const batchMax: Readonly<Record<Plan, number>> = {
	demo: 10,
	free: 100,
	starter: 500,
	business: DOCUMENTS_MAX,
	enterprise: DOCUMENTS_MAX,
	unlimited: DOCUMENTS_MAX,
};

const DocumentBatch = Type.Object(
	{
		documents: Type.Array(Type.String({ description: "As in a look-up; hyphens are optional." }), {
			minItems: 1,
			maxItems: DOCUMENTS_MAX,
			description: `At most ${DOCUMENTS_MAX}, fewer by plan: 10 for the demo key, 100 free, 500 starter.`,
		}),
	},
	{ $id: "DocumentBatch", additionalProperties: false },
);
type DocumentBatch = Static<typeof DocumentBatch>;

const runId = Type.String({ description: "The ingest run that every entry of the answer comes from." });

const document = Type.String({ description: "As asked for." });
const DocumentBatchResult = Type.Object(
	{
		results: Type.Array(
			Type.Union([
				Type.Object({ document, outcome: Type.Literal("found"), entry: RegistryEntry }),
				Type.Object({
					document,
					outcome: Type.Union([Type.Literal("not_found"), Type.Literal("invalid")], {
						description: "`invalid` when neither 9 nor 11 digits remain without hyphens.",
					}),
				}),
			]),
			{ description: "One for each number, in the order asked." },
		),
		run_id: runId,
	},
	{ $id: "DocumentBatchResult" },
);
type DocumentBatchResult = Static<typeof DocumentBatchResult>;

const oneRunHeaders = {
	"Cache-Control": "`no-store`",
	"X-Registry-Run-Id": "The ingest run that produced the data.",
	"X-Registry-Stale": "`true` when the last ingest is older than 36 hours; otherwise absent.",
};

const bodyRule = (schema: BodyRule["schema"], example: unknown): BodyRule => ({
	schema,
	limitBytes: BODY_BYTES_MAX,
	required: true,
	mediaTypes: ["application/json"],
	example,
});

const bodyProblems = [
	"malformed-json",
	"validation-error",
	"payload-too-large",
	"unsupported-media-type",
	"registry-unavailable",
] as const;

function batchDocuments(deps: BatchRouteDeps): Operation {
	return {
		id: "batchDocuments",
		method: "POST",
		path: "/v1/authority/document:batch",
		tag: TAG,
		summary: "Look many taxpayers up",
		description:
			"The registry's entries of up to 1,000 numbers, fewer by plan. Each number has its own outcome: one that is not there or has no valid form does not spoil the others. All entries come from one ingest run.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		body: bodyRule(DocumentBatch, { documents: ["131880681", "999999999", "12"] }),
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
		problems: [...bodyProblems],
		handle: withoutCachingProblems(async (call) => {
			const { documents } = await readJson<DocumentBatch>(call);
			checkPlan(call, "/documents", documents.length, DOCUMENTS_MAX);
			const view = viewOrProblem(deps.takeView);
			return answerOneRun(deps, view, { results: documents.map((text) => lookUp(view, text)), run_id: view.run.runId });
		}),
	};
}

function lookUp(view: RegistryView, text: string): DocumentBatchResult["results"][number] {
	const parsed = parseTaxpayerDocument(text);
	if (!parsed) return { document: text, outcome: "invalid" };
	const entry = view.lookup(parsed);
	return entry ? { document: text, outcome: "found", entry } : { document: text, outcome: "not_found" };
}

const NameMatchRequest = Type.Object(
	{
		names: Type.Array(
			Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: "A legal or commercial name." }),
			{
				minItems: 1,
				maxItems: NAMES_MAX,
				description: `At most ${NAMES_MAX}; 10 for the demo key.`,
			},
		),
		min_score: Type.Optional(
			Type.Number({
				minimum: SCORE_MIN,
				maximum: 1,
				default: SCORE_DEFAULT,
				description: `Least score of an entry that is told; ${SCORE_DEFAULT} when absent.`,
			}),
		),
		limit: Type.Optional(
			Type.Integer({
				minimum: 1,
				maximum: MATCHES_MAX,
				default: MATCHES_DEFAULT,
				description: `Most entries for each name; ${MATCHES_DEFAULT} when absent.`,
			}),
		),
	},
	{ $id: "NameMatchRequest", additionalProperties: false },
);
type NameMatchRequest = Static<typeof NameMatchRequest>;

const NameMatchResult = Type.Object(
	{
		results: Type.Array(
			Type.Object({
				name: Type.String({ description: "As asked for." }),
				matches: Type.Array(
					Type.Object({
						score: Type.Number({ minimum: 0, maximum: 1, description: "1 when the names have the same words." }),
						field: Type.Union(
							MATCHED_FIELDS.map((field) => Type.Literal(field)),
							{ description: "Which of the entry's names scored." },
						),
						entry: RegistryEntry,
					}),
					{ description: "Best first; empty when no entry scores enough." },
				),
			}),
			{ description: "One for each name, in the order asked." },
		),
		run_id: runId,
	},
	{ $id: "NameMatchResult" },
);

function matchDocuments(deps: BatchRouteDeps): Operation {
	return {
		id: "matchDocuments",
		method: "POST",
		path: "/v1/authority/document:match",
		tag: TAG,
		summary: "Find taxpayers by name",
		description:
			"For each of up to 100 names the entries whose legal or commercial name is most like it. The score is 1 for the same words in any order, whatever their case, accents and punctuation; a word that only one of the names has lowers it by its weight, a misspelt one by little. Rare words weigh most, words such as DE or LA little, legal forms such as SRL hardly anything. Equal scores: active entries first, then the number. The same run gives the same answer.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		body: bodyRule(NameMatchRequest, { names: ["Fereteria El Progreso, S.R.L."], min_score: SCORE_DEFAULT }),
		answers: {
			200: {
				description: "The best entries for each name.",
				schema: NameMatchResult,
				example: {
					results: [
						{
							name: "Fereteria El Progreso, S.R.L.",
							matches: [{ score: 0.9783, field: "name", entry: exampleEntry }],
						},
					],
					run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
				},
				headers: oneRunHeaders,
			},
		},
		problems: [...bodyProblems],
		handle: withoutCachingProblems(async (call) => {
			const request = await readJson<NameMatchRequest>(call);
			const { names, min_score: minScore = SCORE_DEFAULT, limit = MATCHES_DEFAULT } = request;
			checkPlan(call, "/names", names.length, NAMES_MAX);
			const view = viewOrProblem(deps.takeView);
			const vocabulary = await deps.vocabularyOf(view);
			const results: Static<typeof NameMatchResult>["results"] = [];
			for (const name of names) {
				results.push({ name, matches: matchName(view.search, vocabulary, name, { minScore, limit }) });
				// A hundred names are much work for one turn: look-ups that wait are answered between two of them.
				await new Promise((done) => setImmediate(done));
			}
			return answerOneRun(deps, view, { results, run_id: view.run.runId });
		}),
	};
}

/** Throws: validation-error when the caller's plan takes fewer items. */
function checkPlan(call: Call, pointer: string, count: number, max: number): void {
	const plan = call.principal?.plan;
	if (!plan) throw new Error(`operation ${call.operation.id} has no principal`);
	const maximum = Math.min(batchMax[plan], max);
	if (count <= maximum) return;
	const detail = `The plan ${plan} takes at most ${maximum} items at once.`;
	throw new Problem("validation-error", { faults: [{ pointer, code: "too-many", detail, maximum }] });
}

function answerOneRun(deps: BatchRouteDeps, view: RegistryView, body: unknown): Response {
	return json(200, body, {
		"cache-control": "no-store",
		"x-registry-run-id": view.run.runId,
		...(isStale(view.run, deps.clock.now()) ? { "x-registry-stale": "true" } : {}),
	});
}
