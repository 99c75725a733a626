/** How many requests of one kind a caller may have open in this process: streams, long polls, long work. */
import { createKeyedSemaphore } from "../../platform/concurrency";
import { Problem } from "../../platform/problem";

export type CallerLimit = {
	/** Returns the function that gives the place back. Throws: rate-limit-exceeded when the caller has all of its places. */
	readonly enter: (subject: string) => () => void;
};

/** `detail` is the sentence of the refusal. `retryAfter` is an estimate, since requests end at any time. Units: seconds. */
export function createCallerLimit(rule: {
	readonly max: number;
	readonly policy: string;
	readonly detail: string;
	readonly retryAfter: number;
}): CallerLimit {
	const { max, policy, detail, retryAfter } = rule;
	const semaphore = createKeyedSemaphore({ maxPerKey: max });
	return {
		enter(subject) {
			const leave = semaphore.tryAcquire(subject);
			if (leave) return leave;
			throw new Problem("rate-limit-exceeded", {
				detail,
				extensions: { limit: max, retryAfter, policy },
				headers: { "retry-after": String(retryAfter) },
			});
		},
	};
}
