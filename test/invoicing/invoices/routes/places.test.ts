import { expect, test } from "bun:test";
import { createPlaces } from "../../../../src/invoicing/invoices/routes/places";

test("no more run at once than there are places, each in its turn, and a failure gives its place back", async () => {
	const places = createPlaces(2);
	const begun: number[] = [];
	let running = 0;
	let most = 0;
	const ask = (n: number) =>
		places.take(async () => {
			begun.push(n);
			most = Math.max(most, ++running);
			await Promise.resolve();
			running--;
			if (n % 3 === 0) throw new Error(String(n));
			return n;
		});
	const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => ask(n)));
	expect(most).toBe(2);
	expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	expect(answers.map(({ status }) => status === "rejected")).toEqual(begun.map((n) => n % 3 === 0));
});
