import { expect, test } from "bun:test";
import { createOverdueClaims } from "../../../src/platform/outbox/claims";

/** A claim that is late at once. */
async function beLate(late: ReturnType<typeof createOverdueClaims>) {
	const claiming = Promise.withResolvers<string>();
	await expect(late.await(claiming.promise)).rejects.toThrow("the database does not answer");
	return claiming;
}

test("a claim answered or failed in time is not overdue", async () => {
	const late = createOverdueClaims(60_000, () => {});
	expect(await late.await(Promise.resolve("claimed"))).toBe("claimed");
	await expect(late.await(Promise.reject(new Error("gone")))).rejects.toThrow("gone");
	expect(late.limitOf(40)).toBe(40);
	expect(late.isFull()).toBe(false);
});

test("beside an overdue claim a quarter of the free slots is claimed", async () => {
	const late = createOverdueClaims(1, () => {});
	const claiming = await beLate(late);
	expect([40, 4, 3, 1].map(late.limitOf)).toEqual([10, 1, 1, 1]);
	claiming.resolve("at last");
	await claiming.promise;
	expect(late.limitOf(40)).toBe(40);
});

test("with three overdue claims nothing is claimed until one ends", async () => {
	let ended = 0;
	const late = createOverdueClaims(1, () => ended++);
	const [first, second] = [await beLate(late), await beLate(late)];
	expect(late.isFull()).toBe(false);
	await beLate(late);
	expect(late.isFull()).toBe(true);
	first.reject(new Error("the connection has ended"));
	await expect(first.promise).rejects.toThrow();
	expect(late.isFull()).toBe(false);
	second.resolve("at last");
	await second.promise;
	expect(ended).toBe(2);
});
