import { expect, test } from "bun:test";
import { createSlots } from "../../../src/platform/outbox/slots";

const message = (tenantId: string, kind = "work") => ({ tenantId, kind });

test("a slot that is taken is free again when it is given back", () => {
	const slots = createSlots({ count: 4 });
	slots.take(message("a"));
	slots.take(message("b"));
	expect(slots.free()).toBe(2);
	slots.giveBack(message("a"));
	expect(slots.free()).toBe(3);
	expect(slots.listRooms().busy.map(({ tenantId, held }) => [tenantId, held])).toEqual([["b", 1]]);
});

test("a reserved slot counts for its tenant until it is released", () => {
	const slots = createSlots({ count: 4 });
	expect(slots.reserve("a")).toBe(true);
	expect(slots.free()).toBe(3);
	expect(slots.listRooms().busy).toEqual([{ tenantId: "a", held: 1, room: 2 }]);
	slots.release("a");
	expect(slots.free()).toBe(4);
	expect(slots.listRooms()).toEqual({ busy: [], roomOfOthers: 3 });
});

test("a tenant reserves no more than its part, and another one still finds a slot", () => {
	const slots = createSlots({ count: 8 });
	let reserved = 0;
	while (slots.reserve("a")) reserved++;
	expect(reserved).toBe(6);
	expect(slots.reserve("b")).toBe(true);
});

test("nothing is reserved while all slots are taken", () => {
	const slots = createSlots({ count: 2 });
	for (const tenantId of ["a", "b", "c"]) slots.take(message(tenantId));
	expect(slots.free()).toBe(-1);
	expect(slots.reserve("d")).toBe(false);
	expect(slots.listRooms().roomOfOthers).toBe(0);
});

test("a kind at its limit is closed until a slot is given back", () => {
	const slots = createSlots({ count: 8, claimedMax: { slow: 2 } });
	slots.take(message("a", "slow"));
	expect(slots.listOpen(["slow", "quick"])).toEqual(["slow", "quick"]);
	slots.take(message("b", "slow"));
	expect(slots.listOpen(["slow", "quick"])).toEqual(["quick"]);
	slots.giveBack(message("a", "slow"));
	expect(slots.listOpen(["slow", "quick"])).toEqual(["slow", "quick"]);
});
