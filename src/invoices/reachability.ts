/** What the steps of a thread know of the authority's hosts: how fast to call each, when to ask, and when to tell all processes. */
import { createPace, FAILURES_TO_SHUT, type Pace, type Segment } from "../authority";
import { recordReachability } from "../authority-status";
import type { Sql } from "../database";
import { createFirstQuestion, type FirstQuestion } from "./first-question";

/** Hosts have different names and different days: the one of all services, and the one of summaries. */
export type Road = "main" | "fc";

export type Reachability = {
	readonly paceOf: (segment: Segment, road: Road) => Pace;
	readonly firstQuestionOf: (segment: Segment) => FirstQuestion;
	/** Lets all processes know, for companies that would rather be refused than queued. */
	readonly note: (segment: Segment, isReached: boolean) => Promise<void>;
};

const OPEN_SECONDS = 30;
/** Good news is told when it is news, and once a second because another process may have told bad ones. */
const GOOD_NEWS_MS = 1_000;

export function createReachability(sql: Sql, placesMax: number): Reachability {
	const paces = new Map<string, Pace>();
	const firstQuestions = new Map<Segment, FirstQuestion>();
	const toldGoodAtMs = new Map<Segment, number>();
	return {
		paceOf(segment, road) {
			const key = `${segment} ${road}`;
			const pace = paces.get(key) ?? createPace(placesMax);
			paces.set(key, pace);
			return pace;
		},
		firstQuestionOf(segment) {
			const question = firstQuestions.get(segment) ?? createFirstQuestion();
			firstQuestions.set(segment, question);
			return question;
		},
		async note(segment, isReached) {
			const nowMs = performance.now();
			if (isReached) {
				if (nowMs - (toldGoodAtMs.get(segment) ?? Number.NEGATIVE_INFINITY) < GOOD_NEWS_MS) return;
				toldGoodAtMs.set(segment, nowMs);
			} else toldGoodAtMs.delete(segment);
			await recordReachability(sql, segment, isReached, FAILURES_TO_SHUT, OPEN_SECONDS);
		},
	};
}
