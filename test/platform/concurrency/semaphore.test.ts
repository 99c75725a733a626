import { expect, test } from "bun:test";
import { createEarlyRelease, createKeyedSemaphore, createSemaphore } from "../../../src/platform/concurrency";

test("a semaphore runs work in order and gets the permit back after a failure", async () => {
	const semaphore = createSemaphore(2);
	const begun: number[] = [];
	let running = 0;
	let most = 0;
	const add = (n: number) =>
		semaphore.run(async () => {
			begun.push(n);
			most = Math.max(most, ++running);
			await Promise.resolve();
			running--;
			if (n % 3 === 0) throw new Error(String(n));
			return n;
		});
	const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => add(n)));
	expect(most).toBe(2);
	expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	expect(answers.map(({ status }) => status === "rejected")).toEqual(begun.map((n) => n % 3 === 0));
});

test("a permit that is released twice comes back once", async () => {
	const semaphore = createSemaphore(1);
	const release = await semaphore.acquire();
	release();
	release();
	await semaphore.acquire();
	let isAcquired = false;
	void semaphore.acquire().then(() => {
		isAcquired = true;
	});
	await Bun.sleep(1);
	expect(isAcquired).toBe(false);
});

test("a keyed semaphore limits each key and the total", () => {
	const semaphore = createKeyedSemaphore({ max: 3, maxPerKey: 2 });
	const first = semaphore.tryAcquire("a");
	expect(semaphore.tryAcquire("a")).toBeDefined();
	expect(semaphore.tryAcquire("a")).toBeUndefined();
	expect(semaphore.tryAcquire("b")).toBeDefined();
	expect(semaphore.tryAcquire("b")).toBeUndefined();
	first?.();
	first?.();
	expect(semaphore.tryAcquire("b")).toBeDefined();
	expect(semaphore.tryAcquire("c")).toBeUndefined();
});

test("slow work releases its permit early, within the limit", async () => {
	const watch = createEarlyRelease({ afterMs: 5, max: 1 });
	const released: string[] = [];
	const endA = watch(() => released.push("a"));
	const endB = watch(() => released.push("b"));
	await Bun.sleep(30);
	expect(released).toEqual(["a"]);
	endA();
	expect(released).toEqual(["a", "b"]);
	endB();
	expect(released).toEqual(["a", "b"]);
});
