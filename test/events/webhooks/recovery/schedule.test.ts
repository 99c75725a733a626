/** When probes are made, and how many letters follow. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { nextProbeSeconds, PROBES_MAX, pageOf } from "../../../../src/events/webhooks/recovery/schedule";

const exact = { timeScale: 1, random: () => 0 };

test("probes come after 1, 5, 15 and 60 minutes, then every hour for about five days", () => {
	const delays = Array.from({ length: PROBES_MAX }, (_, failures) => nextProbeSeconds(exact, failures) ?? 0);
	expect(delays.slice(0, 6).map((seconds) => seconds / 60)).toEqual([1, 5, 15, 60, 60, 60]);
	const days = delays.reduce((sum, seconds) => sum + seconds, 0) / 86_400;
	expect(days).toBeGreaterThan(5);
	expect(days).toBeLessThan(5.1);
	expect(nextProbeSeconds(exact, PROBES_MAX)).toBeUndefined();
});

test("a probe is never earlier than its interval, at most a tenth later, and intervals never shrink", () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 0, max: PROBES_MAX - 2 }),
			fc.double({ min: 0.0001, max: 100, noNaN: true }),
			fc.double({ min: 0, max: 0.999, noNaN: true }),
			(failures, timeScale, random) => {
				const least = nextProbeSeconds({ timeScale, random: () => 0 }, failures) ?? 0;
				const asked = nextProbeSeconds({ timeScale, random: () => random }, failures) ?? 0;
				expect(asked).toBeGreaterThanOrEqual(least);
				expect(asked).toBeLessThanOrEqual(least * 1.1);
				expect(nextProbeSeconds({ timeScale, random: () => 0 }, failures + 1)).toBeGreaterThanOrEqual(least);
			},
		),
	);
});

test("a receiver may ask for more time than the interval gives, not for less", () => {
	expect(nextProbeSeconds(exact, 0, 90)).toBe(90);
	expect(nextProbeSeconds(exact, 1, 90)).toBe(300);
	expect(nextProbeSeconds(exact, 0, 3_601)).toBe(60);
});

test("pages double from eight to 32", () => {
	expect([1, 2, 3, 4, 1_000_000].map(pageOf)).toEqual([8, 16, 32, 32, 32]);
});
