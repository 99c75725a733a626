/** Whoever scrapes waits for all metrics: what the database does not answer in time costs those that hang on it, and no others. */
const PATIENCE_MS = 2_000;

/** What is late fails here; it goes on, and nobody hears of it any more. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error("the database does not answer in time")), PATIENCE_MS);
	try {
		return await Promise.race([work, late.promise]);
	} finally {
		clearTimeout(timer);
	}
}
