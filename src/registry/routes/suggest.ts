/** Suggestions for a search box, as the user types. */
import { type Static, Type } from "@sinclair/typebox";
import { NEEDS_KEY, type Operation, type Parameter, readQuery } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import type { Clock } from "../../platform/values";
import { exampleEntry, RegistrySearchItem } from "../entry";
import type { HarvestLimit } from "../harvest";
import { keyOf } from "../index/index";
import { createAbandonedCheck } from "../match";
import { type TakeView, viewOrProblem } from "../runs";
import { readFilters, statusParameter, typeParameter } from "../search";
import type { Suggest, Suggestion } from "../suggest";
import {
	answerCached,
	cachedHeaders,
	conditionalParameter,
	notModified,
	runIdMember,
	withoutCachingProblems,
} from "./answers";

type SuggestRouteDeps = {
	readonly takeView: TakeView;
	readonly suggest: Suggest;
	readonly clock: Clock;
	readonly harvest: Pick<HarvestLimit, "admit">;
};

const MAX_AGE_SECONDS = 60;
const QUERY_LENGTH_MIN = 2;
const QUERY_LENGTH_MAX = 80;
const LIMIT_DEFAULT = 8;
const LIMIT_MAX = 10;

const { rnc, name, trade_name, status } = RegistrySearchItem.properties;

const SuggestResult = Type.Object(
	{
		suggestions: Type.Array(
			Type.Object({
				...{ rnc, name, trade_name, status },
				field: Type.Union([Type.Literal("name"), Type.Literal("trade_name"), Type.Literal("document")], {
					description: "The member in which `q` was found; `document` is the number.",
				}),
				highlight: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
					description:
						"Where that member has the words of `q`: each the position of the first character and the one after the last, in UTF-16 code units.",
				}),
			}),
			{ description: "Best first." },
		),
		count: Type.Integer({ description: "Suggestions in this answer." }),
		partial: Type.Boolean({ description: "True if more entries match." }),
		run_id: runIdMember,
	},
	{ $id: "RegistrySuggestResult" },
);

const suggestParameters: readonly Parameter[] = [
	{
		name: "q",
		in: "query",
		required: true,
		description: `What was typed so far, ${QUERY_LENGTH_MIN} to ${QUERY_LENGTH_MAX} characters. Three digits or more, with or without hyphens, are the start of a number. Everything else is searched for in the legal and the commercial name.`,
		schema: Type.String({ minLength: QUERY_LENGTH_MIN, maxLength: QUERY_LENGTH_MAX }),
		example: "ferr pro",
	},
	{
		name: "limit",
		in: "query",
		required: false,
		description: `Maximum number of suggestions, an integer from 1 to ${LIMIT_MAX}. Default: ${LIMIT_DEFAULT}.`,
		schema: Type.String({
			pattern: `^([1-9]|${LIMIT_MAX})$`,
			default: String(LIMIT_DEFAULT),
			faultDetail: msg`Expected an integer from 1 to ${LIMIT_MAX}.`,
		}),
		example: "8",
	},
	typeParameter,
	statusParameter,
];

export function suggestDocuments({ takeView, suggest, clock, harvest }: SuggestRouteDeps): Operation {
	return {
		id: "suggestDocuments",
		sdk: "registry.suggest",
		method: "GET",
		path: "/v1/authority/document:suggest",
		tag: "Registry",
		summary: "Suggest taxpayers while typing",
		description:
			"Answers each key press of a search box. Entries whose legal or commercial name has words that start with those of `q` come first, in the order of the search, then those found with two words joined or one split. Misspelt words are considered only if nothing else is found. The same `q` gives the same answer to every caller, so answers may be cached. Plans limit how many distinct entries a day (UTC) shows.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		limit: "suggest",
		parameters: [...suggestParameters, conditionalParameter],
		answers: {
			200: {
				description: "The best entries; empty if nothing matches.",
				schema: SuggestResult,
				example: toBody([exampleSuggestion()], false, "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f"),
				headers: cachedHeaders(MAX_AGE_SECONDS),
			},
			304: notModified(MAX_AGE_SECONDS),
		},
		problems: ["validation-error", "registry-harvest-limit", "registry-unavailable", "service-unavailable"],
		isPlenty: true,
		handle: withoutCachingProblems(async (call) => {
			const values = readQuery(call);
			const view = viewOrProblem(takeView);
			const shown = harvest.admit(call);
			const options = { ...readFilters(values), limit: Number(values.limit ?? LIMIT_DEFAULT) };
			const found = await suggest(view, values.q ?? "", options, createAbandonedCheck(call));
			if (!found) {
				const detail = msg`Fewer than ${QUERY_LENGTH_MIN} characters remain without accents, punctuation and outer spaces.`;
				const fault = { pointer: "#/query/q", code: "too-short", detail, minimum: QUERY_LENGTH_MIN };
				throw new Problem("validation-error", { faults: [fault] });
			}
			if (shown) for (const { rnc } of found.suggestions) shown.add(keyOf(rnc));
			const body = toBody(found.suggestions, found.more, view.run.runId);
			return answerCached(call, body, view.run, MAX_AGE_SECONDS, clock.now());
		}),
	};
}

function toBody(suggestions: readonly Suggestion[], partial: boolean, run_id: string): Static<typeof SuggestResult> {
	const shown = suggestions.map((one) => ({ ...one, highlight: one.highlight.map((place) => [...place]) }));
	return { suggestions: shown, count: shown.length, partial, run_id };
}

function exampleSuggestion(): Suggestion {
	const { rnc, name, trade_name, status } = exampleEntry;
	const highlight = [[0, 4] as const, [14, 17] as const];
	return { ...{ rnc, name, trade_name, status }, field: "name", highlight };
}
