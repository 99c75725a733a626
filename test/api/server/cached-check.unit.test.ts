import { expect, test } from "bun:test";
import { cacheCheck } from "../../../src/api/server/health";

/** A check whose results the test provides. */
function makeCheck() {
	const asked: PromiseWithResolvers<boolean>[] = [];
	const check = cacheCheck(() => {
		const next = Promise.withResolvers<boolean>();
		asked.push(next);
		return next.promise;
	});
	return { check, asked };
}

test("concurrent calls share one check", async () => {
	const { check, asked } = makeCheck();
	const both = Promise.all([check(), check()]);
	asked[0]?.resolve(true);
	expect([await both, asked.length]).toEqual([[true, true], 1]);
});

test("a recent result is reused", async () => {
	const { check, asked } = makeCheck();
	const first = check();
	asked[0]?.resolve(true);
	await first;
	expect([check(), asked.length]).toEqual([true, 1]);
});

test("a synchronous check is not cached", () => {
	let answer = true;
	const check = cacheCheck(() => answer);
	expect(check()).toBe(true);
	answer = false;
	expect(check()).toBe(false);
});

test("an older result is returned while the check runs again", async () => {
	using clock = stopClock();
	const { check, asked } = makeCheck();
	const first = check();
	asked[0]?.resolve(true);
	await first;
	clock.pass(300);
	expect([check(), check(), asked.length]).toEqual([true, true, 2]);
	asked[1]?.resolve(false);
	await Promise.resolve(asked[1]?.promise);
	await new Promise(setImmediate);
	expect(check()).toBe(false);
});

test("an old result is not used", async () => {
	using clock = stopClock();
	const { check, asked } = makeCheck();
	const first = check();
	asked[0]?.resolve(true);
	await first;
	clock.pass(800);
	const second = check();
	asked[1]?.resolve(false);
	expect([await second, asked.length]).toEqual([false, 2]);
});

test("a check that rejects or throws has not passed", async () => {
	const rejecting = cacheCheck(() => Promise.reject(new Error("gone")));
	const throwing = cacheCheck(() => {
		throw new Error("gone");
	});
	expect([await rejecting(), await throwing()]).toEqual([false, false]);
});

test("a hanging check fails within two seconds of its last success", async () => {
	using clock = stopClock();
	const { check, asked } = makeCheck();
	const first = check();
	asked[0]?.resolve(true);
	await first;
	clock.pass(740);
	expect(check()).toBe(true);
	clock.pass(20);
	const from = process.hrtime.bigint();
	expect(await check()).toBe(false);
	expect([asked.length, Number(process.hrtime.bigint() - from) / 1e6 > 1_000]).toEqual([2, true]);
});

function stopClock() {
	const now = performance.now;
	let passed = 0;
	const from = now.call(performance);
	performance.now = () => from + passed;
	return {
		pass: (ms: number) => {
			passed += ms;
		},
		[Symbol.dispose]: () => {
			performance.now = now;
		},
	};
}
