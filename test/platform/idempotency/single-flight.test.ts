import { expect, test } from "bun:test";
import { createSingleFlight, type SingleFlight } from "../../../src/platform/idempotency";

/** What a request does in its turn: looks whether the work was done, and does it otherwise. */
function request(flight: SingleFlight, key: string, done: Map<string, number>, work: () => Promise<void>) {
	return flight.run(key, async () => {
		if (done.has(key)) return "found";
		await work();
		done.set(key, (done.get(key) ?? 0) + 1);
		return "did";
	});
}

test("of fifty requests that come together one works and the others find its result", async () => {
	const flight = createSingleFlight();
	const done = new Map<string, number>();
	let atOnce = 0;
	const work = async () => {
		expect(++atOnce).toBe(1);
		await Bun.sleep(0);
		atOnce--;
	};
	const results = await Promise.all(Array.from({ length: 50 }, () => request(flight, "key", done, work)));
	expect(results.filter((result) => result === "did")).toHaveLength(1);
	expect(done.get("key")).toBe(1);
});

test("those who wake together still take turns", async () => {
	const flight = createSingleFlight();
	let atOnce = 0;
	let most = 0;
	const turn = async () => {
		most = Math.max(most, ++atOnce);
		await Bun.sleep(0);
		atOnce--;
	};
	await Promise.all(Array.from({ length: 20 }, () => flight.run("key", turn)));
	expect(most).toBe(1);
});

test("other keys do not wait", async () => {
	const flight = createSingleFlight();
	const gate = Promise.withResolvers<void>();
	const slow = flight.run("slow", () => gate.promise);
	expect(await flight.run("other", async () => 7)).toBe(7);
	gate.resolve();
	await slow;
});

test("when the one fails the next of those who wait works, and the failure is the first one's alone", async () => {
	const flight = createSingleFlight();
	const done = new Map<string, number>();
	const gate = Promise.withResolvers<void>();
	const first = request(flight, "key", done, () => gate.promise).catch((error: Error) => error.message);
	const second = request(flight, "key", done, async () => undefined);
	const third = request(flight, "key", done, async () => undefined);
	gate.reject(new Error("the database is away"));
	expect(await first).toBe("the database is away");
	expect((await Promise.all([second, third])).toSorted()).toEqual(["did", "found"]);
	expect(done.get("key")).toBe(1);
});

test("work that fails before its first await gives the turn back too", async () => {
	const flight = createSingleFlight();
	const broken = flight.run("key", () => {
		throw new Error("at once");
	});
	expect(await broken.catch((error: Error) => error.message)).toBe("at once");
	expect(await flight.run("key", async () => "next")).toBe("next");
});

test("who waits too long is told to come back, and the work goes on", async () => {
	const flight = createSingleFlight(20);
	const gate = Promise.withResolvers<string>();
	const running = flight.run("key", () => gate.promise);
	const refusal = await flight.run("key", async () => "never").catch((error: unknown) => error);
	expect(refusal).toMatchObject({ slug: "idempotency-in-progress", status: 409, headers: { "retry-after": "1" } });
	gate.resolve("done");
	expect(await running).toBe("done");
	expect(await flight.run("key", async () => "next")).toBe("next");
});
