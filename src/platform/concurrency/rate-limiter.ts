/**
 * Two ways to hold calls to a rate. A token bucket refuses what is too much at once; a rate limiter gives each caller a time to come back.
 * Times are passed in. Units: milliseconds of a steady clock.
 */
type TokenRate = {
	/** Most calls at once. */
	readonly quota: number;
	/** Calls that come back each second. */
	readonly perSecond: number;
};

export type TokenBucket = {
	/** Tokens left. Below zero it is a debt, for a bucket whose level is shared with other processes. */
	level: number;
	asOf: number;
	/** Taken in this process and not yet shared with others. */
	taken: number;
};

export function createTokenBucket(rate: TokenRate, nowMs: number): TokenBucket {
	return { level: rate.quota, asOf: nowMs, taken: 0 };
}

/** Adds the tokens that have come back by now. */
export function refill(bucket: TokenBucket, rate: TokenRate, nowMs: number): void {
	const seconds = Math.max(0, nowMs - bucket.asOf) / 1_000;
	bucket.level = Math.min(rate.quota, bucket.level + seconds * rate.perSecond);
	bucket.asOf = nowMs;
}

/** Takes one token; false, and takes nothing, when there is none. */
export function takeToken(bucket: TokenBucket, rate: TokenRate, nowMs: number): boolean {
	refill(bucket, rate, nowMs);
	if (bucket.level < 1) return false;
	bucket.level -= 1;
	bucket.taken += 1;
	return true;
}

/** Whole seconds until there is a token again; call `refill` first. */
export function waitSeconds(bucket: TokenBucket, rate: TokenRate): number {
	return Math.max(1, Math.ceil((1 - bucket.level) / rate.perSecond));
}

/** True when a new bucket would be in the same state, so this one can be forgotten. */
export function isLikeNew(bucket: TokenBucket, rate: TokenRate): boolean {
	return bucket.taken === 0 && bucket.level >= rate.quota;
}

/**
 * Spaces out the calls of each key by 1/rate second.
 *
 *   now ─┬───┬───┬───┬──▶     one slot every 1/rate second; a call that finds none free books the next one and comes back for it
 *        │   │   └ booked
 *        │   └ booked           nothing is booked beyond the horizon: such a call asks again when the horizon has passed
 *        └ free: go
 *
 * Bookings keep ten thousand waiting calls from all asking for every slot. Slots that passed unused are not made up at once: calls that
 * come late keep their distance from each other, and one that would be more than 250 ms early books again. So no second sees more than
 * the rate plus a quarter, and there is always one call that goes, however late all of them come.
 */
type RateLimiter = {
	/** Milliseconds to wait before the call `callId` of `key`; 0 means now. */
	readonly take: (key: string, callId: string, perSecond: number, nowMs: number) => number;
	/** Keys and bookings in memory. */
	readonly size: () => number;
};

const HORIZON_MS = 60_000;
/** Timers fire up to this late, several at once; that alone costs no call its slot. */
const EARLY_MAX_MS = 250;
const SWEEP_EVERY_CALLS = 1_000;

export function createRateLimiter(): RateLimiter {
	const freeAt = new Map<string, number>();
	/** When each key's next call would go if all calls so far had kept their distance. */
	const dueAt = new Map<string, number>();
	const booked = new Map<string, number>();
	let calls = 0;

	function sweep(nowMs: number): void {
		for (const [key, at] of freeAt) {
			if (at > nowMs) continue;
			freeAt.delete(key);
			dueAt.delete(key);
		}
		// A call that has not come back a minute after its slot never will.
		for (const [callId, at] of booked) if (at + HORIZON_MS < nowMs) booked.delete(callId);
	}

	return {
		take(key, callId, perSecond, nowMs) {
			if (++calls % SWEEP_EVERY_CALLS === 0) sweep(nowMs);
			const stepMs = 1_000 / perSecond;
			const free = freeAt.get(key) ?? Number.NEGATIVE_INFINITY;
			const due = dueAt.get(key) ?? Number.NEGATIVE_INFINITY;
			const go = () => {
				const next = Math.max(due, nowMs) + stepMs;
				dueAt.set(key, next);
				freeAt.set(key, Math.max(free, next));
				return 0;
			};
			const own = booked.get(callId);
			if (own !== undefined) {
				if (own > nowMs) return own - nowMs;
				booked.delete(callId);
				if (nowMs >= due - EARLY_MAX_MS) return go();
			}
			if (free <= nowMs) return go();
			if (free - nowMs > HORIZON_MS) return HORIZON_MS;
			freeAt.set(key, free + stepMs);
			booked.set(callId, free);
			return free - nowMs;
		},
		size: () => freeAt.size + booked.size,
	};
}
