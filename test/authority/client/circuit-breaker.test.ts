import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createPace, FAILURES_TO_SHUT } from "../../../src/authority/client/circuit-breaker";

const PLACES = 16;

/** A pace whose host has just failed so often that it is shut. */
function shutPace(nowMs = 0) {
	const pace = createPace(PLACES);
	for (let i = 0; i < FAILURES_TO_SHUT; i++) {
		expect(pace.enter(nowMs)).toBe(true);
		pace.leave(false, nowMs);
	}
	return pace;
}

/** How many calls are let in at once. */
function countPlaces(pace: ReturnType<typeof createPace>, nowMs: number): number {
	let count = 0;
	while (pace.enter(nowMs)) count++;
	for (let i = 0; i < count; i++) pace.leave(undefined, nowMs);
	return count;
}

describe("a host of the authority", () => {
	test("that answers is called as often as there are places", () => {
		expect(countPlaces(createPace(PLACES), 0)).toBe(PLACES);
	});

	test("that fails a few times is called as before", () => {
		const pace = createPace(PLACES);
		for (let i = 1; i < FAILURES_TO_SHUT; i++) {
			pace.enter(0);
			pace.leave(false, 0);
		}
		expect(countPlaces(pace, 0)).toBe(PLACES);
	});

	test("that fails on is left alone, then tried by one call", () => {
		const pace = shutPace();
		expect(countPlaces(pace, 499)).toBe(0);
		expect(pace.shutSeconds(100)).toBeCloseTo(0.4);
		expect(countPlaces(pace, 500)).toBe(1);
	});

	test("that fails the trial is left alone for longer, ten seconds at most", () => {
		const pace = shutPace();
		const pauses: number[] = [];
		let nowMs = 500;
		for (let i = 0; i < 7; i++) {
			expect(pace.enter(nowMs)).toBe(true);
			pace.leave(false, nowMs);
			const seconds = pace.shutSeconds(nowMs);
			pauses.push(seconds);
			nowMs += seconds * 1000;
		}
		expect(pauses).toEqual([1, 2, 4, 8, 10, 10, 10]);
	});

	test("that comes back is called by more and more, as its answers come", () => {
		const pace = shutPace();
		const rounds: number[] = [];
		for (let i = 0; i < 6; i++) {
			let entered = 0;
			while (pace.enter(1_000)) entered++;
			rounds.push(entered);
			for (let n = 0; n < entered; n++) pace.leave(true, 1_000);
		}
		expect(rounds).toEqual([1, 2, 4, 8, 16, 16]);
	});
});

test("whatever happens, never more calls than places, and a free host can always be tried in the end", () => {
	const event = fc.record({
		what: fc.constantFrom("enter", "reached", "failed", "given up"),
		afterMs: fc.nat({ max: 3_000 }),
	});
	fc.assert(
		fc.property(fc.array(event, { maxLength: 300 }), (events) => {
			const pace = createPace(PLACES);
			let inside = 0;
			let nowMs = 0;
			for (const { what, afterMs } of events) {
				nowMs += afterMs;
				if (what === "enter") inside += pace.enter(nowMs) ? 1 : 0;
				else if (inside > 0) {
					inside--;
					pace.leave(what === "given up" ? undefined : what === "reached", nowMs);
				}
				expect(inside).toBeLessThanOrEqual(PLACES);
			}
			for (; inside > 0; inside--) pace.leave(undefined, nowMs);
			expect(pace.enter(nowMs + 10_000)).toBe(true);
		}),
	);
});

test("a pause ends when the host is known to be back since it began, and not by older news", () => {
	const pace = shutPace(1_000);
	pace.hearOfReturn(300, 1_200);
	expect([pace.enter(1_200), pace.shutSeconds(1_200)]).toEqual([false, 0.3]);
	pace.hearOfReturn(100, 1_200);
	expect([pace.enter(1_200), pace.enter(1_200), pace.shutSeconds(1_200)]).toEqual([true, false, 0]);
});
