/**
 * Waits for `work` at most `timeoutMs`. On a time-out the result is what `onTimeout` returns or throws; `work` itself goes on, and its
 * result is ignored.
 */
export async function withTimeout<T, Late = never>(
	work: Promise<T>,
	timeoutMs: number,
	onTimeout: () => Late,
): Promise<T | Late> {
	const late = Promise.withResolvers<"late">();
	const timer = setTimeout(() => late.resolve("late"), timeoutMs);
	try {
		const first = await Promise.race([work.then((result) => ({ result })), late.promise]);
		return first === "late" ? onTimeout() : first.result;
	} finally {
		clearTimeout(timer);
	}
}
