import { expect, test } from "bun:test";
import { done, type Message } from "../../src/outbox";
import { atMost } from "../../src/outbox/at-most";
import { newId } from "../../src/values";
import { until } from "../support/until";

const message = (subject: string): Message => ({
	id: newId(),
	kind: "a",
	tenantId: newId(),
	subject,
	payload: {},
	attempt: 1,
	failures: 0,
	ageSeconds: 0,
	owner: newId(),
	leaseLeftMs: () => 1_000,
});

test("no more than so many are carried out at a time, the others in their order, and one that throws gives its place up", async () => {
	const begun: string[] = [];
	const ends: (() => void)[] = [];
	const handler = atMost(2, async ({ subject }) => {
		begun.push(subject);
		await new Promise<void>((end) => ends.push(end));
		if (subject === "b") throw new Error("b fails");
		return done;
	});
	const all = ["a", "b", "c", "d", "e"].map((subject) => handler(message(subject)).then(() => "done", String));
	const endNext = () => ends.shift()?.();
	for (const expected of [
		["a", "b"],
		["a", "b", "c"],
		["a", "b", "c", "d"],
		["a", "b", "c", "d", "e"],
	]) {
		await until(() => begun.length === expected.length);
		expect(begun).toEqual(expected);
		endNext();
	}
	endNext();
	expect(await Promise.all(all)).toEqual(["done", "Error: b fails", "done", "done", "done"]);
	const later = handler(message("f"));
	await until(() => begun.length === 6);
	endNext();
	expect(await later).toEqual(done);
});
