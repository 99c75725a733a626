/** When a probe looks again, and how many letters follow one that arrived. */
import { type RetrySchedule, stretch } from "../retry-schedule";

/** Seconds before each probe; the last one stands for all that follow. */
const PROBE_DELAYS_SECONDS = [60, 300, 900, 3_600] as const;

/** Gap: for about five days. Then its dead letters wait for somebody, or for the next one that dies. */
export const PROBES_MAX = 124;

/** Gap: a letter that died again so often after it was queued by a probe is refused for itself, and stays dead. The table has the same default. */
export const RECOVERIES_MAX = 5;

/** How often a drain looks whether there is room for more. */
export const LOOK_SECONDS = 0.25;

const PAGE_FIRST = 8;
const PAGE_MAX = 32;

/** Seconds until the next probe after so many that failed in a row; undefined when it is given up. */
export function nextProbeSeconds(
	schedule: RetrySchedule,
	failures: number,
	retryAfterSeconds?: number,
): number | undefined {
	if (failures >= PROBES_MAX) return undefined;
	const delay = PROBE_DELAYS_SECONDS[Math.min(failures, PROBE_DELAYS_SECONDS.length - 1)] ?? 0;
	return stretch(schedule, delay, retryAfterSeconds);
}

/** Letters that follow the nth one in a row that arrived, from 1 on: eight, then sixteen, then 32. */
export function pageOf(passes: number): number {
	return Math.min(PAGE_MAX, PAGE_FIRST * 2 ** Math.min(passes - 1, 10));
}
