import { describe, expect, test } from "bun:test";
import { createBatcher } from "../../../src/platform/concurrency";

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
	return { runs, run };
}

/** One turn of the event loop. */
const turn = () => new Promise((done) => setImmediate(done));

describe("calls", () => {
	test("of different groups are never in one run", async () => {
		const { runs, run } = makeRun();
		const gather = createBatcher(run, { itemsMax: 2, runsMax: 2, groupOf: (item: string) => item[0] });
		const results = Promise.all(["a1", "b1", "a2", "a3", "b2"].map(gather));
		await turn();
		expect(runs.map(({ items }) => items)).toEqual([
			["a1", "a2"],
			["b1", "b2"],
		]);
		for (const { end } of runs) end.resolve();
		await until(() => runs.length === 3);
		runs[2]?.end.resolve();
		expect(await results).toEqual(["a1!", "b1!", "a2!", "a3!", "b2!"]);
	});

	test("of one turn are one run, and each gets its own result", async () => {
		const { runs, run } = makeRun();
		const gather = createBatcher(run, { itemsMax: 10, runsMax: 1 });
		const results = Promise.all(["a", "b", "c"].map(gather));
		await turn();
		expect(runs.map(({ items }) => items)).toEqual([["a", "b", "c"]]);
		runs[0]?.end.resolve();
		expect(await results).toEqual(["a!", "b!", "c!"]);
	});

	test("never join a run that has begun: they see what was committed before them", async () => {
		const { runs, run } = makeRun();
		const gather = createBatcher(run, { itemsMax: 10, runsMax: 1 });
		const first = gather("a");
		await turn();
		const later = Promise.all([gather("b"), gather("c")]);
		await turn();
		expect(runs).toHaveLength(1);
		runs[0]?.end.resolve();
		await first;
		await turn();
		expect(runs.map(({ items }) => items)).toEqual([["a"], ["b", "c"]]);
		runs[1]?.end.resolve();
		expect(await later).toEqual(["b!", "c!"]);
	});

	test("go past a run that is late, which answers its own calls whenever it ends", async () => {
		const { runs, run } = makeRun();
		const gather = createBatcher(run, { itemsMax: 10, runsMax: 1, lateMs: 5 });
		const late = gather("a");
		const next = gather("b");
		await turn();
		const other = gather("c");
		await until(() => runs.length === 2);
		expect(runs.map(({ items }) => items)).toEqual([["a", "b"], ["c"]]);
		runs[1]?.end.resolve();
		expect(await other).toBe("c!");
		runs[0]?.end.resolve();
		expect(await Promise.all([late, next])).toEqual(["a!", "b!"]);
		// Its end gives no second place away.
		const results = ["d", "e"].map(async (item) => {
			await turn();
			return gather(item);
		});
		await until(() => runs.length === 3);
		runs[2]?.end.resolve();
		await Promise.all(results);
	});

	test("beyond one run wait for the next, within the limit of runs", async () => {
		const { runs, run } = makeRun();
		const gather = createBatcher(run, { itemsMax: 2, runsMax: 2 });
		const results = Promise.all(["a", "b", "c", "d", "e"].map(gather));
		await turn();
		expect(runs.map(({ items }) => items)).toEqual([
			["a", "b"],
			["c", "d"],
		]);
		for (let i = 0; i < 3; i++) {
			runs[i]?.end.resolve();
			await turn();
		}
		expect(runs[2]?.items).toEqual(["e"]);
		expect(await results).toEqual(["a!", "b!", "c!", "d!", "e!"]);
	});

	test("after a large run wait together, unless they fill a run", async () => {
		const { runs, run } = makeRun();
		const gather = createBatcher(run, { itemsMax: 3, runsMax: 2, spacingMs: 200 });
		const first = ["a", "b"].map(gather);
		await turn();
		const next = [gather("c")];
		await turn();
		next.push(gather("d"));
		await turn();
		expect(runs.map(({ items }) => items)).toEqual([["a", "b"]]);
		next.push(gather("e"));
		await turn();
		expect(runs.map(({ items }) => items)).toEqual([
			["a", "b"],
			["c", "d", "e"],
		]);
		for (const { end } of runs) end.resolve();
		const last = ["f", "g"].map(gather);
		expect(await Promise.all([...first, ...next])).toEqual(["a!", "b!", "c!", "d!", "e!"]);
		await until(() => runs.length === 3);
		expect(runs[2]?.items).toEqual(["f", "g"]);
		runs[2]?.end.resolve();
		expect(await Promise.all(last)).toEqual(["f!", "g!"]);
	});

	test("that come one at a time never wait, however short the time between them", async () => {
		const { runs, run } = makeRun();
		const gather = createBatcher(run, { itemsMax: 10, runsMax: 1, spacingMs: 60_000 });
		for (const [i, item] of ["a", "b", "c"].entries()) {
			const result = gather(item);
			await turn();
			runs[i]?.end.resolve();
			expect(await result).toBe(`${item}!`);
		}
	});

	test("of a failed run all get the error, and the next run is not touched", async () => {
		let isFirst = true;
		const gather = createBatcher(
			async (items: readonly string[]) => {
				if (!isFirst) return items;
				isFirst = false;
				throw new Error("the server has gone");
			},
			{ itemsMax: 10, runsMax: 1 },
		);
		const outcomes = await Promise.allSettled([gather("a"), gather("b")]);
		expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
		expect(await gather("c")).toBe("c");
	});
});
