/**
 * Runs long work in small steps without delaying quick answers.
 *
 *   name of A   ▪▪▪▪ ▪▪▪▪ ▪▪          each ▪ a step, each gap a turn of the event loop, in which other requests are answered
 *   name of B                ▪▪▪▪ ▪
 *   name of A                       ▪▪▪▪
 *
 * A process does one piece of work at a time, in order of arrival, so a look-up waits for one slice and not for one of each request.
 * Alternative: a thread, which would need a second copy of the vocabulary and every erasure at once.
 */

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createSerialQueue } from "../../platform/concurrency";
import type { Call } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";

/** A step usually takes a fraction of this, and a few times as much at worst. */
const SLICE_MS = 1;

export type Slices = {
	/** `throwIfAbandoned` runs before each slice and throws if the result is no longer wanted. */
	readonly run: <T>(work: () => Generator<void, T>, throwIfAbandoned: () => void) => Promise<T>;
};

export function createSlices(sliceMs = SLICE_MS): Slices {
	const queue = createSerialQueue();
	return {
		run: (work, throwIfAbandoned) =>
			queue.run(async () => {
				const steps = work();
				for (;;) {
					throwIfAbandoned();
					const endsAt = performance.now() + sliceMs;
					do {
						const step = steps.next();
						if (step.done) return step.value;
					} while (performance.now() < endsAt);
					await yieldToEventLoop();
				}
			}),
	};
}

const SECONDS_MAX = 30;

/** For `run`. The function throws: service-unavailable, once the caller has gone or the time is up. */
export function createAbandonedCheck({ request }: Pick<Call, "request">): () => void {
	const endsAt = performance.now() + SECONDS_MAX * 1_000;
	return () => {
		if (!request.signal.aborted && performance.now() < endsAt) return;
		const detail = msg`The names could not be compared within ${SECONDS_MAX} s. Send fewer names, or fewer requests at once.`;
		throw new Problem("service-unavailable", { detail, headers: { "retry-after": "5" } });
	};
}
