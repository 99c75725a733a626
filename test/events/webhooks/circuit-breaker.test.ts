/** What an endpoint may take of the dispatcher's seats, in a simulated time. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
	ALIVE_MS,
	createBreaker,
	FAILURES_TO_OPEN,
	SEATS_FEW,
	SEATS_OPEN,
	type Seat,
	SLOW_MS,
} from "../../../src/events/webhooks/circuit-breaker";

/** Fails an endpoint until it is open. */
function openBreaker(nowMs = 0) {
	const breaker = createBreaker();
	for (let n = 0; n < FAILURES_TO_OPEN; n++) breaker.enter("a", false, nowMs)?.leave(false, nowMs);
	return breaker;
}

const takeAll = (breaker: ReturnType<typeof createBreaker>, nowMs: number, endpoint = "a") => {
	const seats: Seat[] = [];
	for (let seat = breaker.enter(endpoint, false, nowMs); seat && seats.length < 100; ) {
		seats.push(seat);
		seat = breaker.enter(endpoint, false, nowMs);
	}
	return seats;
};

test("an endpoint not heard from gets eight seats, one that answers as many as there are", () => {
	const breaker = createBreaker();
	const [first] = takeAll(breaker, 0);
	expect(takeAll(breaker, 0)).toHaveLength(0);
	first?.leave(true, 1);
	expect(takeAll(breaker, 1)).toHaveLength(100);
});

test("five failures in a row open it, four do not, and each failure after that tells nothing new", () => {
	const breaker = createBreaker();
	const fail = () => breaker.enter("a", true, 0)?.leave(false, 0);
	expect([1, 2, 3, 4, 5, 6].map(fail)).toEqual([undefined, undefined, undefined, undefined, "opened", undefined]);
	expect(breaker.openCount()).toBe(1);
	expect(takeAll(breaker, 0)).toHaveLength(SEATS_OPEN);
});

test("an endpoint that delivered within ten seconds refuses some deliveries, and stays closed", () => {
	const breaker = createBreaker();
	breaker.enter("a", true, 0)?.leave(true, 0);
	const fail = (atMs: number) => breaker.enter("a", true, atMs)?.leave(false, atMs);
	for (let n = 0; n < 20; n++) expect(fail(ALIVE_MS - 1)).toBeUndefined();
	expect(fail(ALIVE_MS)).toBe("opened");
});

test("each answer doubles what it may take until it is closed, a failure on the way opens it again", () => {
	const breaker = openBreaker();
	const limits = [];
	let change: ReturnType<Seat["leave"]>;
	for (let n = 0; change !== "closed"; n++) {
		const seats = takeAll(breaker, 0);
		limits.push(seats.length);
		for (const seat of seats.slice(1)) seat.leave(undefined, 0);
		change = seats[0]?.leave(true, 0);
		expect(n).toBeLessThan(10);
	}
	expect(limits).toEqual([2, 4, 8]);
	expect(breaker.openCount()).toBe(0);

	const again = openBreaker();
	again.enter("a", false, 0)?.leave(true, 0);
	expect(again.enter("a", false, 0)?.leave(false, 0)).toBeUndefined();
	expect(takeAll(again, 0)).toHaveLength(SEATS_OPEN);
});

test("while its oldest request is unanswered for two seconds, an endpoint that was well gets eight seats", () => {
	const breaker = createBreaker();
	breaker.enter("a", false, 0)?.leave(true, 0);
	const slow = breaker.enter("a", false, 0);
	expect(takeAll(breaker, SLOW_MS - 1).length).toBeGreaterThan(SEATS_FEW);
	expect(breaker.enter("a", false, SLOW_MS)).toBeUndefined();
	const few = createBreaker();
	few.enter("a", false, 0)?.leave(true, 0);
	few.enter("a", false, 0);
	expect(takeAll(few, SLOW_MS)).toHaveLength(SEATS_FEW - 1);
	slow?.leave(true, SLOW_MS);
	expect(takeAll(breaker, SLOW_MS).length).toBeGreaterThan(0);
});

