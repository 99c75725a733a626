import { expect, test } from "bun:test";
import fc from "fast-check";
import { createEndings } from "../../../../src/registry/ingest/build/endings";

const cell = fc.oneof(
	fc.constantFrom("", "A", "a", "ab", "abc", "ABCD", "ABCDE", "ABCDEFGH"),
	fc.string({ maxLength: 9 }),
);

test("cells share a number exactly if their texts are equal, however written", () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 300 }), (records) => {
			const source = new Uint8Array(Buffer.from(records.flat().join("")));
			const view = new DataView(source.buffer);
			const endings = createEndings((bytes, from, to) => Buffer.from(bytes.subarray(from, to)).toString().trim());
			const numbers = new Map<string, number>();
			let at = 0;
			const take = (text: string) => {
				at += Buffer.byteLength(text);
				return at;
			};
			for (const [activity, status, regime] of records) {
				const activityStart = at;
				const activityEnd = take(activity);
				const statusEnd = take(status);
				const cells = { activityStart, activityEnd, statusStart: activityEnd, statusEnd };
				const regimeCells = { regimeStart: statusEnd, regimeEnd: take(regime) };
				const number = endings.numberOf({
					...cells,
					...regimeCells,
					nameEnd: 0,
					tradeNameEnd: 0,
					startedOn: 0,
					source,
					view,
				});
				const texts = [activity.trim(), status.trim().toUpperCase(), regime.trim().toUpperCase()] as const;
				const key = JSON.stringify(texts);
				expect(number).toBe(numbers.get(key) ?? numbers.size);
				numbers.set(key, number);
				expect(endings.numberOfTexts(...texts)).toBe(number);
				const parts = endings.parts().subarray(3 * number, 3 * number + 3);
				const [a = -1, s = -1, r = -1] = parts;
				expect([endings.activityTexts()[a], endings.statusTexts()[s], endings.regimeTexts()[r]]).toEqual([...texts]);
			}
			expect(endings.size()).toBe(numbers.size);
		}),
		{ numRuns: 50 },
	);
});

test("thousands of endings are distinguished", () => {
	const lines = Array.from({ length: 6_000 }, (_, i) => `ACTIVIDAD ${String(i).padStart(5, "0")}`);
	const source = new Uint8Array(Buffer.from(lines.join("")));
	const view = new DataView(source.buffer);
	const endings = createEndings((bytes, from, to) => Buffer.from(bytes.subarray(from, to)).toString());
	const numberOf = (i: number) => {
		const activityStart = i * 15;
		const end = activityStart + 15;
		const others = { statusStart: end, statusEnd: end, regimeStart: end, regimeEnd: end };
		return endings.numberOf({
			activityStart,
			activityEnd: end,
			...others,
			nameEnd: 0,
			tradeNameEnd: 0,
			startedOn: 0,
			source,
			view,
		});
	};
	for (let round = 0; round < 2; round++) {
		for (let i = 0; i < lines.length; i++) expect(numberOf(i)).toBe(i);
	}
});
