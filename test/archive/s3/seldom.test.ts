import { expect, test } from "bun:test";
import { askSeldom } from "../../../src/archive/s3/seldom";

/** A question whose answers come when the test says so. */
function open(soonMs = 1) {
	const clock = { nowMs: 0 };
	const asked: PromiseWithResolvers<string>[] = [];
	const ask = () => {
		const one = Promise.withResolvers<string>();
		asked.push(one);
		return one.promise;
	};
	return { clock, asked, read: askSeldom(ask, { soonMs, now: () => clock.nowMs }) };
}

async function openWell(soonMs?: number) {
	const opened = open(soonMs);
	const first = opened.read();
	opened.asked[0]?.resolve("well");
	await first;
	return opened;
}

const PENDING = Symbol();
const isPending = async (answer: Promise<unknown>) =>
	(await Promise.race([answer, Bun.sleep(20).then(() => PENDING)])) === PENDING;

test("the first answer is waited for, by all who ask meanwhile, and then stands for fifteen seconds", async () => {
	const { clock, asked, read } = open();
	const waiting = [read(), read()];
	asked[0]?.resolve("well");
	expect(await Promise.all(waiting)).toEqual(["well", "well"]);
	clock.nowMs = 14_999;
	expect(await read()).toBe("well");
	expect(asked).toHaveLength(1);
});

test.each([15_000, 30_000, 3_600_000])(
	"who asks again after %d ms gets the last answer where the new one does not come soon, and then the new one",
	async (afterMs) => {
		const { clock, asked, read } = await openWell();
		clock.nowMs = afterMs;
		expect(await read()).toBe("well");
		clock.nowMs = afterMs + 4_999;
		expect(await read()).toBe("well");
		asked[1]?.resolve("away");
		await asked[1]?.promise;
		expect(await read()).toBe("away");
		expect(asked).toHaveLength(2);
	},
);

test("a new answer that comes soon is given at once", async () => {
	const { clock, asked, read } = await openWell(60_000);
	clock.nowMs = 15_000;
	const again = read();
	asked[1]?.resolve("away");
	expect(await again).toBe("away");
});

test("a question that hangs for five seconds is waited for", async () => {
	const { clock, asked, read } = await openWell();
	clock.nowMs = 15_000;
	expect(await read()).toBe("well");
	clock.nowMs = 20_000;
	const late = read();
	expect(await isPending(late)).toBe(true);
	asked[1]?.resolve("away");
	expect(await late).toBe("away");
});
