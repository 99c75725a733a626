import { expect, test } from "bun:test";
import fc from "fast-check";
import { RETRY_DELAYS_SECONDS } from "../../../src/events/webhooks";
import { nextDelaySeconds, nextProbeSeconds, PROBES_MAX, pageOf } from "../../../src/events/webhooks/retry-schedule";

const exact = { timeScale: 1, random: () => 0 };

test("five retries wait 1, 4, 16, 64 and 256 seconds, and there is no sixth", () => {
	const delays = [0, 1, 2, 3, 4, 5, 6].map((retries) => nextDelaySeconds(exact, retries));
	expect(delays).toEqual([1, 4, 16, 64, 256, undefined, undefined]);
	const shorter = [0, 1, 2, 3, 4].map((retries) => nextDelaySeconds({ ...exact, retriesMax: 4 }, retries));
	expect(shorter).toEqual([1, 4, 16, 64, undefined]);
});

test("a delay is never shorter than the schedule and at most a tenth longer", () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 0, max: 4 }),
			fc.double({ min: 0.001, max: 2, noNaN: true }),
			fc.double({ min: 0, max: 0.999, noNaN: true }),
			(retries, timeScale, random) => {
				const delay = (nextDelaySeconds({ timeScale, random: () => random }, retries) ?? 0) / timeScale;
				const scheduled = RETRY_DELAYS_SECONDS[retries] ?? 0;
				expect(delay).toBeGreaterThanOrEqual(scheduled * 0.999_999);
				expect(delay).toBeLessThanOrEqual(scheduled * 1.1);
			},
		),
	);
});

test("a receiver can ask for a later retry within an hour, never for an earlier one", () => {
	expect(nextDelaySeconds(exact, 0, 120)).toBe(120);
	expect(nextDelaySeconds(exact, 0, 3_600)).toBe(3_600);
	expect(nextDelaySeconds(exact, 0, 3_601)).toBe(1);
	expect(nextDelaySeconds(exact, 4, 10)).toBe(256);
	expect(nextDelaySeconds(exact, 5, 120)).toBeUndefined();
});

test("probes come after 1, 5, 15 and 60 minutes, then every hour for about five days", () => {
	const delays = Array.from({ length: PROBES_MAX }, (_, failures) => nextProbeSeconds(exact, failures) ?? 0);
	expect(delays.slice(0, 6).map((seconds) => seconds / 60)).toEqual([1, 5, 15, 60, 60, 60]);
	const days = delays.reduce((sum, seconds) => sum + seconds, 0) / 86_400;
	expect(days).toBeGreaterThan(5);
	expect(days).toBeLessThan(5.1);
	expect(nextProbeSeconds(exact, PROBES_MAX)).toBeUndefined();
});

test("a probe is at most a tenth later than its interval, and intervals never shrink", () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 0, max: PROBES_MAX - 2 }),
			fc.double({ min: 0.0001, max: 100, noNaN: true }),
			fc.double({ min: 0, max: 0.999, noNaN: true }),
			(failures, timeScale, random) => {
				const least = nextProbeSeconds({ timeScale, random: () => 0 }, failures) ?? 0;
				const actual = nextProbeSeconds({ timeScale, random: () => random }, failures) ?? 0;
				expect(actual).toBeGreaterThanOrEqual(least);
				expect(actual).toBeLessThanOrEqual(least * 1.1);
				expect(nextProbeSeconds({ timeScale, random: () => 0 }, failures + 1)).toBeGreaterThanOrEqual(least);
			},
		),
	);
});

test("a receiver can ask for a later probe, never for an earlier one", () => {
	expect(nextProbeSeconds(exact, 0, 90)).toBe(90);
	expect(nextProbeSeconds(exact, 1, 90)).toBe(300);
	expect(nextProbeSeconds(exact, 0, 3_601)).toBe(60);
});

test("pages double from eight to 32", () => {
	expect([1, 2, 3, 4, 1_000_000].map(pageOf)).toEqual([8, 16, 32, 32, 32]);
});
