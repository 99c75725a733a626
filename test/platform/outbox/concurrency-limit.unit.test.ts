import { expect, test } from "bun:test";
import { done, type Message } from "../../../src/platform/outbox";
import { limitConcurrency, type Slow } from "../../../src/platform/outbox/concurrency-limit";
import { newId } from "../../../src/platform/values";
import { until } from "../../support/until";

function open(max: number, failing?: string, slow?: Slow) {
	const begun: string[] = [];
	const ends: (() => void)[] = [];
	const handler = limitConcurrency(
		max,
		async ({ subject }) => {
			begun.push(subject);
			await new Promise<void>((end) => ends.push(end));
			if (subject === failing) throw new Error(`${subject} fails`);
			return done;
		},
		slow,
	);
	const carryOut = (tenantId: string, subject: string) => {
		const message: Message = {
			id: newId(),
			kind: "a",
			tenantId,
			subject,
			payload: {},
			failures: 0,
			ageSeconds: 0,
			isRepeat: false,
			hold: { lane: newId(), epoch: 1, term: 1 },
			leaseLeftMs: () => 1_000,
		};
		return handler(message).then(() => "done", String);
	};
	return { begun, carryOut, endNext: () => ends.shift()?.() };
}

test("one tenant gets three quarters of the places, in order", async () => {
	const { begun, carryOut, endNext } = open(4, "b");
	const tenant = newId();
	const all = ["a", "b", "c", "d", "e"].map((subject) => carryOut(tenant, subject));
	for (const expected of ["abc", "abcd", "abcde"]) {
		await until(() => begun.length === expected.length);
		expect(begun.join("")).toBe(expected);
		endNext();
	}
	endNext();
	endNext();
	expect(await Promise.all(all)).toEqual(["done", "Error: b fails", "done", "done", "done"]);
});

test("a later tenant goes before another's queue, within the limit", async () => {
	const { begun, carryOut, endNext } = open(4);
	const [flooding, other] = [newId(), newId()];
	const all = Array.from({ length: 20 }, (_, i) => carryOut(flooding, `f${i}`));
	all.push(carryOut(other, "o1"), carryOut(other, "o2"));
	await until(() => begun.length === 4);
	expect(begun).toEqual(["f0", "f1", "f2", "o1"]);
	for (let ended = 0; ended < 22; ended++) {
		await until(() => begun.length > ended);
		expect(begun.length - ended).toBeLessThanOrEqual(4);
		endNext();
	}
	expect(await Promise.all(all)).toEqual(new Array(22).fill("done"));
	expect(begun.indexOf("o2")).toBeLessThan(begun.indexOf("f6"));
});

test("a slow message gives its place up, within the limit", async () => {
	const { begun, carryOut, endNext } = open(1, undefined, { afterMs: 20, max: 2 });
	const all = ["a", "b", "c", "d", "e"].map((subject) => carryOut(newId(), subject));
	await until(() => begun.length === 3);
	await Bun.sleep(60);
	expect(begun).toEqual(["a", "b", "c"]);
	// Those without a place leave none, but one that is as slow may give its own up for them.
	for (const expected of ["abcd", "abcde"]) {
		endNext();
		await Bun.sleep(60);
		expect(begun.join("")).toBe(expected);
	}
	for (let left = 0; left < 3; left++) endNext();
	expect(await Promise.all(all)).toEqual(new Array(5).fill("done"));
});
