import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createServiceBreaker, FAILURES_TO_OPEN } from "../../../src/authority/client/call-report";

const PLACES = 16;

/** A breaker whose host has just failed so often that it is shut. */
function openBreaker(nowMs = 0) {
	const breaker = createServiceBreaker(PLACES);
	for (let i = 0; i < FAILURES_TO_OPEN; i++) {
		expect(breaker.enter(nowMs)).toBe(true);
		breaker.leave(false, nowMs);
	}
	return breaker;
}

/** How many calls are let in at once. */
function countPlaces(breaker: ReturnType<typeof createServiceBreaker>, nowMs: number): number {
	let count = 0;
	while (breaker.enter(nowMs)) count++;
	for (let i = 0; i < count; i++) breaker.leave(undefined, nowMs);
	return count;
}

describe("a host of the authority", () => {
	test("that answers is called as often as there are places", () => {
		expect(countPlaces(createServiceBreaker(PLACES), 0)).toBe(PLACES);
	});

	test("that fails a few times is called as before", () => {
		const breaker = createServiceBreaker(PLACES);
		for (let i = 1; i < FAILURES_TO_OPEN; i++) {
			breaker.enter(0);
			breaker.leave(false, 0);
		}
		expect(countPlaces(breaker, 0)).toBe(PLACES);
	});

	test("that fails on is left alone, then tried by one call", () => {
		const breaker = openBreaker();
		expect(countPlaces(breaker, 499)).toBe(0);
		expect(breaker.openSeconds(100)).toBeCloseTo(0.4);
		expect(countPlaces(breaker, 500)).toBe(1);
	});

	test("that fails the trial is left alone for longer, ten seconds at most", () => {
		const breaker = openBreaker();
		const pauses: number[] = [];
		let nowMs = 500;
		for (let i = 0; i < 7; i++) {
			expect(breaker.enter(nowMs)).toBe(true);
			breaker.leave(false, nowMs);
			const seconds = breaker.openSeconds(nowMs);
			pauses.push(seconds);
			nowMs += seconds * 1000;
		}
		expect(pauses).toEqual([1, 2, 4, 8, 10, 10, 10]);
	});

	test("that comes back is called by more and more, as its answers come", () => {
		const breaker = openBreaker();
		const rounds: number[] = [];
		for (let i = 0; i < 6; i++) {
			let entered = 0;
			while (breaker.enter(1_000)) entered++;
			rounds.push(entered);
			for (let n = 0; n < entered; n++) breaker.leave(true, 1_000);
		}
		expect(rounds).toEqual([1, 2, 4, 8, 16, 16]);
	});
});

test("never more calls than places, and a closed circuit can always be tried", () => {
	const event = fc.record({
		what: fc.constantFrom("enter", "reached", "failed", "given up"),
		afterMs: fc.nat({ max: 3_000 }),
	});
	fc.assert(
		fc.property(fc.array(event, { maxLength: 300 }), (events) => {
			const breaker = createServiceBreaker(PLACES);
			let inside = 0;
			let nowMs = 0;
			for (const { what, afterMs } of events) {
				nowMs += afterMs;
				if (what === "enter") inside += breaker.enter(nowMs) ? 1 : 0;
				else if (inside > 0) {
					inside--;
					breaker.leave(what === "given up" ? undefined : what === "reached", nowMs);
				}
				expect(inside).toBeLessThanOrEqual(PLACES);
			}
			for (; inside > 0; inside--) breaker.leave(undefined, nowMs);
			expect(breaker.enter(nowMs + 10_000)).toBe(true);
		}),
	);
});

test("a pause ends with a recovery after its start, not with older news", () => {
	const breaker = openBreaker(1_000);
	breaker.noteRecovery(300, 1_200);
	expect([breaker.enter(1_200), breaker.openSeconds(1_200)]).toEqual([false, 0.3]);
	breaker.noteRecovery(100, 1_200);
	expect([breaker.enter(1_200), breaker.enter(1_200), breaker.openSeconds(1_200)]).toEqual([true, false, 0]);
});
