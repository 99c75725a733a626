/** How many lines each tenant holds open in this process. */
import { Problem } from "../../problem";

export type Seats = {
	/** Takes a seat; the answer gives it back, once. Throws: rate-limit-exceeded when the tenant has all of its own. */
	readonly take: (tenantId: string) => () => void;
};

/** Nobody knows when a line ends. */
const RETRY_AFTER_SECONDS = 5;

export function createSeats(max: number): Seats {
	const taken = new Map<string, number>();
	return {
		take(tenantId) {
			const before = taken.get(tenantId) ?? 0;
			if (before >= max) {
				const detail = `A company holds ${max} waiting requests and streams open at most.`;
				throw new Problem("rate-limit-exceeded", {
					detail,
					extensions: { limit: max, retryAfter: RETRY_AFTER_SECONDS, policy: "open-lines" },
					headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
				});
			}
			taken.set(tenantId, before + 1);
			let isGiven = false;
			return () => {
				if (isGiven) return;
				isGiven = true;
				const left = (taken.get(tenantId) ?? 1) - 1;
				if (left > 0) taken.set(tenantId, left);
				else taken.delete(tenantId);
			};
		},
	};
}
