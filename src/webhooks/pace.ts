/**
 * Holds an endpoint's first attempts to the rate that its owner set.
 *
 *   now ─┬───┬───┬───┬──▶     one slot every 1/rate second; whoever finds none free books the next one and comes back for it
 *        │   │   └ booked
 *        │   └ booked           beyond the horizon nothing is booked: come again and see
 *        └ free: go
 *
 * A booking is what keeps ten thousand waiting deliveries from asking for every single slot. Bookings live in this dispatcher's memory:
 * after a restart, or in another dispatcher, a delivery books anew and comes later, never too early.
 */
export type Pace = {
	/** Milliseconds to wait before the first attempt of a delivery; 0 means now. */
	readonly take: (endpointId: string, deliveryId: string, perSecond: number, nowMs: number) => number;
	/** Endpoints and bookings in memory. */
	readonly size: () => number;
};

const HORIZON_MS = 60_000;
/** How many calls pass between two looks for what is over. */
const SWEEP_EVERY = 1_000;

export function createPace(): Pace {
	/** When each endpoint's next slot is free. */
	const freeAt = new Map<string, number>();
	const booked = new Map<string, number>();
	let calls = 0;

	function sweep(nowMs: number): void {
		for (const [id, at] of freeAt) if (at <= nowMs) freeAt.delete(id);
		// Whoever has not come for it a minute later has gone elsewhere.
		for (const [id, at] of booked) if (at + HORIZON_MS < nowMs) booked.delete(id);
	}

	return {
		take(endpointId, deliveryId, perSecond, nowMs) {
			if (++calls % SWEEP_EVERY === 0) sweep(nowMs);
			const own = booked.get(deliveryId);
			if (own !== undefined) {
				if (own > nowMs) return own - nowMs;
				booked.delete(deliveryId);
				return 0;
			}
			const slot = Math.max(nowMs, freeAt.get(endpointId) ?? 0);
			if (slot - nowMs > HORIZON_MS) return HORIZON_MS;
			freeAt.set(endpointId, slot + 1_000 / perSecond);
			if (slot <= nowMs) return 0;
			booked.set(deliveryId, slot);
			return slot - nowMs;
		},
		size: () => freeAt.size + booked.size,
	};
}
