/** Who gets the next message. */

type Choosable = {
	/** Those that it has, the one at work first. */
	readonly messages: readonly (readonly { readonly goesAlone: boolean }[])[];
	/** It was terminated, and gets no further job although its end has not been seen yet. */
	readonly isEnding: boolean;
};

/**
 * The thread with the fewest messages, at most `behindMost` of them, none with a job that goes alone; undefined when there is none. Of several the
 * one that was started last: a job that was lost with a thread goes to its replacement.
 */
export function chooseThread<T extends Choosable>(threads: Iterable<T>, behindMost: number): T | undefined {
	let best: T | undefined;
	for (const thread of threads) {
		const { length } = thread.messages;
		if (thread.isEnding || length > behindMost || (best && length > best.messages.length)) continue;
		if (!thread.messages.some(isAlone)) best = thread;
	}
	return best;
}

export function countIdle(threads: Iterable<Choosable>): number {
	let idle = 0;
	for (const { isEnding, messages } of threads) if (!isEnding && messages.length === 0) idle++;
	return idle;
}

const isAlone = (jobs: readonly { readonly goesAlone: boolean }[]) => jobs.some(({ goesAlone }) => goesAlone);
