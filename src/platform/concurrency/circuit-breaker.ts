/**
 * Calls a service as fast as it answers.
 *
 *            `failuresToOpen` in a row                pause over, or known to be back
 *   closed ───────────────────────────▶ open (pause) ─────────────────────────────▶ half-open: one call at a time
 *     ▲                                  ▲                                            │           │
 *     │                                  └───────────── failure: longer pause ────────┘           │
 *     └───────── 2, 3, 4 … calls at a time, one more for each success ◀────── success ────────────┘
 *
 * So a service that is down gets one call every few seconds, however much waits for it, and one that comes back is not flooded.
 */
export type CircuitBreaker = {
	/** Takes a place for one call; false when none is free. Every `enter` that returned true needs one `leave`. */
	readonly enter: (nowMs: number) => boolean;
	/** Gives the place back. `isReached` says whether the service answered; undefined when the call was not made. */
	readonly leave: (isReached: boolean | undefined, nowMs: number) => void;
	/** Another source has found that the service came back `agoMs` ago: a pause that began before that ends. */
	readonly noteRecovery: (agoMs: number, nowMs: number) => void;
	/** Seconds until the next try makes sense; 0 unless the circuit is open. */
	readonly openSeconds: (nowMs: number) => number;
};

type CircuitBreakerOptions = {
	/** Most calls at a time while the circuit is closed. */
	readonly callsMax: number;
	readonly failuresToOpen: number;
	/** The pause doubles with each failure in a row, from the first to the longest. */
	readonly pauseFirstMs: number;
	readonly pauseMaxMs: number;
};

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
	const { callsMax, failuresToOpen, pauseFirstMs, pauseMaxMs } = options;
	let limit = callsMax;
	let underWay = 0;
	let failures = 0;
	let pauseMs = 0;
	let openedAtMs = 0;
	let openUntilMs = 0;
	return {
		enter(nowMs) {
			if (nowMs < openUntilMs || underWay >= limit) return false;
			underWay++;
			return true;
		},
		leave(isReached, nowMs) {
			underWay--;
			if (isReached === undefined) return;
			if (isReached) {
				failures = 0;
				pauseMs = 0;
				openUntilMs = 0;
				limit = Math.min(callsMax, limit + 1);
				return;
			}
			failures++;
			// Calls that were under way when the circuit opened say nothing new.
			if (failures < failuresToOpen || nowMs < openUntilMs) return;
			pauseMs = Math.min(pauseMaxMs, Math.max(pauseFirstMs, pauseMs * 2));
			openedAtMs = nowMs;
			openUntilMs = nowMs + pauseMs;
			limit = 1;
		},
		noteRecovery(agoMs, nowMs) {
			if (nowMs - agoMs > openedAtMs) openUntilMs = Math.min(openUntilMs, nowMs);
		},
		openSeconds: (nowMs) => Math.max(0, openUntilMs - nowMs) / 1000,
	};
}
