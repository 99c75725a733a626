/** How many requests of one kind each caller has open in this process: streams, waits, long work. */
import { Problem } from "../../platform/problem";

export type Seats = {
	/** Takes a seat; the answer gives it back, once. Throws: rate-limit-exceeded when the caller has all of its own. */
	readonly take: (subject: string) => () => void;
};

/** `detail` is the sentence of the refusal. Nobody knows when a seat is free again: `retryAfter` is a guess. Units: seconds. */
export function createSeats(rule: {
	readonly max: number;
	readonly policy: string;
	readonly detail: string;
	readonly retryAfter: number;
}): Seats {
	const { max, policy, detail, retryAfter } = rule;
	const taken = new Map<string, number>();
	return {
		take(subject) {
			const before = taken.get(subject) ?? 0;
			if (before >= max) {
				throw new Problem("rate-limit-exceeded", {
					detail,
					extensions: { limit: max, retryAfter, policy },
					headers: { "retry-after": String(retryAfter) },
				});
			}
			taken.set(subject, before + 1);
			let isGiven = false;
			return () => {
				if (isGiven) return;
				isGiven = true;
				const left = (taken.get(subject) ?? 1) - 1;
				if (left > 0) taken.set(subject, left);
				else taken.delete(subject);
			};
		},
	};
}
