import { describe, expect, test } from "bun:test";
import { createKeyedBatcher } from "../../../src/platform/concurrency";

import { until } from "../../support/until";

/** A run that records its items and ends when the test ends it. */
function makeRun() {
	const runs: { items: readonly string[]; end: PromiseWithResolvers<void> }[] = [];
	const run = async (items: readonly string[]) => {
		const end = Promise.withResolvers<void>();
		runs.push({ items, end });
		await end.promise;
		return items.map((item) => `${item}!`);
	};
	const begun = () => runs.map(({ items }) => items.join(" "));
	return { runs, run, begun };
}

/** One turn of the event loop. */
const turn = () => new Promise((done) => setImmediate(done));
const nameOf = (item: string) => item.slice(0, 1);
const NEVER_MS = 60_000;

describe("calls", () => {
	test("of one name are one run, one at a time, and each gets its own result", async () => {
		const { runs, run, begun } = makeRun();
		const gather = createKeyedBatcher(run, nameOf, { itemsMax: 10, runsMax: 4, slowAfterMs: NEVER_MS, slowMax: 8 });
		const first = Promise.all(["a1", "b1", "a2"].map(gather));
		await turn();
		const later = gather("a3");
		await turn();
		expect(begun()).toEqual(["a1 a2", "b1"]);
		for (const { end } of runs) end.resolve();
		expect(await first).toEqual(["a1!", "b1!", "a2!"]);
		await until(() => runs.length === 3);
		runs[2]?.end.resolve();
		expect(await later).toBe("a3!");
	});

	test("of other names wait for no run that waits, however many of those there are", async () => {
		const { runs, run, begun } = makeRun();
		const gather = createKeyedBatcher(run, nameOf, { itemsMax: 10, runsMax: 2, slowAfterMs: 5, slowMax: 8 });
		const held = ["a1", "b1", "c1"].map(gather);
		const other = gather("d1");
		await until(() => begun().includes("d1"));
		runs.find(({ items }) => items[0] === "d1")?.end.resolve();
		expect(await other).toBe("d1!");
		for (const { end } of runs) end.resolve();
		expect(await Promise.all(held)).toEqual(["a1!", "b1!", "c1!"]);
	});

	test("of many waiting keys have a limited number of runs, refilled as they end", async () => {
		const { runs, run, begun } = makeRun();
		const gather = createKeyedBatcher(run, nameOf, { itemsMax: 10, runsMax: 2, slowAfterMs: 5, slowMax: 3 });
		const results = Promise.all(["a1", "b1", "c1", "d1", "e1", "f1", "g1"].map(gather));
		await until(() => runs.length === 5);
		await Bun.sleep(50);
		expect(begun()).toEqual(["a1", "b1", "c1", "d1", "e1"]);
		for (let i = 0; i < 7; i++) {
			await until(() => runs.length > i);
			runs[i]?.end.resolve();
		}
		expect(await results).toEqual(["a1!", "b1!", "c1!", "d1!", "e1!", "f1!", "g1!"]);
	});

	test("of all keys share a limit of runs, in order", async () => {
		const { runs, run, begun } = makeRun();
		const gather = createKeyedBatcher(run, nameOf, { itemsMax: 10, runsMax: 2, slowAfterMs: NEVER_MS, slowMax: 8 });
		const results = Promise.all(["a1", "b1", "c1", "d1"].map(gather));
		await turn();
		expect(begun()).toEqual(["a1", "b1"]);
		for (let i = 0; i < 4; i++) {
			await until(() => runs.length > i);
			runs[i]?.end.resolve();
		}
		expect(await results).toEqual(["a1!", "b1!", "c1!", "d1!"]);
		expect(begun()).toEqual(["a1", "b1", "c1", "d1"]);
	});

	test("of a failed run get its error, and the next ones a run of their own", async () => {
		let tries = 0;
		const gather = createKeyedBatcher(
			async (items: readonly string[]) => {
				if (++tries === 1) throw new Error("away");
				return items;
			},
			nameOf,
			{ itemsMax: 10, runsMax: 1, slowAfterMs: NEVER_MS, slowMax: 8 },
		);
		const failed = await Promise.allSettled(["a1", "a2"].map(gather));
		expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
		expect(await gather("a3")).toBe("a3");
	});
});
