import { expect, test } from "bun:test";
import { createStarvationGuard } from "../../../src/platform/outbox/claims";

const slots = { free: () => 8, listHolders: (kind: string) => [`holder of ${kind}`] };

test("one full kind is checked at a time, each on its own walk", () => {
	const starvationGuard = createStarvationGuard(slots, ["a", "b", "c"]);
	const ask = (nowMs: number, lastTenant: string | null) => {
		const asked = starvationGuard.ask(["a", "b", "other"], nowMs);
		starvationGuard.note({ lastTenant });
		return asked && [asked.kinds.join(), asked.busy.map(({ tenantId }) => tenantId).join(), asked.afterTenant];
	};
	expect(ask(0, "x")).toEqual(["a", "holder of a", null]);
	expect(ask(100, "x")).toBeUndefined();
	expect(ask(250, "y")).toEqual(["b", "holder of b", null]);
	expect(ask(500, null)).toEqual(["a", "holder of a", "x"]);
	expect(ask(750, null)).toEqual(["b", "holder of b", "y"]);
	expect(ask(1_000, null)).toEqual(["a", "holder of a", null]);
});

test("an unanswered check is not repeated at once", () => {
	const starvationGuard = createStarvationGuard(slots, ["a"]);
	expect(starvationGuard.ask(["a"], 0)).toBeDefined();
	expect(starvationGuard.ask(["a"], 3_250)).toBeUndefined();
	expect(starvationGuard.ask(["a"], 10_000)).toBeDefined();
	starvationGuard.note({ lastTenant: null });
	expect(starvationGuard.ask(["a"], 10_250)).toBeDefined();
});

test("no check happens while no kind is full", () => {
	const starvationGuard = createStarvationGuard(slots, ["a"]);
	expect([starvationGuard.ask(["other"], 0), starvationGuard.restMaxMs(["other"], 5_000)]).toEqual([undefined, 5_000]);
	expect(starvationGuard.restMaxMs(["a"], 5_000)).toBe(250);
});
