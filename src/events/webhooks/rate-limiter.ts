/**
 * Holds an endpoint's first attempts to the rate that its owner set.
 *
 *   now ─┬───┬───┬───┬──▶     one slot every 1/rate second; whoever finds none free books the next one and comes back for it
 *        │   │   └ booked
 *        │   └ booked           beyond the horizon nothing is booked: come again and see
 *        └ free: go
 *
 * A booking is what keeps ten thousand waiting deliveries from asking for every single slot. Slots that passed unused, because the endpoint had
 * no seat or the dispatcher was away, are not used all at once when everybody comes for them: those that go keep their distance among
 * themselves too, and whoever would be a quarter of a second ahead of it books anew. So a second has at most a quarter more than the rate, and there
 * is always one that goes, however late all come. Bookings live in this dispatcher's memory: after a restart, or in another
 * dispatcher, a delivery books anew and comes later, never too early.
 */
export type Pace = {
	/** Milliseconds to wait before the first attempt of a delivery; 0 means now. */
	readonly take: (endpointId: string, deliveryId: string, perSecond: number, nowMs: number) => number;
	/** Endpoints and bookings in memory. */
	readonly size: () => number;
};

const HORIZON_MS = 60_000;
/** Messages come back so late at any time, several at once; for it alone nobody loses a slot. */
const AHEAD_MS = 250;
/** How many calls pass between two looks for what is over. */
const SWEEP_EVERY = 1_000;

export function createPace(): Pace {
	/** When each endpoint's next slot is free. */
	const freeAt = new Map<string, number>();
	/** When the next one of each would go, if those that went had kept their distance. */
	const dueAt = new Map<string, number>();
	const booked = new Map<string, number>();
	let calls = 0;

	function sweep(nowMs: number): void {
		for (const [id, at] of freeAt) {
			if (at > nowMs) continue;
			freeAt.delete(id);
			dueAt.delete(id);
		}
		// Whoever has not come for it a minute later has gone elsewhere.
		for (const [id, at] of booked) if (at + HORIZON_MS < nowMs) booked.delete(id);
	}

	return {
		take(endpointId, deliveryId, perSecond, nowMs) {
			if (++calls % SWEEP_EVERY === 0) sweep(nowMs);
			const stepMs = 1_000 / perSecond;
			const free = freeAt.get(endpointId) ?? Number.NEGATIVE_INFINITY;
			const due = dueAt.get(endpointId) ?? Number.NEGATIVE_INFINITY;
			const go = () => {
				const next = Math.max(due, nowMs) + stepMs;
				dueAt.set(endpointId, next);
				freeAt.set(endpointId, Math.max(free, next));
				return 0;
			};
			const own = booked.get(deliveryId);
			if (own !== undefined) {
				if (own > nowMs) return own - nowMs;
				booked.delete(deliveryId);
				if (nowMs >= due - AHEAD_MS) return go();
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
