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
});

test("a tenant takes no more than its part, and another one still finds a slot", () => {
	const slots = createSlots({ count: 8 });
	for (let taken = 0; taken < 6; taken++) {
		expect(slots.hasRoom("a")).toBe(true);
		slots.take(message("a"));
	}
	expect(slots.hasRoom("a")).toBe(false);
	expect(slots.hasRoom("b")).toBe(true);
});

test("a kind at its limit is closed until a slot is given back", () => {
	const slots = createSlots({ count: 8, startedMax: { slow: 2 } });
	slots.take(message("a", "slow"));
	expect(slots.isOpen(message("a", "slow"))).toBe(true);
	slots.take(message("b", "slow"));
	expect(slots.isOpen(message("c", "slow"))).toBe(false);
	expect(slots.isOpen(message("c", "quick"))).toBe(true);
	slots.giveBack(message("a", "slow"));
	expect(slots.isOpen(message("c", "slow"))).toBe(true);
});

test("a shared kind at its limit lets a tenant in that has none of it", () => {
	const slots = createSlots({ count: 8, startedMax: { sent: 1 }, shared: ["sent"] });
	slots.take(message("a", "sent"));
	slots.take(message("b", "other"));
	expect(slots.isOpen(message("a", "sent"))).toBe(false);
	expect(slots.isOpen(message("b", "sent"))).toBe(true);
});
