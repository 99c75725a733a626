/** How many of the dispatcher's slots an endpoint may hold, in simulated time. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
	ALIVE_MS,
	createBreaker,
	FAILURES_TO_OPEN,
	SLOTS_FEW,
	SLOTS_OPEN,
	SLOW_MS,
	type Slot,
} from "../../../src/events/webhooks/circuit-breaker";

/** Fails an endpoint until it is open. */
function openBreaker(nowMs = 0) {
	const breaker = createBreaker();
	for (let n = 0; n < FAILURES_TO_OPEN; n++) breaker.enter("a", false, nowMs)?.leave(false, nowMs);
	return breaker;
}

const takeAll = (breaker: ReturnType<typeof createBreaker>, nowMs: number, endpoint = "a") => {
	const slots: Slot[] = [];
	for (let slot = breaker.enter(endpoint, false, nowMs); slot && slots.length < 100; ) {
		slots.push(slot);
		slot = breaker.enter(endpoint, false, nowMs);
	}
	return slots;
};

test("an unknown endpoint gets eight slots, one that answers gets all of them", () => {
	const breaker = createBreaker();
	const [first] = takeAll(breaker, 0);
	expect(takeAll(breaker, 0)).toHaveLength(0);
	first?.leave(true, 1);
	expect(takeAll(breaker, 1)).toHaveLength(100);
});

test("five failures in a row open it, four do not, and further failures change nothing", () => {
	const breaker = createBreaker();
	const fail = () => breaker.enter("a", true, 0)?.leave(false, 0);
	expect([1, 2, 3, 4, 5, 6].map(fail)).toEqual([undefined, undefined, undefined, undefined, "opened", undefined]);
	expect(breaker.openCount()).toBe(1);
	expect(takeAll(breaker, 0)).toHaveLength(SLOTS_OPEN);
});

test("failures within ten seconds of a delivery do not open it", () => {
	const breaker = createBreaker();
	breaker.enter("a", true, 0)?.leave(true, 0);
	const fail = (atMs: number) => breaker.enter("a", true, atMs)?.leave(false, atMs);
	for (let n = 0; n < 20; n++) expect(fail(ALIVE_MS - 1)).toBeUndefined();
	expect(fail(ALIVE_MS)).toBe("opened");
});

test("each answer doubles the slots until it closes, and a failure opens it again", () => {
	const breaker = openBreaker();
	const limits = [];
	let change: ReturnType<Slot["leave"]>;
	for (let n = 0; change !== "closed"; n++) {
		const slots = takeAll(breaker, 0);
		limits.push(slots.length);
		for (const slot of slots.slice(1)) slot.leave(undefined, 0);
		change = slots[0]?.leave(true, 0);
		expect(n).toBeLessThan(10);
	}
	expect(limits).toEqual([2, 4, 8]);
	expect(breaker.openCount()).toBe(0);

	const again = openBreaker();
	again.enter("a", false, 0)?.leave(true, 0);
	expect(again.enter("a", false, 0)?.leave(false, 0)).toBeUndefined();
	expect(takeAll(again, 0)).toHaveLength(SLOTS_OPEN);
});

test("an endpoint whose oldest request takes two seconds gets eight slots", () => {
	const breaker = createBreaker();
	breaker.enter("a", false, 0)?.leave(true, 0);
	const slow = breaker.enter("a", false, 0);
	expect(takeAll(breaker, SLOW_MS - 1).length).toBeGreaterThan(SLOTS_FEW);
	expect(breaker.enter("a", false, SLOW_MS)).toBeUndefined();
	const few = createBreaker();
	few.enter("a", false, 0)?.leave(true, 0);
	few.enter("a", false, 0);
	expect(takeAll(few, SLOW_MS)).toHaveLength(SLOTS_FEW - 1);
	slow?.leave(true, SLOW_MS);
	expect(takeAll(breaker, SLOW_MS).length).toBeGreaterThan(0);
});

test("waiting attempts return in order, 200 a second, within a minute", () => {
	const breaker = openBreaker();
	const pauses = Array.from({ length: 20_000 }, () => breaker.pauseMs("a", 0));
	expect(pauses[0]).toBe(250);
	const booked = pauses.filter((pause) => pause < 60_000);
	expect(booked.every((pause, n) => n === 0 || pause > (booked[n - 1] ?? 0))).toBe(true);
	for (let second = 1; second < 60; second++) {
		expect(booked.filter((p) => p >= second * 1_000 && p < (second + 1) * 1_000).length).toBeLessThanOrEqual(200);
	}
	expect(Math.max(...pauses)).toBe(60_000);
});

