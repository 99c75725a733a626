import { expect, test } from "bun:test";
import { readAhead } from "../../../src/archive/exports/read-ahead";

const numbers = Array.from({ length: 60 }, (_, n) => n);

test("items come in their order, a few of them begun before their turn", async () => {
	let begun = 0;
	const read = async (n: number) => {
		begun++;
		await Bun.sleep(n % 3);
		return n * 2;
	};
	const seen: number[] = [];
	for await (const [n, twice] of readAhead(numbers, 4, read)) {
		expect([begun <= n + 4, twice]).toEqual([true, n * 2]);
		seen.push(n);
	}
	expect(seen).toEqual(numbers);
});

test("a failure is told when its turn comes", async () => {
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

test("what was given away is not held any longer", async () => {
	const given: WeakRef<Uint8Array>[] = [];
	for await (const [n, bytes] of readAhead(numbers, 4, async () => new Uint8Array(100_000))) {
		given.push(new WeakRef(bytes));
		if (n < numbers.length - 1) continue;
		await Bun.sleep(1);
		Bun.gc(true);
		expect(given.filter((one) => one.deref()).length).toBeLessThan(20);
	}
});
