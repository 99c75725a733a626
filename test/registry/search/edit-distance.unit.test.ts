import { expect, test } from "bun:test";
import fc from "fast-check";
import { editDistances } from "../../../src/registry/search/word-distance";

/** The definition, as a recursion over the remainders of both words. */
function distance(a: string, b: string): number {
	const known = new Map<string, number>();
	const left = (i: number, j: number): number => {
		if (i === a.length || j === b.length) return a.length - i + b.length - j;
		const key = `${i} ${j}`;
		const before = known.get(key);
		if (before !== undefined) return before;
		const options = [left(i + 1, j) + 1, left(i, j + 1) + 1, left(i + 1, j + 1) + (a[i] === b[j] ? 0 : 1)];
		if (i + 1 < a.length && j + 1 < b.length && a[i] === b[j + 1] && a[i + 1] === b[j]) {
			options.push(left(i + 2, j + 2) + 1);
		}
		const least = Math.min(...options);
		known.set(key, least);
		return least;
	};
	return left(0, 0);
}

test.each([
	["", "", 0, 0],
	["CASA", "CASA", 0, 0],
	["CASA", "CASAS", 1, 0],
	["CASA", "CAZA", 1, 1],
	["CASA", "ACSA", 1, 1],
	["PERES", "PEREZOSO", 3, 1],
	["", "ABC", 3, 0],
	["ABC", "", 3, 3],
])("%p and %p are %i apart, %i from its beginning", (a, b, whole, prefix) => {
	expect(editDistances(a, b, 9)).toEqual({ whole, prefix });
});

test("distances equal their definition, and those above the bound are bound + 1", () => {
	const word = fc.stringMatching(/^[ABC]{0,8}$/);
	fc.assert(
		fc.property(word, word, fc.integer({ min: 0, max: 8 }), (a, b, max) => {
			const prefixes = Array.from({ length: b.length + 1 }, (_, n) => distance(a, b.slice(0, n)));
			expect(editDistances(a, b, max)).toEqual({
				whole: Math.min(distance(a, b), max + 1),
				prefix: Math.min(...prefixes, max + 1),
			});
		}),
		{ numRuns: 2_000 },
	);
});
