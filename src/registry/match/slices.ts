/**
 * Runs long work of many small steps beside quick answers.
 *
 *   name of A   ▪▪▪▪ ▪▪▪▪ ▪▪          each ▪ a step, each gap a turn of the event loop, in which whatever else waits is answered
 *   name of B                ▪▪▪▪ ▪
 *   name of A                       ▪▪▪▪
 *
 * One piece of work at a time in a process, in the order in which they were asked for: however many ask, a look-up waits for one slice and not for
 * a slice of each. Refused: a thread of its own, which would need the vocabulary a second time, and whatever is erased told to it at once.
 */

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createSerialQueue } from "../../platform/concurrency";

/** A step takes a fraction of this as a rule, and a few times as much at worst. */
const SLICE_MS = 1;

export type Slices = {
	/** `throwIfAbandoned` is asked before each slice and throws where nobody waits for the result any more. */
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
