import { expect, test } from "bun:test";
import { createReceptionLimit } from "../../../src/exchange/reception/xml-part";
import { problemFrom } from "../../platform/operation/support/call";

test("excess work is refused with a time to retry, and finished work frees its place", async () => {
	const receptionLimit = createReceptionLimit(2);
	let end: () => void = () => undefined;
	const held = new Promise<void>((resolve) => {
		end = resolve;
	});
	const first = [
		receptionLimit.run("a", () => held),
		receptionLimit.run("b", () => held.then(() => Promise.reject(new Error("failed")))),
	];
	const problem = await problemFrom(() => receptionLimit.run("c", async () => undefined));
	expect([problem.slug, problem.headers]).toEqual(["service-unavailable", { "retry-after": "2" }]);
	end();
	expect((await Promise.allSettled(first)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
	expect(await Promise.all([receptionLimit.run("a", async () => 1), receptionLimit.run("b", async () => 2)])).toEqual([
		1, 2,
	]);
});

test("one caller gets at most half of the places", async () => {
	const receptionLimit = createReceptionLimit(4);
	const { promise: held, resolve: end } = Promise.withResolvers<void>();
	const first = [receptionLimit.run("a", () => held), receptionLimit.run("a", () => held)];
	expect((await problemFrom(() => receptionLimit.run("a", async () => undefined))).slug).toBe("service-unavailable");
	expect(await receptionLimit.run("b", async () => 1)).toBe(1);
	end();
	await Promise.all(first);
	expect(await receptionLimit.run("a", async () => 2)).toBe(2);
});
