import { expect, test } from "bun:test";
import { createKeyedQueue, createSerialQueue } from "../../../src/platform/concurrency";

test("a serial queue runs work one at a time in order, and survives failures", async () => {
	const queue = createSerialQueue();
	const log: string[] = [];
	const add = (name: string) =>
		queue.run(async () => {
			log.push(`${name} begins`);
			await Bun.sleep(1);
			log.push(`${name} ends`);
			if (name === "a") throw new Error(name);
		});
	const results = await Promise.allSettled([add("a"), add("b")]);
	expect(log).toEqual(["a begins", "a ends", "b begins", "b ends"]);
	expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
});

test("idle waits for work that was added while it waited", async () => {
	const queue = createSerialQueue();
	let hasEnded = false;
	void queue.run(async () => {
		void queue.run(async () => {
			await Bun.sleep(1);
			hasEnded = true;
		});
	});
	await queue.idle();
	expect(hasEnded).toBe(true);
});

test("a keyed queue runs keys side by side and gives up after the longest wait", async () => {
	const queue = createKeyedQueue(10, () => new Error("too late"));
	const { promise, resolve } = Promise.withResolvers<string>();
	const first = queue.run("a", () => promise);
	expect(await queue.run("b", async () => "b")).toBe("b");
	expect(queue.run("a", async () => "never")).rejects.toThrow("too late");
	await Bun.sleep(20);
	resolve("a");
	expect(await first).toBe("a");
	expect(await queue.run("a", async () => "again")).toBe("again");
});
