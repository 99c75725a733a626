/**
 * Seconds to wait before each retry. Source: the specification, Events.
 * Gap: "5 attempts" with five delays is read as five retries after the first attempt: six requests within about 341 seconds.
 */
export const RETRY_DELAYS_SECONDS = [1, 4, 16, 64, 256] as const;

/** Up to 10 % later, never earlier, so that the retries of many deliveries spread. */
const JITTER = 0.1;
/** Gap: a receiver may ask for more time than the schedule gives, up to an hour; for less it may not. */
const RETRY_AFTER_MAX_SECONDS = 3_600;

export type RetrySchedule = {
	/** Multiplies the delays: 1 but in tests and demonstrations. */
	readonly timeScale: number;
	/** At most as many as there are delays; fewer shorten the schedule. */
	readonly retriesMax?: number;
	readonly random?: () => number;
};

/** Seconds until the next retry; undefined when all are used. `retryAfterSeconds` is what the receiver asked for. */
export function nextDelaySeconds(
	schedule: RetrySchedule,
	retriesSoFar: number,
	retryAfterSeconds?: number,
): number | undefined {
	const delay = RETRY_DELAYS_SECONDS[retriesSoFar];
	if (delay === undefined || retriesSoFar >= (schedule.retriesMax ?? RETRY_DELAYS_SECONDS.length)) return undefined;
	return stretch(schedule, delay, retryAfterSeconds);
}

/** A delay as it is kept: scaled, spread, and longer where the receiver asked for it. */
export function stretch(
	{ timeScale, random = Math.random }: RetrySchedule,
	delaySeconds: number,
	retryAfterSeconds?: number,
): number {
	const scheduled = delaySeconds * timeScale * (1 + JITTER * random());
	if (retryAfterSeconds === undefined || retryAfterSeconds > RETRY_AFTER_MAX_SECONDS) return scheduled;
	return Math.max(scheduled, retryAfterSeconds);
}
