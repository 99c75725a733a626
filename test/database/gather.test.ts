import { describe, expect, test } from "bun:test";
import { createGather } from "../../src/database";

/** A run that records what it was asked and ends when it is told to. */
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
	test("of one turn are one run, and each gets its own result", async () => {
		const { runs, run } = makeRun();
		const gather = createGather(run, { itemsMax: 10, runsMax: 1 });
		const results = Promise.all(["a", "b", "c"].map(gather));
		await turn();
		expect(runs.map(({ items }) => items)).toEqual([["a", "b", "c"]]);
		runs[0]?.end.resolve();
		expect(await results).toEqual(["a!", "b!", "c!"]);
	});

	test("never join a run that has begun: they see what was committed before them", async () => {
		const { runs, run } = makeRun();
		const gather = createGather(run, { itemsMax: 10, runsMax: 1 });
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

	test("beyond the most of one run take the next one, and no more runs than allowed go on", async () => {
		const { runs, run } = makeRun();
		const gather = createGather(run, { itemsMax: 2, runsMax: 2 });
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

	test("of a failed run all get the error, and the next run is not touched", async () => {
		let isFirst = true;
		const gather = createGather(
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
