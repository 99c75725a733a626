import { expect, test } from "bun:test";
import type { KeyedQueue } from "../../../src/platform/concurrency";
import { createRequestQueue } from "../../../src/platform/idempotency";

/** What a request does in its turn: looks whether the work was done, and does it otherwise. */
function request(queue: KeyedQueue, key: string, done: Map<string, number>, work: () => Promise<void>) {
	return queue.run(key, async () => {
		if (done.has(key)) return "found";
		await work();
		done.set(key, (done.get(key) ?? 0) + 1);
		return "did";
	});
}

test("of fifty requests that come together one works and the others find its result", async () => {
	const queue = createRequestQueue();
	const done = new Map<string, number>();
	let atOnce = 0;
	const work = async () => {
		expect(++atOnce).toBe(1);
		await Bun.sleep(0);
		atOnce--;
	};
	const results = await Promise.all(Array.from({ length: 50 }, () => request(queue, "key", done, work)));
	expect(results.filter((result) => result === "did")).toHaveLength(1);
	expect(done.get("key")).toBe(1);
});

test("those who wake together still take turns", async () => {
	const queue = createRequestQueue();
	let atOnce = 0;
	let most = 0;
	const turn = async () => {
		most = Math.max(most, ++atOnce);
		await Bun.sleep(0);
		atOnce--;
	};
	await Promise.all(Array.from({ length: 20 }, () => queue.run("key", turn)));
	expect(most).toBe(1);
});

test("other keys do not wait", async () => {
	const queue = createRequestQueue();
	const gate = Promise.withResolvers<void>();
	const slow = queue.run("slow", () => gate.promise);
	expect(await queue.run("other", async () => 7)).toBe(7);
	gate.resolve();
	await slow;
});

test("when one fails the next one works, and only the first gets the error", async () => {
	const queue = createRequestQueue();
	const done = new Map<string, number>();
	const gate = Promise.withResolvers<void>();
	const first = request(queue, "key", done, () => gate.promise).catch((error: Error) => error.message);
	const second = request(queue, "key", done, async () => undefined);
	const third = request(queue, "key", done, async () => undefined);
	gate.reject(new Error("the database is away"));
	expect(await first).toBe("the database is away");
	expect((await Promise.all([second, third])).toSorted()).toEqual(["did", "found"]);
	expect(done.get("key")).toBe(1);
});

test("work that fails before its first await gives the turn back too", async () => {
	const queue = createRequestQueue();
	const broken = queue.run("key", () => {
		throw new Error("at once");
	});
	expect(await broken.catch((error: Error) => error.message)).toBe("at once");
	expect(await queue.run("key", async () => "next")).toBe("next");
});

test("a caller that waits too long is asked to come back", async () => {
	const queue = createRequestQueue(20);
	const gate = Promise.withResolvers<string>();
	const running = queue.run("key", () => gate.promise);
	const refusal = await queue.run("key", async () => "never").catch((error: unknown) => error);
	expect(refusal).toMatchObject({ slug: "idempotency-in-progress", status: 409, headers: { "retry-after": "1" } });
	gate.resolve("done");
	expect(await running).toBe("done");
	expect(await queue.run("key", async () => "next")).toBe("next");
});
