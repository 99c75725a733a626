/** Looks up many numbers in one request. */
import { type Static, Type } from "@sinclair/typebox";
import { NEEDS_KEY, type Operation, readJson } from "../platform/operation";
import { type Clock, parseTaxpayerDocument } from "../platform/values";
import { withoutCachingProblems } from "./cached-answer";
import { exampleEntry, RegistryEntry } from "./entry";
import { answerOneRun, bodyProblems, bodyRule, checkPlan, ITEMS_MAX, oneRunHeaders, runIdMember } from "./many-at-once";
import { type RegistryView, type TakeView, viewOrProblem } from "./view";

type BatchRouteDeps = { readonly takeView: TakeView; readonly clock: Clock };

const DocumentBatch = Type.Object(
	{
		documents: Type.Array(Type.String({ description: "As in a look-up; hyphens are optional." }), {
			minItems: 1,
			maxItems: ITEMS_MAX,
			description: `At most ${ITEMS_MAX}, fewer by plan: 10 for the demo key, 100 free, 500 starter.`,
		}),
	},
	{ $id: "DocumentBatch", additionalProperties: false },
);
type DocumentBatch = Static<typeof DocumentBatch>;

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
		run_id: runIdMember,
	},
	{ $id: "DocumentBatchResult" },
);
type DocumentBatchResult = Static<typeof DocumentBatchResult>;

export function batchDocuments(deps: BatchRouteDeps): Operation {
	return {
		id: "batchDocuments",
		method: "POST",
		path: "/v1/authority/document:batch",
		tag: "Registry",
		summary: "Look many taxpayers up",
		description:
			"The registry's entries of up to 1,000 numbers, fewer by plan. Each number has its own outcome: one that is not there or has no valid form does not spoil the others. All entries come from one ingest run.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		limit: "lookup",
		// A text that no document could hold is a number without a valid form like any other.
		body: { ...bodyRule(DocumentBatch, { documents: ["131880681", "999999999", "12"] }), takesAnyText: true },
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
			checkPlan(call, "/documents", documents.length, ITEMS_MAX);
			const view = viewOrProblem(deps.takeView);
			return answerOneRun(view, deps.clock.now(), {
				results: documents.map((text) => lookUp(view, text)),
				run_id: view.run.runId,
			});
		}),
	};
}

function lookUp(view: RegistryView, text: string): DocumentBatchResult["results"][number] {
	const parsed = parseTaxpayerDocument(text);
	if (!parsed) return { document: text, outcome: "invalid" };
	const entry = view.lookup(parsed);
	return entry ? { document: text, outcome: "found", entry } : { document: text, outcome: "not_found" };
}
