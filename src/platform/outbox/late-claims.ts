/**
 * Claims that the database has not answered in time. Their connections may have died without a word, so the loop goes on beside them; or the
 * database is slow, and then they take what they asked for after all. So few are let be late at once, and little is claimed beside them.
 */

import { withTimeout } from "../concurrency";

/** While so many are late nothing more is claimed. */
const LATE_MAX = 3;
/** What is claimed beside a late one, of what is free: both may take what they asked for. */
const SHARE_BESIDE_LATE = 0.25;

export type LateClaims = {
	/** Nothing is to be claimed until one of them has ended. */
	readonly isFull: () => boolean;
	/** How many messages may be claimed now, of so many free slots. */
	readonly limitOf: (free: number) => number;
	/** The claim's answer; throws when it is late, and counts it until it has ended. */
	readonly await: <T>(claiming: Promise<T>) => Promise<T>;
};

/** `ended` is called when a late claim has been answered, or has failed. */
export function createLateClaims(limitMs: number, ended: () => void): LateClaims {
	let late = 0;
	return {
		isFull: () => late >= LATE_MAX,
		limitOf: (free) => (late > 0 ? Math.ceil(free * SHARE_BESIDE_LATE) : free),
		async await(claiming) {
			try {
				return await withTimeout(claiming, limitMs, () => {
					throw new Error("the database does not answer");
				});
			} catch (error) {
				late++;
				const settled = () => {
					late--;
					ended();
				};
				claiming.then(settled, settled);
				throw error;
			}
		},
	};
}
