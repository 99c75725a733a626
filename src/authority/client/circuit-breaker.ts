/**
 * How fast one service of the authority is called: as fast as it answers.
 *
 *            5 failures in a row                    its pause is over, or it is known to be back
 *   open ───────────────────────▶ shut (0.5 … 10 s) ────────────────▶ one call at a time
 *    ▲                             ▲                                    │           │
 *    │                             └──────── it failed, longer ─────────┘           │
 *    └───────── two, four, eight … at a time, as answers come ◀──── it answered ────┘
 *
 * So a service that is down gets one call every few seconds, whatever waits, and one that comes back is not run over by all of it.
 * Gap: the authority publishes no limit of calls; who answers with errors is spared, and nobody else.
 */
export type Pace = {
	/** Takes a place for one call; false when none is free now. Whoever gets one must `leave`. */
	readonly enter: (nowMs: number) => boolean;
	/** `undefined`: the call was not made. */
	readonly leave: (isReached: boolean | undefined, nowMs: number) => void;
	/** The service has been back for so long, as others have found: a pause that began before is over. */
	readonly hearOfReturn: (agoMs: number, nowMs: number) => void;
	/** Seconds until a next try makes sense; 0 while the service is not shut. */
	readonly shutSeconds: (nowMs: number) => number;
};

export const FAILURES_TO_SHUT = 5;
const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 10_000;

export function createPace(placesMax: number): Pace {
	let places = placesMax;
	let taken = 0;
	let failures = 0;
	let pauseMs = 0;
	let shutAtMs = 0;
	let shutUntilMs = 0;
	return {
		enter(nowMs) {
			if (nowMs < shutUntilMs || taken >= places) return false;
			taken++;
			return true;
		},
		leave(isReached, nowMs) {
			taken--;
			if (isReached === undefined) return;
			if (isReached) {
				failures = 0;
				pauseMs = 0;
				shutUntilMs = 0;
				places = Math.min(placesMax, places + 1);
				return;
			}
			failures++;
			// Calls that were under way when it shut tell nothing new.
			if (failures < FAILURES_TO_SHUT || nowMs < shutUntilMs) return;
			pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_FIRST_MS, pauseMs * 2));
			shutAtMs = nowMs;
			shutUntilMs = nowMs + pauseMs;
			places = 1;
		},
		hearOfReturn(agoMs, nowMs) {
			if (nowMs - agoMs > shutAtMs) shutUntilMs = Math.min(shutUntilMs, nowMs);
		},
		shutSeconds: (nowMs) => Math.max(0, shutUntilMs - nowMs) / 1000,
	};
}
