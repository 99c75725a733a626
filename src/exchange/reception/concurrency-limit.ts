import { createKeyedSemaphore } from "../../platform/concurrency";
import { Problem } from "../../platform/problem";

export type ReceptionLimit = {
	/** Does the work if there is room for it. `caller` is an address or a tenant. Throws: service-unavailable. */
	readonly run: <Result>(caller: string, work: () => Promise<Result>) => Promise<Result>;
};

/**
 * Limits how much is received at a time, including bodies that are still arriving. One caller gets at most half of the places. Excess requests
 * are refused with a time to retry.
 */
export function createReceptionLimit(max: number): ReceptionLimit {
	const semaphore = createKeyedSemaphore({ max, maxPerKey: Math.max(1, Math.floor(max / 2)) });
	return {
		async run(caller, work) {
			const leave = semaphore.tryAcquire(caller);
			if (!leave) {
				const detail = "Too many documents are being received.";
				throw new Problem("service-unavailable", { detail, headers: { "retry-after": "2" } });
			}
			try {
				return await work();
			} finally {
				leave();
			}
		},
	};
}
