/** Runs all steps of a piece of work at once. */
export function finish<T>(steps: Generator<void, T>): T {
	for (;;) {
		const step = steps.next();
		if (step.done) return step.value;
	}
}
