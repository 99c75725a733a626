import { expect, test } from "bun:test";
import { setImmediate as breathe } from "node:timers/promises";
import { readAhead } from "../../../src/archive/exports/fill-pack";

const numbers = Array.from({ length: 60 }, (_, n) => n);

test("items come in order although a few later ones are read ahead", async () => {
	let begun = 0;
	let unread: (() => void)[] = [];
	const read = (n: number) => {
		begun++;
		return new Promise<number>((resolve) => unread.push(() => resolve(n * 2)));
	};
	const items = readAhead(numbers, 4, read);
	for (const n of numbers) {
		const turn = items.next();
		expect(begun).toBe(Math.min(n + 4, numbers.length));
		for (const finish of unread.toReversed()) {
			finish();
			await breathe();
		}
		unread = [];
		expect(await turn).toEqual({ done: false, value: [n, n * 2] });
	}
	expect(await items.next()).toMatchObject({ done: true });
});

test("a failure is thrown at its item's turn", async () => {
	const read = async (n: number) => {
		if (n === 2) throw new Error("two");
		return n;
	};
	const seen: number[] = [];
	const all = (async () => {
		for await (const [n] of readAhead(numbers, 8, read)) seen.push(n);
	})();
	await expect(all).rejects.toThrow("two");
	expect(seen).toEqual([0, 1]);
});

test("yielded items are not kept", async () => {
	const given: WeakRef<Uint8Array>[] = [];
	for await (const [n, bytes] of readAhead(numbers, 4, async () => new Uint8Array(100_000))) {
		given.push(new WeakRef(bytes));
		if (n < numbers.length - 1) continue;
		// What a weak reference was just made to stays until the turn is over.
		await breathe();
		Bun.gc(true);
		expect(given.filter((one) => one.deref()).length).toBeLessThan(20);
	}
});
