import { Problem } from "../../platform/problem";

export type Intake = {
	/** Does the work if there is room for it. `who` is an address or a tenant. Throws: service-unavailable. */
	readonly take: <Result>(who: string, work: () => Promise<Result>) => Promise<Result>;
};

/** What one of many may hold of all places. */
const SHARE = 2;

/**
 * So much of strangers is under way at a time, bodies that are still coming included, and half of it from one of them; the next one is told
 * to come again.
 */
export function createIntake(most: number): Intake {
	let taken = 0;
	const heldBy = new Map<string, number>();
	const mostOfOne = Math.max(1, Math.floor(most / SHARE));

	function change(who: string, by: 1 | -1): void {
		taken += by;
		const held = (heldBy.get(who) ?? 0) + by;
		if (held > 0) heldBy.set(who, held);
		else heldBy.delete(who);
	}

	return {
		async take(who, work) {
			if (taken >= most || (heldBy.get(who) ?? 0) >= mostOfOne) {
				const detail = "Too many documents are being received.";
				throw new Problem("service-unavailable", { detail, headers: { "retry-after": "2" } });
			}
			change(who, 1);
			try {
				return await work();
			} finally {
				change(who, -1);
			}
		},
	};
}
