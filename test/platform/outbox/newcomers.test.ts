import { expect, test } from "bun:test";
import { createNewcomers } from "../../../src/platform/outbox/claims";

const slots = { free: () => 8, listHolders: (kind: string) => [`holder of ${kind}`] };

test("of several kinds that are full one is asked for each time, without those that hold it, each on a walk of its own", () => {
	const newcomers = createNewcomers(slots, ["a", "b", "c"]);
	const ask = (nowMs: number, lastTenant: string | null) => {
		const asked = newcomers.ask(["a", "b", "other"], nowMs);
		newcomers.note({ lastTenant });
		return asked && [asked.kinds.join(), asked.busy.map(({ tenantId }) => tenantId).join(), asked.afterTenant];
	};
	expect(ask(0, "x")).toEqual(["a", "holder of a", null]);
	expect(ask(100, "x")).toBeUndefined();
	expect(ask(250, "y")).toEqual(["b", "holder of b", null]);
	expect(ask(500, null)).toEqual(["a", "holder of a", "x"]);
	expect(ask(750, null)).toEqual(["b", "holder of b", "y"]);
	expect(ask(1_000, null)).toEqual(["a", "holder of a", null]);
});

test("a question that is not answered in time is not asked again at once, so that others are claimed for", () => {
	const newcomers = createNewcomers(slots, ["a"]);
	expect(newcomers.ask(["a"], 0)).toBeDefined();
	expect(newcomers.ask(["a"], 3_250)).toBeUndefined();
	expect(newcomers.ask(["a"], 10_000)).toBeDefined();
	newcomers.note({ lastTenant: null });
	expect(newcomers.ask(["a"], 10_250)).toBeDefined();
});

test("nobody is asked for while no kind of theirs is full", () => {
	const newcomers = createNewcomers(slots, ["a"]);
	expect([newcomers.ask(["other"], 0), newcomers.restMaxMs(["other"], 5_000)]).toEqual([undefined, 5_000]);
	expect(newcomers.restMaxMs(["a"], 5_000)).toBe(250);
});
