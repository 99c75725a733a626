import { expect, test } from "bun:test";
import { createSingleFlight, memoize, memoizeFor, withTimeout } from "../../../src/platform/concurrency";

test("a single flight shares one run among simultaneous callers of a key", async () => {
	const flight = createSingleFlight<number>();
	let runs = 0;
	const work = async () => ++runs;
	expect(await Promise.all([flight.run("a", work), flight.run("a", work)])).toEqual([1, 1]);
	expect(flight.current("a")).toBeUndefined();
	expect(await flight.run("a", work)).toBe(2);
});

test("a memoized result is kept and a failure is not", async () => {
	let runs = 0;
	const get = memoize(async () => {
		if (++runs === 1) throw new Error("first");
		return runs;
	});
	expect(get()).rejects.toThrow("first");
	await Bun.sleep(0);
	expect([await get(), await get()]).toEqual([2, 2]);
});

test("a result that is memoized for a time is made again after it", async () => {
	let runs = 0;
	const get = memoizeFor(10, async (key: string) => `${key}${++runs}`);
	expect([await get("a"), await get("a"), await get("b")]).toEqual(["a1", "a1", "b2"]);
	await Bun.sleep(20);
	expect(await get("a")).toBe("a3");
});

test("work that takes too long gives the result of the time-out, or its error", async () => {
	const slow = () => Bun.sleep(50).then(() => "slow");
	expect(await withTimeout(slow(), 1, () => "late")).toBe("late");
	expect(await withTimeout(Promise.resolve("soon"), 50, () => "late")).toBe("soon");
	const failing = withTimeout(slow(), 1, () => {
		throw new Error("late");
	});
	expect(failing).rejects.toThrow("late");
	await Bun.sleep(5);
});
