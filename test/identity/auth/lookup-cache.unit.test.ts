import { expect, test } from "bun:test";
import { createLookupCache } from "../../../src/identity/auth/lookup-cache";
import { until } from "../../support/until";
import { problemOf } from "./support/access";

/** A cache over a table in memory, with a time and a listener to set, that counts its reads. */
function cacheOver(table: Map<string, string>, options: { rowsMax?: number; readTimeoutMs?: number } = {}) {
	const state = { now: 1_000, currentUntil: Number.NEGATIVE_INFINITY, reads: 0, fails: undefined as unknown };
	let gate: Promise<void> = Promise.resolve();
	const cache = createLookupCache({
		read: async (key) => {
			state.reads++;
			if (state.fails) throw state.fails;
			const row = table.get(key);
			await gate;
			return row;
		},
		rowsMax: options.rowsMax ?? 100,
		currentUntil: () => state.currentUntil,
		now: () => state.now,
		...(options.readTimeoutMs ? { readTimeoutMs: options.readTimeoutMs } : {}),
	});
	/** Holds the answers of reads back until the result is called. */
	const hold = (): (() => void) => {
		const { promise, resolve } = Promise.withResolvers<void>();
		gate = promise;
		return resolve;
	};
	return { cache, state, hold };
}

test("a row is read once and then remembered", async () => {
	const { cache, state } = cacheOver(new Map([["a", "row"]]));
	expect(cache.peek("a")).toBeUndefined();
	for (let i = 0; i < 5; i++) expect(await cache.get("a")).toBe("row");
	expect(cache.peek("a")).toBe("row");
	expect(state.reads).toBe(1);
});

test("concurrent misses of one row share one query", async () => {
	const { cache, state } = cacheOver(new Map([["a", "row"]]));
	expect(await Promise.all(Array.from({ length: 50 }, () => cache.get("a")))).toEqual(Array(50).fill("row"));
	expect(state.reads).toBe(1);
});

test("a row is read again after a second while no listener vouches for it", async () => {
	const table = new Map([["a", "old"]]);
	const { cache, state } = cacheOver(table);
	await cache.get("a");
	table.set("a", "new");
	state.now += 899;
	expect(await cache.get("a")).toBe("old");
	state.now += 1;
	expect(cache.peek("a")).toBeUndefined();
	expect(await cache.get("a")).toBe("new");
	expect(state.reads).toBe(2);
});

test("a row stays without a query for as long as the listener hears", async () => {
	const { cache, state } = cacheOver(new Map([["a", "row"]]));
	await cache.get("a");
	for (let i = 0; i < 1_000; i++) {
		state.now += 250;
		state.currentUntil = state.now;
		expect(await cache.get("a")).toBe("row");
	}
	expect(state.reads).toBe(1);
	state.now += 900;
	await cache.get("a");
	expect(state.reads).toBe(2);
});

test("a row in use is read again early, so no caller waits for a slow database", async () => {
	const table = new Map([["a", "row 0"]]);
	const { cache, state, hold } = cacheOver(table);
	await cache.get("a");
	state.now += 449;
	for (let i = 1; i <= 20; i++) {
		// Every answer takes 449 ms, and nothing is heard meanwhile.
		const release = hold();
		table.set("a", `row ${i}`);
		state.now += 1;
		expect(cache.peek("a")).toBe(`row ${i - 1}`);
		state.now += 449;
		expect(cache.peek("a")).toBe(`row ${i - 1}`);
		release();
		await until(() => cache.peek("a") === `row ${i}`);
	}
	expect(state.reads).toBeLessThanOrEqual(41);
});

test("a row that cannot be read again is served to its end and not longer", async () => {
	const { cache, state } = cacheOver(new Map([["a", "row"]]));
	await cache.get("a");
	state.fails = Object.assign(new Error("no connection"), { code: "ECONNREFUSED" });
	for (const passedMs of [450, 300, 149]) {
		state.now += passedMs;
		expect(cache.peek("a")).toBe("row");
	}
	state.now += 1;
	expect(cache.peek("a")).toBeUndefined();
	expect((await problemOf(cache.get("a"))).slug).toBe("service-unavailable");
});

