import { expect, test } from "bun:test";
import { createIntake } from "../../src/reception/intake";
import { problemFrom } from "../operation/support/call";

test("beyond its room work is refused with a time to come again, and a place that is left is free, however it was left", async () => {
	const intake = createIntake(2);
	let end: () => void = () => undefined;
	const held = new Promise<void>((resolve) => {
		end = resolve;
	});
	const first = [intake.take(() => held), intake.take(() => held.then(() => Promise.reject(new Error("failed"))))];
	const problem = await problemFrom(() => intake.take(async () => undefined));
	expect([problem.slug, problem.headers]).toEqual(["service-unavailable", { "retry-after": "2" }]);
	end();
	expect((await Promise.allSettled(first)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
	expect(await Promise.all([intake.take(async () => 1), intake.take(async () => 2)])).toEqual([1, 2]);
});
