/** The rate of an endpoint, in simulated time. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { createRateLimiter } from "../../../src/platform/concurrency";

/** When each of many deliveries that are due at once goes, if each returns at its time. */
function run(count: number, perSecond: number): number[] {
	const limiter = createRateLimiter();
	const due = Array.from({ length: count }, (_, n) => ({ id: `d${n}`, at: 0 }));
	const wentAt: number[] = [];
	while (due.length > 0) {
		due.sort((a, b) => a.at - b.at);
		const [one] = due;
		if (!one) break;
		const pauseMs = limiter.take("endpoint", one.id, perSecond, one.at);
		if (pauseMs === 0) wentAt.push(due.shift()?.at ?? 0);
		else one.at += pauseMs;
	}
	return wentAt;
}

test("no second has more deliveries than the rate, and none waits longer than needed", () => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 1_000 }), (count, perSecond) => {
			const wentAt = run(count, perSecond);
			expect(wentAt).toHaveLength(count);
			wentAt.forEach((at, n) => {
				const later = wentAt[n + perSecond];
				if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(999.9);
			});
			expect(wentAt.at(-1) ?? 0).toBeLessThanOrEqual(((count - 1) * 1_000) / perSecond + 0.1);
		}),
		{ numRuns: 60 },
	);
});

test("endpoints do not wait for each other", () => {
	const limiter = createRateLimiter();
	expect(limiter.take("a", "1", 1, 0)).toBe(0);
	expect(limiter.take("a", "2", 1, 0)).toBe(1_000);
	expect(limiter.take("b", "3", 1, 0)).toBe(0);
});

test("a delivery that returns too early gets the same time again", () => {
	const limiter = createRateLimiter();
	limiter.take("a", "1", 1, 0);
	expect(limiter.take("a", "2", 1, 0)).toBe(1_000);
	expect(limiter.take("a", "2", 1, 400)).toBe(600);
	expect(limiter.take("a", "2", 1, 1_000)).toBe(0);
});

test("unused slots are not used all at once", () => {
	const perSecond = 2;
	const limiter = createRateLimiter();
	const due = Array.from({ length: 60 }, (_, n) => ({
		id: `d${n}`,
		at: limiter.take("endpoint", `d${n}`, perSecond, 0),
	}));
	// The endpoint has no slot for half a minute.
	let waiting = due.slice(1).map(({ id }) => ({ id, at: 30_000 }));
	const wentAt: number[] = [];
	while (waiting.length > 0) {
		const now = Math.min(...waiting.map(({ at }) => at));
		waiting = waiting.flatMap((one) => {
			if (one.at > now) return [one];
			const pauseMs = limiter.take("endpoint", one.id, perSecond, now);
			if (pauseMs > 0) return [{ id: one.id, at: now + pauseMs }];
			wentAt.push(now);
			return [];
		});
	}
	expect(wentAt).toHaveLength(59);
	wentAt.forEach((at, n) => {
		const later = wentAt[n + perSecond];
		if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(999.9);
	});
	expect(wentAt.at(-1)).toBeLessThanOrEqual(30_000 + 60 * 500);
});

test("deliveries that always return late still go", () => {
	const limiter = createRateLimiter();
	let waiting = Array.from({ length: 100 }, (_, n) => ({ id: `d${n}`, at: 0 }));
	let now = 0;
	while (waiting.length > 0 && now < 60_000) {
		now = Math.min(...waiting.map(({ at }) => at));
		const [first, ...rest] = waiting.sort((a, b) => a.at - b.at);
		if (!first) break;
		const pauseMs = limiter.take("endpoint", first.id, 10, now);
		waiting = pauseMs === 0 ? rest : [...rest, { id: first.id, at: now + pauseMs + 700 }];
	}
	expect(waiting).toEqual([]);
	expect(now).toBeLessThan(25_000);
});

test("late deliveries exceed the rate of a second by a quarter at most", () => {
	const lateness = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 20, maxLength: 200 });
	fc.assert(
		fc.property(lateness, fc.integer({ min: 1, max: 200 }), (lateMs, perSecond) => {
			const limiter = createRateLimiter();
			let waiting = lateMs.map((late, n) => ({ id: `d${n}`, at: 0, late }));
			const wentAt: number[] = [];
			while (waiting.length > 0) {
				const [first, ...rest] = waiting.sort((a, b) => a.at - b.at);
				if (!first) break;
				const pauseMs = limiter.take("endpoint", first.id, perSecond, first.at);
				waiting = pauseMs === 0 ? rest : [...rest, { ...first, at: first.at + pauseMs + first.late }];
				if (pauseMs === 0) wentAt.push(first.at);
			}
			const most = Math.ceil(perSecond * 1.25) + 1;
			wentAt.forEach((at, n) => {
				const later = wentAt[n + most];
				if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(999.9);
			});
		}),
		{ numRuns: 60 },
	);
});

test("deliveries that return together a quarter of a second late use their slots", () => {
	const limiter = createRateLimiter();
	let waiting = Array.from({ length: 100 }, (_, n) => ({ id: `d${n}`, at: 0 }));
	let now = 0;
	for (; waiting.length > 0; now += 250) {
		waiting = waiting.flatMap((one) => {
			if (one.at > now) return [one];
			const pauseMs = limiter.take("endpoint", one.id, 10, now);
			return pauseMs === 0 ? [] : [{ ...one, at: now + pauseMs }];
		});
	}
	expect(now).toBeLessThan(11_000);
});

test("beyond a minute nothing is booked, so that memory stays within bounds", () => {
	const limiter = createRateLimiter();
	for (let n = 0; n < 5_000; n++) limiter.take("a", `d${n}`, 10, 0);
	expect(limiter.size()).toBeLessThan(10 * 60 + 10);
	expect(limiter.take("a", "late", 10, 0)).toBe(60_000);
});

test("expired entries are removed", () => {
	const limiter = createRateLimiter();
	for (let n = 0; n < 999; n++) limiter.take(`e${n}`, `d${n}`, 1, 0);
	expect(limiter.size()).toBe(999);
	limiter.take("last", "last", 1, 10_000);
	expect(limiter.size()).toBe(1);
});
