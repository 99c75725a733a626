/**
 * Holds an endpoint's first attempts to the rate that its owner set.
 *
 *   now ─┬───┬───┬───┬──▶     one slot every 1/rate second; whoever finds none free books the next one and comes back for it
 *        │   │   └ booked
 *        │   └ booked           beyond the horizon nothing is booked: come again and see
 *        └ free: go
 *
 * A booking is what keeps ten thousand waiting deliveries from asking for every single slot. Whoever comes for it when it is long over
 * (its endpoint had no seat, or the dispatcher was away) goes only if nobody has just gone, or books anew: slots that passed unused
 * would else be used all at once. So there is always one that goes, however late all come. Bookings live in this dispatcher's memory:
 * after a restart, or in another dispatcher, a delivery books anew and comes later, never too early.
 */
export type Pace = {
	/** Milliseconds to wait before the first attempt of a delivery; 0 means now. */
	readonly take: (endpointId: string, deliveryId: string, perSecond: number, nowMs: number) => number;
	/** Endpoints and bookings in memory. */
	readonly size: () => number;
};

const HORIZON_MS = 60_000;
/** A message comes back so late at any time; for it alone nobody loses a slot. */
const LATE_MS = 250;
/** How many calls pass between two looks for what is over. */
const SWEEP_EVERY = 1_000;

export function createPace(): Pace {
	/** When each endpoint's next slot is free. */
	const freeAt = new Map<string, number>();
	/** When the last delivery of each went. */
	const wentAt = new Map<string, number>();
	const booked = new Map<string, number>();
	let calls = 0;

	function sweep(nowMs: number): void {
		for (const [id, at] of freeAt) {
			if (at > nowMs) continue;
			freeAt.delete(id);
			wentAt.delete(id);
		}
		// Whoever has not come for it a minute later has gone elsewhere.
		for (const [id, at] of booked) if (at + HORIZON_MS < nowMs) booked.delete(id);
	}

	return {
		take(endpointId, deliveryId, perSecond, nowMs) {
			if (++calls % SWEEP_EVERY === 0) sweep(nowMs);
			const stepMs = 1_000 / perSecond;
			const free = freeAt.get(endpointId) ?? Number.NEGATIVE_INFINITY;
			const go = () => {
				wentAt.set(endpointId, nowMs);
				freeAt.set(endpointId, Math.max(free, nowMs + stepMs));
				return 0;
			};
			const own = booked.get(deliveryId);
			if (own !== undefined) {
				if (own > nowMs) return own - nowMs;
				booked.delete(deliveryId);
				const lastAt = wentAt.get(endpointId) ?? Number.NEGATIVE_INFINITY;
				if (nowMs - own <= LATE_MS || nowMs - lastAt >= stepMs) return go();
			}
			if (free <= nowMs) return go();
			if (free - nowMs > HORIZON_MS) return HORIZON_MS;
			freeAt.set(endpointId, free + stepMs);
			booked.set(deliveryId, free);
			return free - nowMs;
		},
		size: () => freeAt.size + booked.size,
	};
}
