import { withTimeout } from "../../platform/concurrency";

/** A scrape waits for all metrics. What the database does not answer in time costs the metrics that need it, and no others. */
const TIMEOUT_MS = 2_000;

export function inTime<T>(work: Promise<T>): Promise<T> {
	return withTimeout(work, TIMEOUT_MS, () => {
		throw new Error("the database does not answer in time");
	});
}
