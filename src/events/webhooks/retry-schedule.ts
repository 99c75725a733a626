/** When failed deliveries are retried, and when endpoints with dead letters are probed. */

/**
 * Seconds to wait before each retry. Source: the specification, Events.
 * Gap: "5 attempts" with five delays is read as five retries after the first attempt: six requests within about 341 seconds.
 */
export const RETRY_DELAYS_SECONDS = [1, 4, 16, 64, 256] as const;

/** Seconds before each probe; the last one applies to all that follow. */
const PROBE_DELAYS_SECONDS = [60, 300, 900, 3_600] as const;

/** Gap: about five days of probes. Then the dead letters wait for manual recovery, or for the next death. */
export const PROBES_MAX = 124;

/**
 * Gap: a letter that died this often after a probe queued it is refused for its own content, and stays dead. The table has the same default.
 */
export const RECOVERIES_MAX = 5;

const PAGE_FIRST = 8;
const PAGE_MAX = 32;

/** Delays grow by up to 10 %, never shrink, so that the retries of many deliveries spread. */
const JITTER = 0.1;
/** Gap: a receiver may ask for more time than the schedule gives, up to an hour, and never for less. */
const RETRY_AFTER_MAX_SECONDS = 3_600;

export type RetrySchedule = {
	/** Multiplies the delays: 1 except in tests and demonstrations. */
	readonly timeScale: number;
	/** Fewer retries than there are delays shorten the schedule. */
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

/** Seconds until the next probe after so many failures in a row; undefined when the probe ends. */
export function nextProbeSeconds(
	schedule: RetrySchedule,
	failures: number,
	retryAfterSeconds?: number,
): number | undefined {
	if (failures >= PROBES_MAX) return undefined;
	const delay = PROBE_DELAYS_SECONDS[Math.min(failures, PROBE_DELAYS_SECONDS.length - 1)] ?? 0;
	return stretch(schedule, delay, retryAfterSeconds);
}

/** Letters to queue after the nth letter in a row that arrived, from 1 on: 8, then 16, then 32. */
export function pageOf(passes: number): number {
	return Math.min(PAGE_MAX, PAGE_FIRST * 2 ** Math.min(passes - 1, 10));
}

/** The delay as it is applied: scaled, spread, and longer if the receiver asked for it. */
function stretch(
	{ timeScale, random = Math.random }: RetrySchedule,
	delaySeconds: number,
	retryAfterSeconds?: number,
): number {
	const scheduled = delaySeconds * timeScale * (1 + JITTER * random());
	if (retryAfterSeconds === undefined || retryAfterSeconds > RETRY_AFTER_MAX_SECONDS) return scheduled;
	return Math.max(scheduled, retryAfterSeconds);
}