test("a revoked row is gone although an older answer was on its way", async () => {
	const table = new Map([["a", "good"]]);
	const { cache, state, hold } = cacheOver(table);
	await cache.get("a");
	const release = hold();
	state.now += 450;
	expect(cache.peek("a")).toBe("good");
	table.delete("a");
	cache.drop("a");
	release();
	expect(await cache.get("a")).toBeUndefined();
	expect(cache.peek("a")).toBeUndefined();
});

test("a dropped row is read again, and so is everything after clear", async () => {
	const table = new Map([["a", "old"]]);
	const { cache } = cacheOver(table);
	await cache.get("a");
	table.set("a", "new");
	cache.drop("a");
	expect(await cache.get("a")).toBe("new");
	table.delete("a");
	cache.distrust();
	expect(await cache.get("a")).toBeUndefined();
});

test("an answer that was on its way when its row changed is not kept", async () => {
	const table = new Map([["a", "old"]]);
	const { cache, hold } = cacheOver(table);
	const release = hold();
	const early = cache.get("a");
	table.set("a", "new");
	cache.drop("a");
	const late = cache.get("a");
	release();
	expect(await early).toBe("old");
	expect(await late).toBe("new");
	expect(await cache.get("a")).toBe("new");
});

test("an absent row is cached for a second, even with a listener", async () => {
	const table = new Map<string, string>();
	const { cache, state } = cacheOver(table);
	expect(await cache.get("a")).toBeUndefined();
	expect(await cache.get("a")).toBeUndefined();
	expect(state.reads).toBe(1);
	table.set("a", "row");
	state.now += 900;
	state.currentUntil = state.now;
	expect(await cache.get("a")).toBe("row");
});

test("the number of rows is bounded", async () => {
	const table = new Map(Array.from({ length: 5 }, (_, i) => [`k${i}`, `row ${i}`]));
	const { cache } = cacheOver(table, { rowsMax: 3 });
	for (const key of table.keys()) await cache.get(key);
	expect([...table.keys()].filter((key) => cache.peek(key) !== undefined)).toEqual(["k2", "k3", "k4"]);
});

test("a failing database means unavailable, and the next request tries again", async () => {
	const { cache, state } = cacheOver(new Map([["a", "row"]]));
	state.fails = Object.assign(new Error("no connection"), { code: "ECONNREFUSED" });
	const problem = await problemOf(cache.get("a"));
	expect(problem.slug).toBe("service-unavailable");
	expect(problem.headers["retry-after"]).toBe("1");
	state.fails = undefined;
	expect(await cache.get("a")).toBe("row");
});

test("a defect of ours is not passed off as an unavailable database", async () => {
	const { cache, state } = cacheOver(new Map());
	state.fails = Object.assign(new Error("no such column"), { code: "42703" });
	await expect(cache.get("a")).rejects.toThrow("no such column");
});

test("a database that does not answer is given up", async () => {
	const { cache, hold } = cacheOver(new Map([["a", "row"]]), { readTimeoutMs: 20 });
	const release = hold();
	expect((await problemOf(cache.get("a"))).slug).toBe("service-unavailable");
	release();
	expect(await cache.get("a")).toBe("row");
});

test("more reads at once than the database could answer are refused", async () => {
	const { cache, hold } = cacheOver(new Map());
	const release = hold();
	const waiting = Array.from({ length: 1_000 }, (_, i) => cache.get(`k${i}`));
	expect((await problemOf(cache.get("one more"))).slug).toBe("service-unavailable");
	release();
	await Promise.all(waiting);
	expect(await cache.get("one more")).toBeUndefined();
});