test("whoever has to wait is told a time in the order of asking, 200 a second, a minute at most", () => {
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

test("what nobody has asked about for a minute is forgotten, unless something is under way", () => {
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

/** What one endpoint saw of a history: who got a seat, and what leaving it changed. Open is what has failed since, and not delivered. */
function play(steps: readonly Step[], of: Step["endpoint"], isAlone: boolean) {
	const breaker = createBreaker();
	const seats: Record<Step["endpoint"], Seat[]> = { a: [], b: [] };
	const seen: unknown[] = [];
	let nowMs = 0;
	let failuresInRow = 0;
	let deliveredAtMs = Number.NEGATIVE_INFINITY;
	let isOpen = false;
	for (const { endpoint, act, afterMs } of steps) {
		nowMs += afterMs;
		if (isAlone && endpoint !== of) continue;
		const mine = seats[endpoint];
		let saw: unknown;
		if (act === "first" || act === "retry") {
			const before = mine.length;
			const seat = breaker.enter(endpoint, act === "retry", nowMs);
			if (act === "retry") expect(seat).toBeDefined();
			if (act === "first" && seat && endpoint === of && isOpen) expect(before).toBeLessThan(SEATS_OPEN);
			if (seat) mine.push(seat);
			saw = seat !== undefined;
		} else {
			const isDelivered = act === "none" ? undefined : act === "delivered";
			const seat = mine.shift();
			saw = seat?.leave(isDelivered, nowMs);
			if (seat && endpoint === of && isDelivered !== undefined) {
				failuresInRow = isDelivered ? 0 : failuresInRow + 1;
				if (isDelivered) deliveredAtMs = nowMs;
				isOpen = !isDelivered && (isOpen || (failuresInRow >= FAILURES_TO_OPEN && nowMs - deliveredAtMs >= ALIVE_MS));
			}
		}
		if (endpoint === of) seen.push(saw);
	}
	return seen;
}

test("a retry always gets a seat, an open endpoint never more than two for first attempts, and none is touched by another", () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
			expect(play(steps, "a", false)).toEqual(play(steps, "a", true));
		}),
		{ numRuns: 300 },
	);
});

test("a receiver that never answers holds eight seats at first, few from then on, and its retries come at their times", () => {
	const breaker = createBreaker();
	const TIMEOUT_MS = 10_000;
	const DELAYS_MS = [1_000, 4_000, 16_000, 64_000, 256_000];
	type Item = { atMs: number; retries: number; seat: Seat | undefined };
	const due: Item[] = Array.from({ length: 60 }, () => ({ atMs: 0, retries: 0, seat: undefined }));
	const held: { atMs: number; isRetry: boolean }[] = [];
	let movedRetries = 0;
	for (let item = due[0]; item && item.atMs < 900_000; item = due.sort((x, y) => x.atMs - y.atMs)[0]) {
		if (item.seat) {
			item.seat.leave(false, item.atMs);
			item.seat = undefined;
			const delayMs = DELAYS_MS[item.retries++];
			if (delayMs === undefined) due.shift();
			else item.atMs += delayMs;
			continue;
		}
		const isRetry = item.retries > 0;
		item.seat = breaker.enter("tarpit", isRetry, item.atMs);
		if (item.seat) held.push({ atMs: item.atMs, isRetry });
		else if (isRetry) movedRetries++;
		item.atMs += item.seat ? TIMEOUT_MS : breaker.pauseMs("tarpit", item.atMs);
	}
	const countAt = (atMs: number, among = held) =>
		among.filter((one) => one.atMs <= atMs && atMs < one.atMs + TIMEOUT_MS).length;
	expect(movedRetries).toBe(0);
	expect(countAt(0)).toBe(SEATS_FEW);
	expect(Math.max(...held.map(({ atMs }) => countAt(atMs)))).toBeLessThanOrEqual(2 * SEATS_FEW);
	const firsts = held.filter(({ atMs, isRetry }) => !isRetry && atMs >= TIMEOUT_MS);
	expect(firsts.length).toBeGreaterThan(0);
	expect(Math.max(...firsts.map(({ atMs }) => countAt(atMs, firsts)))).toBeLessThanOrEqual(SEATS_OPEN);
});
