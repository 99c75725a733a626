import { expect, test } from "bun:test";
import { askSeldom } from "../../../src/archive/s3/seldom";

/** A question whose answers come when the test says so. */
function open() {
	const clock = { nowMs: 0 };
	const asked: PromiseWithResolvers<string>[] = [];
	const ask = () => {
		const one = Promise.withResolvers<string>();
		asked.push(one);
		return one.promise;
	};
	return { clock, asked, read: askSeldom(ask, () => clock.nowMs) };
}

const PENDING = Symbol();
const isPending = async (answer: Promise<unknown>) => (await Promise.race([answer, PENDING])) === PENDING;

test("the first answer is waited for, by all who ask meanwhile, and then stands for fifteen seconds", async () => {
	const { clock, asked, read } = open();
	const waiting = [read(), read()];
	asked[0]?.resolve("well");
	expect(await Promise.all(waiting)).toEqual(["well", "well"]);
	clock.nowMs = 14_999;
	expect(await read()).toBe("well");
	expect(asked).toHaveLength(1);
});

test("while it is asked anew the last answer stands for five seconds more, and then the new one is waited for", async () => {
	const { clock, asked, read } = open();
	const first = read();
	asked[0]?.resolve("well");
	await first;
	clock.nowMs = 15_000;
	expect(await read()).toBe("well");
	clock.nowMs = 19_999;
	expect(await read()).toBe("well");
	expect(asked).toHaveLength(2);
	clock.nowMs = 20_000;
	const late = read();
	expect(await isPending(late)).toBe(true);
	asked[1]?.resolve("away");
	expect(await late).toBe("away");
	expect(await read()).toBe("away");
	expect(asked).toHaveLength(2);
});
