/**
 * Nobody waits for an answer until the listener cuts the connection without a word. Statements end in time, but whoever waits for a connection to the
 * database behind others, all of which wait for a lock, has not asked anything yet: the third in such a row would wait for a minute and a half.
 */
import { Problem } from "../../platform/problem";
import type { RequestState } from "./request-state";

/** The listener cuts what has been silent for a minute, or some seconds less. */
const LIMIT_MS = 50_000;
const LOOK_EVERY_MS = 1_000;

type Waiting = { readonly state: Pick<RequestState, "waitsSince">; readonly giveUp: (error: Problem) => void };

/** The function calls back once when the request has waited for too long since its body was whole; what it answers ends that. */
export type InTime = (state: Waiting["state"], giveUp: Waiting["giveUp"]) => () => void;

/** One timer for all requests, since nearly all are answered long before. */
export function createInTime(limitMs = LIMIT_MS, lookEveryMs = LOOK_EVERY_MS): InTime {
	const waiting = new Set<Waiting>();
	setInterval(() => {
		const now = performance.now();
		for (const one of waiting) {
			if (one.state.waitsSince === undefined || now - one.state.waitsSince < limitMs) continue;
			waiting.delete(one);
			one.giveUp(tooLate());
		}
	}, lookEveryMs).unref();
	return (state, giveUp) => {
		const one = { state, giveUp };
		waiting.add(one);
		return () => void waiting.delete(one);
	};
}

/** What was begun may still be done later; a repeat under the same key finds it. */
function tooLate(): Problem {
	return new Problem("service-unavailable", {
		detail:
			"The service is busy with what came before this. What was asked for may still be done: a repeat under the same key tells.",
		headers: { "retry-after": "5" },
	});
}
