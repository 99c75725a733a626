/** What the steps of a thread know of the authority's services: how fast to call each, when to ask, and when to tell all processes. */

import { createServiceBreaker, FAILURES_TO_OPEN, type Segment, type ServiceName } from "../../../authority/client";
import { isInTheWay, recordReachability } from "../../../authority/status";
import type { CircuitBreaker } from "../../../platform/concurrency";
import type { Sql } from "../../../platform/database";
import { createFirstQuestion, type FirstQuestion } from "./first-question";

export type { Road } from "../../../authority/status";

export type Reachability = {
	readonly breakerOf: (segment: Segment, service: ServiceName) => CircuitBreaker;
	readonly firstQuestionOf: (segment: Segment) => FirstQuestion;
	/** Lets all processes know, for companies that would rather be refused than queued. */
	readonly note: (segment: Segment, service: ServiceName, isReached: boolean) => Promise<void>;
};

const OPEN_SECONDS = 30;
/** Good news is told when it is news, and once a second because another process may have told bad ones. */
const GOOD_NEWS_MS = 1_000;

export function createReachability(sql: Sql, placesMax: number): Reachability {
	const breakers = new Map<string, CircuitBreaker>();
	const firstQuestions = new Map<Segment, FirstQuestion>();
	const toldGoodAtMs = new Map<string, number>();
	return {
		breakerOf(segment, service) {
			const key = `${segment} ${service}`;
			const breaker = breakers.get(key) ?? createServiceBreaker(placesMax);
			breakers.set(key, breaker);
			return breaker;
		},
		firstQuestionOf(segment) {
			const question = firstQuestions.get(segment) ?? createFirstQuestion();
			firstQuestions.set(segment, question);
			return question;
		},
		async note(segment, service, isReached) {
			if (!isInTheWay(service)) return;
			const key = `${segment} ${service}`;
			const nowMs = performance.now();
			if (isReached) {
				if (nowMs - (toldGoodAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < GOOD_NEWS_MS) return;
				toldGoodAtMs.set(key, nowMs);
			} else toldGoodAtMs.delete(key);
			await recordReachability(sql, { segment, service }, isReached, FAILURES_TO_OPEN, OPEN_SECONDS);
		},
	};
}
