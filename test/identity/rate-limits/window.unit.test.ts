import { expect, test } from "bun:test";
import fc from "fast-check";
import { readWindow, SLICES } from "../../../src/identity/rate-limits/store";

/** What the ring must hold after these calls, each in its slice. */
function toRing(slices: readonly number[]): { slot: number; counts: number[] } {
	const slot = Math.max(...slices);
	const counts = new Array<number>(SLICES).fill(0);
	for (const slice of slices) if (slice > slot - SLICES) counts[slice % SLICES] = (counts[slice % SLICES] ?? 0) + 1;
	return { slot, counts };
}

test("a window counts its last slices and shows when the oldest leaves", () => {
	const slices = fc.array(fc.integer({ min: 14_000_000, max: 14_000_400 }), { minLength: 1, maxLength: 60 });
	fc.assert(
		fc.property(slices, fc.nat(300), (calls, later) => {
			const { slot, counts } = toRing(calls);
			const now = slot + later;
			const live = calls.filter((slice) => slice > now - SLICES);
			const { used, slicesLeft } = readWindow(slot, counts, now);
			expect(used).toBe(live.length);
			expect(slicesLeft).toBe(live.length === 0 ? 0 : Math.min(...live) + SLICES - now);
		}),
	);
});
