import { expect, test } from "bun:test";
import fc from "fast-check";
import { addLatency, addPairs, type Latencies, percentileMs, toPairs } from "../../../src/authority/status/measured";

const durations = fc.array(fc.double({ min: 0.01, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 400 });
const histogramOf = (all: readonly number[]) => {
	const latencies: Latencies = new Map();
	for (const one of all) addLatency(latencies, one);
	return latencies;
};

test("a percentile is right to within five per cent and a millisecond", () => {
	fc.assert(
		fc.property(durations, fc.constantFrom(0.5, 0.9, 0.99, 1), (all, q) => {
			const exact = all.toSorted((a, b) => a - b)[Math.ceil(q * all.length) - 1] ?? 0;
			expect(Math.abs((percentileMs(histogramOf(all), q) ?? 0) - exact)).toBeLessThanOrEqual(exact * 0.05 + 1);
		}),
	);
});

test("histograms of several threads are added without loss", () => {
	fc.assert(
		fc.property(durations, durations, (one, other) => {
			const sum: Latencies = new Map();
			addPairs(sum, toPairs(histogramOf(one)));
			addPairs(sum, toPairs(histogramOf(other)));
			expect(toPairs(sum)).toEqual(toPairs(histogramOf([...one, ...other])));
		}),
	);
});

test("without calls there is no percentile, and an invalid duration counts as shortest", () => {
	expect(percentileMs(new Map(), 0.5)).toBeNull();
	expect(percentileMs(histogramOf([Number.NaN, -1, 0]), 0.99)).toBe(1);
});
