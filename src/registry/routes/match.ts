/** Finds taxpayers by name, many names in one request. */

import { type Static, Type } from "@sinclair/typebox";
import { callerOf, createCallerLimit } from "../../identity/rate-limits";
import { type Call, NEEDS_KEY, type Operation, readJson } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Clock } from "../../platform/values";
import { exampleEntry, RegistryEntry } from "../entry";
import { createSlices, MATCHED_FIELDS, matchName } from "../match";
import { type RegistryView, type TakeView, viewOrProblem } from "../runs";
import type { Vocabulary } from "../search";
import {
	answerOneRun,
	bodyProblems,
	bodyRule,
	checkPlan,
	oneRunHeaders,
	runIdMember,
	withoutCachingProblems,
} from "./answers";

type MatchRouteDeps = {
	readonly takeView: TakeView;
	readonly vocabularyFor: (view: RegistryView) => Promise<Vocabulary>;
	readonly clock: Clock;
};

const NAMES_MAX = 100;
const NAME_LENGTH_MAX = 250;
const MATCHES_DEFAULT = 3;
const MATCHES_MAX = 10;
const SCORE_DEFAULT = 0.8;
const SCORE_MIN = 0.5;
/** Requests of one caller at once: they take turns, name by name, with everybody else's. */
const AT_ONCE_MAX = 4;
/** As long as somebody who hears nothing is likely to wait. */
const SECONDS_MAX = 30;

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
		run_id: runIdMember,
	},
	{ $id: "NameMatchResult" },
);

type MatchedName = Static<typeof NameMatchResult>["results"][number];

export function matchDocuments(deps: MatchRouteDeps): Operation {
	const slices = createSlices();
	const callerLimit = createCallerLimit({
		max: AT_ONCE_MAX,
		policy: "matches-at-once",
		detail: `A caller has ${AT_ONCE_MAX} requests for names under way at most.`,
		retryAfter: 1,
	});
	return {
		id: "matchDocuments",
		method: "POST",
		path: "/v1/authority/document:match",
		tag: "Registry",
		summary: "Find taxpayers by name",
		description:
			"For each of up to 100 names the entries whose legal or commercial name is most like it. The score is 1 for the same words in any order, whatever their case, accents and punctuation; a word that only one of the names has lowers it by its weight, a misspelt one by little. Rare words weigh most, words such as DE or LA little, legal forms such as SRL hardly anything. Equal scores: active entries first, then the number. The same run gives the same answer. A request counts as one search; a name takes 10 to 40 ms, names of all callers take turns, and a caller has " +
			`${AT_ONCE_MAX} requests under way at most.`,
		credentials: NEEDS_KEY,
		scope: "registry:read",
		limit: "search",
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
		problems: [...bodyProblems, "service-unavailable"],
		handle: withoutCachingProblems(async (call) => {
			const request = await readJson<NameMatchRequest>(call);
			const { names, min_score: minScore = SCORE_DEFAULT, limit = MATCHES_DEFAULT } = request;
			checkPlan(call, "/names", names.length, NAMES_MAX);
			const view = viewOrProblem(deps.takeView);
			const vocabulary = await deps.vocabularyFor(view);
			const results: MatchedName[] = [];
			const throwIfAbandoned = createAbandonedCheck(call);
			const leave = callerLimit.enter(callerOf(call, "search"));
			try {
				for (const name of names) {
					const work = () => matchName(view, vocabulary, name, { minScore, limit });
					results.push({ name, matches: await slices.run(work, throwIfAbandoned) });
				}
			} finally {
				leave();
			}
			return answerOneRun(view, deps.clock.now(), {
				results: results.map((result) => dropErased(view, result)),
				run_id: view.run.runId,
			});
		}),
	};
}

/** Throws as soon as nobody waits for the answer any more: service-unavailable. */
function createAbandonedCheck({ request }: Call): () => void {
	const endsAt = performance.now() + SECONDS_MAX * 1_000;
	return () => {
		if (!request.signal.aborted && performance.now() < endsAt) return;
		const detail = `The names could not be compared within ${SECONDS_MAX} s: too many are asked for at once.`;
		throw new Problem("service-unavailable", { detail, headers: { "retry-after": "5" } });
	};
}

/** Much time may have gone by since the first names were matched. */
function dropErased(view: RegistryView, { name, matches }: MatchedName): MatchedName {
	return { name, matches: matches.filter(({ entry }) => !view.isErased(entry.rnc)) };
}
