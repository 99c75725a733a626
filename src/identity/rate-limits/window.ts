/**
 * A sliding window as a ring of slices: what was counted in each of the last 120 slices of time, the current one included.
 *
 *   slot 7 of a ring of 5:  place 0 1 2 3 4
 *                           slice 5 6 7 3 4
 *
 * It covers the window less a part of a slice, so who keeps to the limit in every window is never refused. Its size does not depend
 * on the limit. Gap: what "per hour" means; a fixed hour would let a caller spend two hours' calls around its end.
 */
export const SLICES = 120;

export type Window = {
	/** Calls that count now. */
	readonly used: number;
	/** Slices until the oldest of them counts no more; 0 without any. */
	readonly slicesLeft: number;
};

/** Reads a ring as it stands in slice `now`, which is not before its own. */
export function readWindow(slot: number, counts: readonly number[], now: number): Window {
	const slices = counts
		.map((count, place) => ({ count, slice: slot - ((slot - place) % SLICES) }))
		.filter(({ count, slice }) => count > 0 && slice > now - SLICES);
	const oldest = Math.min(...slices.map(({ slice }) => slice));
	return {
		used: slices.reduce((sum, { count }) => sum + count, 0),
		slicesLeft: slices.length > 0 ? oldest + SLICES - now : 0,
	};
}