test("an endpoint unused for a minute is forgotten, unless an attempt is under way", () => {
	const breaker = openBreaker();
	breaker.enter("b", false, 0);
	for (let n = 0; n < 998; n++) breaker.enter(`e${n}`, false, 1)?.leave(true, 1);
	expect(breaker.size()).toBe(1_000);
	for (let n = 0; n < 1_000; n++) breaker.enter("c", true, 100_000)?.leave(true, 100_000);
	expect(breaker.size()).toBe(2);
	expect(breaker.openCount()).toBe(0);
});

type Step = { endpoint: "a" | "b"; act: "first" | "retry" | "delivered" | "failed" | "none"; afterMs: number };
const step = fc.record<Step>({
	endpoint: fc.constantFrom("a", "b"),
	act: fc.constantFrom("first", "retry", "delivered", "failed", "none"),
	afterMs: fc.integer({ min: 0, max: 900 }),
});

/** What one endpoint saw of a history: which attempts got a slot, and what leaving it changed. */
function play(steps: readonly Step[], of: Step["endpoint"], isAlone: boolean) {
	const breaker = createBreaker();
	const slots: Record<Step["endpoint"], Slot[]> = { a: [], b: [] };
	const seen: unknown[] = [];
	let nowMs = 0;
	let failuresInRow = 0;
	let deliveredAtMs = Number.NEGATIVE_INFINITY;
	let isOpen = false;
	for (const { endpoint, act, afterMs } of steps) {
		nowMs += afterMs;
		if (isAlone && endpoint !== of) continue;
		const mine = slots[endpoint];
		let saw: unknown;
		if (act === "first" || act === "retry") {
			const before = mine.length;
			const slot = breaker.enter(endpoint, act === "retry", nowMs);
			if (act === "retry") expect(slot).toBeDefined();
			if (act === "first" && slot && endpoint === of && isOpen) expect(before).toBeLessThan(SLOTS_OPEN);
			if (slot) mine.push(slot);
			saw = slot !== undefined;
		} else {
			const isDelivered = act === "none" ? undefined : act === "delivered";
			const slot = mine.shift();
			saw = slot?.leave(isDelivered, nowMs);
			if (slot && endpoint === of && isDelivered !== undefined) {
				failuresInRow = isDelivered ? 0 : failuresInRow + 1;
				if (isDelivered) deliveredAtMs = nowMs;
				isOpen = !isDelivered && (isOpen || (failuresInRow >= FAILURES_TO_OPEN && nowMs - deliveredAtMs >= ALIVE_MS));
			}
		}
		if (endpoint === of) seen.push(saw);
	}
	return seen;
}

test("endpoints do not affect each other, and a retry always gets a slot", () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
			expect(play(steps, "a", false)).toEqual(play(steps, "a", true));
		}),
		{ numRuns: 300 },
	);
});

test("a receiver that never answers holds few slots, and its retries are on time", () => {
	const breaker = createBreaker();
	const TIMEOUT_MS = 10_000;
	const DELAYS_MS = [1_000, 4_000, 16_000, 64_000, 256_000];
	type Item = { atMs: number; retries: number; slot: Slot | undefined };
	const due: Item[] = Array.from({ length: 60 }, () => ({ atMs: 0, retries: 0, slot: undefined }));
	const held: { atMs: number; isRetry: boolean }[] = [];
	let movedRetries = 0;
	for (let item = due[0]; item && item.atMs < 900_000; item = due.sort((x, y) => x.atMs - y.atMs)[0]) {
		if (item.slot) {
			item.slot.leave(false, item.atMs);
			item.slot = undefined;
			const delayMs = DELAYS_MS[item.retries++];
			if (delayMs === undefined) due.shift();
			else item.atMs += delayMs;
			continue;
		}
		const isRetry = item.retries > 0;
		item.slot = breaker.enter("tarpit", isRetry, item.atMs);
		if (item.slot) held.push({ atMs: item.atMs, isRetry });
		else if (isRetry) movedRetries++;
		item.atMs += item.slot ? TIMEOUT_MS : breaker.pauseMs("tarpit", item.atMs);
	}
	const countAt = (atMs: number, among = held) =>
		among.filter((one) => one.atMs <= atMs && atMs < one.atMs + TIMEOUT_MS).length;
	expect(movedRetries).toBe(0);
	expect(countAt(0)).toBe(SLOTS_FEW);
	expect(Math.max(...held.map(({ atMs }) => countAt(atMs)))).toBeLessThanOrEqual(2 * SLOTS_FEW);
	const firsts = held.filter(({ atMs, isRetry }) => !isRetry && atMs >= TIMEOUT_MS);
	expect(firsts.length).toBeGreaterThan(0);
	expect(Math.max(...firsts.map(({ atMs }) => countAt(atMs, firsts)))).toBeLessThanOrEqual(SLOTS_OPEN);
});
