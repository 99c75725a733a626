/** Finds taxpayers by name, many names in one request. */

import { type Static, Type } from "@sinclair/typebox";
import { callerOf, createCallerLimit } from "../../identity/rate-limits";
import { jsonBody, NEEDS_KEY, type Operation, readJson } from "../../platform/operation";
import { msg } from "../../platform/problem";
import type { Clock } from "../../platform/values";
import { exampleEntry, RegistryEntry } from "../entry";
import type { HarvestLimit } from "../harvest";
import { keyOf } from "../index/index";
import { createAbandonedCheck, MATCHED_FIELDS, matchName, type Slices } from "../match";
import { type RegistryView, type TakeView, viewOrProblem } from "../runs";
import type { Vocabulary } from "../search";
import { answerOneRun, bodyProblems, checkPlan, oneRunHeaders, runIdMember, withoutCachingProblems } from "./answers";

type MatchRouteDeps = {
	readonly takeView: TakeView;
	readonly vocabularyFor: (view: RegistryView) => Promise<Vocabulary>;
	readonly slices: Slices;
	readonly clock: Clock;
	readonly harvest: Pick<HarvestLimit, "admit">;
};

const NAMES_MAX = 100;
const NAME_LENGTH_MAX = 250;
const MATCHES_DEFAULT = 3;
const MATCHES_MAX = 10;
const SCORE_DEFAULT = 0.8;
const SCORE_MIN = 0.5;
/** Concurrent requests of one caller. Names of all callers take turns. */
const AT_ONCE_MAX = 4;

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
				description: `Minimum score of a returned entry. Default: ${SCORE_DEFAULT}.`,
			}),
		),
		limit: Type.Optional(
			Type.Integer({
				minimum: 1,
				maximum: MATCHES_MAX,
				default: MATCHES_DEFAULT,
				description: `Maximum number of entries for each name. Default: ${MATCHES_DEFAULT}.`,
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
				name: Type.String({ description: "As requested." }),
				matches: Type.Array(
					Type.Object({
						score: Type.Number({ minimum: 0, maximum: 1, description: "1 if the names have the same words." }),
						field: Type.Union(
							MATCHED_FIELDS.map((field) => Type.Literal(field)),
							{ description: "The entry's name that was scored." },
						),
						entry: RegistryEntry,
					}),
					{ description: "Best first; empty if no entry scores high enough." },
				),
			}),
			{ description: "One for each name, in the order of the request." },
		),
		run_id: runIdMember,
	},
	{ $id: "NameMatchResult" },
);

type MatchedName = Static<typeof NameMatchResult>["results"][number];

export function matchDocuments(deps: MatchRouteDeps): Operation {
	const callerLimit = createCallerLimit({
		max: AT_ONCE_MAX,
		policy: "matches-at-once",
		detail: msg`You can have at most ${AT_ONCE_MAX} name requests in progress.`,
		retryAfter: 1,
	});
	return {
		id: "matchDocuments",
		sdk: "registry.match",
		method: "POST",
		path: "/v1/authority/document:match",
		tag: "Registry",
		summary: "Find taxpayers by name",
		description:
			"Returns, for each of up to 100 names, the entries with the most similar legal or commercial name. The score is 1 for the same words in any order; case, accents and punctuation do not count. A word that only one of the names has lowers the score by its weight, and a misspelling lowers it a little. Rare words weigh most, words such as DE or LA little, legal forms such as SRL hardly anything. Equal scores are sorted by active entries first, then by number. The same run gives the same answer. A request counts as one search and takes 10 to 40 ms for each name. Names of all callers take turns, and you can have " +
			`at most ${AT_ONCE_MAX} requests in progress.`,
		credentials: NEEDS_KEY,
		scope: "registry:read",
		limit: "search",
		body: jsonBody(NameMatchRequest, { names: ["Fereteria El Progreso, S.R.L."], min_score: SCORE_DEFAULT }),
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
		problems: [...bodyProblems, "registry-harvest-limit", "service-unavailable"],
		handle: withoutCachingProblems(async (call) => {
			const request = await readJson<NameMatchRequest>(call);
			const { names, min_score: minScore = SCORE_DEFAULT, limit = MATCHES_DEFAULT } = request;
			checkPlan(call, "/names", names.length, NAMES_MAX);
			const view = viewOrProblem(deps.takeView);
			const shown = deps.harvest.admit(call);
			const vocabulary = await deps.vocabularyFor(view);
			const results: MatchedName[] = [];
			const throwIfAbandoned = createAbandonedCheck(call);
			const leave = callerLimit.enter(callerOf(call, "search"));
			try {
				for (const name of names) {
					const work = () => matchName(view, vocabulary, name, { minScore, limit });
					results.push({ name, matches: await deps.slices.run(work, throwIfAbandoned) });
				}
			} finally {
				leave();
			}
			const answered = results.map((result) => dropErased(view, result));
			call.countBillable?.(answered.filter(({ matches }) => matches.length > 0).length);
			for (const { entry } of answered.flatMap(({ matches }) => matches)) shown?.add(keyOf(entry.rnc));
			return answerOneRun(view, deps.clock.now(), { results: answered, run_id: view.run.runId });
		}),
	};
}

/** Entries may have been erased since the first names were matched. */
function dropErased(view: RegistryView, { name, matches }: MatchedName): MatchedName {
	return { name, matches: matches.filter(({ entry }) => !view.isErased(entry.rnc)) };
}
