import { describe, expect, test } from "bun:test";
import { createFairQueue } from "../../../src/platform/concurrency";

/** Work that ends when the test says so; the names of work that began are collected in order. */
function openBench(over: Partial<Parameters<typeof createFairQueue>[0]> = {}) {
	const queue = createFairQueue({ places: 1, perKey: 2, waitingMax: 100, waitingMaxPerKey: 100, ...over });
	const begun: string[] = [];
	const endings = new Map<string, () => void>();
	const settle = () => new Promise<void>((done) => setImmediate(done));
	return {
		begun,
		settle,
		add(name: string, over: { isLong?: boolean; signal?: AbortSignal } = {}) {
			const work = () => {
				begun.push(name);
				return new Promise<string>((resolve) => endings.set(name, () => resolve(name)));
			};
			const result = queue.run(work, { key: name.charAt(0), ...over });
			result.catch(() => undefined);
			return result;
		},
		async end(name: string) {
			endings.get(name)?.();
			endings.delete(name);
			await settle();
		},
		/** Ends what began first until nothing is left, and returns the order in which work began. */
		async runAll() {
			for (let [name] = endings.keys(); name !== undefined; [name] = endings.keys()) await this.end(name);
			return begun;
		},
	};
}

const range = (key: string, count: number) => Array.from({ length: count }, (_, i) => `${key}${i}`);

describe("a fair queue", () => {
	test("serves keys in turn, however much one of them has added", async () => {
		const bench = openBench();
		for (const name of [...range("a", 5), ...range("b", 2), "c0"]) bench.add(name);
		expect(await bench.runAll()).toEqual(["a0", "a1", "b0", "c0", "a2", "b1", "a3", "a4"]);
	});

	test("gives a key two places at a time, even if others are free", async () => {
		const bench = openBench({ places: 4 });
		for (const name of range("a", 5)) bench.add(name);
		expect(bench.begun).toEqual(["a0", "a1"]);
		bench.add("b0");
		await bench.end("a0");
		expect(bench.begun).toEqual(["a0", "a1", "b0", "a2"]);
	});

	test("begins long work when nothing else waits, and leaves a place free of it", async () => {
		const bench = openBench({ places: 2 });
		for (const name of ["a0", "a1", "b0"]) bench.add(name, { isLong: true });
		for (const name of range("c", 3)) bench.add(name);
		expect(bench.begun).toEqual(["a0", "c0"]);
		await bench.end("a0");
		expect(bench.begun).toEqual(["a0", "c0", "c1"]);
		expect(await bench.runAll()).toEqual(["a0", "c0", "c1", "c2", "a1", "b0"]);
	});

	test("drops waiting work whose caller left", async () => {
		const bench = openBench();
		const gone = new AbortController();
		bench.add("a0");
		const dropped = range("a", 4).map((name) => bench.add(`${name}x`, { signal: gone.signal }));
		bench.add("a9");
		gone.abort();
		expect((await Promise.allSettled(dropped)).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
		expect(await bench.runAll()).toEqual(["a0", "a9"]);
		await expect(bench.add("a0", { signal: gone.signal })).rejects.toMatchObject({ slug: "service-unavailable" });
	});

	test("does not count running work whose caller left against its key", async () => {
		const bench = openBench({ places: 3 });
		const gone = new AbortController();
		const left = bench.add("a0", { signal: gone.signal });
		for (const name of ["a1", "a2", "a3", "b0"]) bench.add(name);
		expect(bench.begun).toEqual(["a0", "a1", "b0"]);
		gone.abort();
		await expect(left).rejects.toMatchObject({ slug: "service-unavailable" });
		// It keeps its place until it ends.
		expect(bench.begun).toEqual(["a0", "a1", "b0"]);
		await bench.end("b0");
		expect(bench.begun).toEqual(["a0", "a1", "b0", "a2"]);
		await bench.end("a0");
		expect(bench.begun).toEqual(["a0", "a1", "b0", "a2"]);
		expect(await bench.runAll()).toEqual(["a0", "a1", "b0", "a2", "a3"]);
	});

	test("refuses a key that waits too often, and all if too much waits", async () => {
		const bench = openBench({ waitingMax: 3, waitingMaxPerKey: 2 });
		for (const name of range("a", 3)) bench.add(name);
		await expect(bench.add("a3")).rejects.toMatchObject({ slug: "service-unavailable" });
		bench.add("b0");
		await expect(bench.add("c0")).rejects.toMatchObject({ slug: "service-unavailable" });
		expect(await bench.runAll()).toEqual(["a0", "a1", "b0", "a2"]);
	});

	test("passes on failures and goes on", async () => {
		const queue = createFairQueue({ places: 1, perKey: 2, waitingMax: 9, waitingMaxPerKey: 9 });
		const failing = queue.run(() => Promise.reject(new Error("torn")), { key: "a" });
		await expect(failing).rejects.toThrow("torn");
		expect(await queue.run(async () => 7, { key: "a" })).toBe(7);
	});
});
