/** How many lines each tenant holds open in this process. */
import { Problem } from "../../problem";

export type Seats = {
	/** Takes a seat; the answer gives it back, once. Throws: rate-limit-exceeded when the tenant has all of its own. */
	readonly take: (tenantId: string) => () => void;
};

export function createSeats(max: number): Seats {
	const taken = new Map<string, number>();
	return {
		take(tenantId) {
			const before = taken.get(tenantId) ?? 0;
			if (before >= max) {
				const detail = `A company holds ${max} waiting requests and streams open at most.`;
				throw new Problem("rate-limit-exceeded", { detail, headers: { "retry-after": "5" } });
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
