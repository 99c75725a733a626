import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findPairs, findRuns, walkPairs, walkRuns } from "../../../src/registry/index/choose-walk";
import { findWords, holdsWord, type QueryWord } from "../../../src/registry/index/dictionary";
import { leastOfBlocks, takeLeast } from "../../../src/registry/index/least";
import { walkLists } from "../../../src/registry/index/merge-lists";
import type { FieldIndex } from "../../../src/registry/index/open";
import { entry, snapshotOf } from "../build";

const ascending = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);
const distinct = fc.uniqueArray(fc.nat(100_000), { maxLength: 2_000 });

test("the least numbers of any stretch equal those of a sort, at block borders too", () => {
	const edge = fc.oneof(
		fc.nat(2_000),
		fc.nat(15).map((block) => block * 128),
	);
	fc.assert(
		fc.property(distinct, edge, edge, fc.integer({ min: 1, max: 300 }), (numbers, one, other, count) => {
			const list = Uint32Array.from(numbers);
			const from = Math.min(one, other, list.length);
			const to = Math.min(Math.max(one, other), list.length);
			const found = takeLeast(list, leastOfBlocks(list), from, to, count);
			expect([...found]).toEqual([...list.slice(from, to).sort().slice(0, count)]);
		}),
		{ numRuns: 1_000 },
	);
});

describe("merged lists", () => {
	const merge = (lists: readonly (readonly number[])[], bound: number, first: number, wanted: number): number[] => {
		const starts: number[] = [];
		const ends: number[] = [];
		const numbers: number[] = [];
		for (const list of lists) {
			starts.push(numbers.length);
			for (const number of list) numbers.push(number);
			ends.push(numbers.length);
		}
		const met: number[] = [];
		const places = {
			numbers: Uint32Array.from(numbers),
			starts: Uint32Array.from(starts),
			ends: Uint32Array.from(ends),
		};
		walkLists({ ...places, bound }, first, (number) => met.push(number) < wanted);
		return met;
	};
	const expected = (lists: readonly (readonly number[])[], first: number, wanted: number): number[] =>
		ascending(new Set(lists.flat()))
			.filter((number) => number >= first)
			.slice(0, wanted);

	test("yield each number once, ascending, from the first one wanted", () => {
		const list = fc.array(fc.nat(3_000), { maxLength: 60 }).map(ascending);
		fc.assert(
			fc.property(
				fc.array(list, { maxLength: 40 }),
				fc.nat(3_200),
				fc.integer({ min: 1, max: 4_000 }),
				(lists, first, wanted) => {
					expect(merge(lists, 3_001, first, wanted)).toEqual(expected(lists, first, wanted));
				},
			),
			{ numRuns: 500 },
		);
	});

	test("yield the same for long walks and for very many lists", () => {
		for (const count of [3, 1_025, 3_000]) {
			const lists = Array.from({ length: count }, (_, i) =>
				Array.from({ length: Math.ceil(90_000 / count) }, (_, j) => j * 7 * count + ((i * 7) % (3 * count))),
			);
			const bound = Math.max(...lists.map((list) => list.at(-1) ?? 0)) + 1;
			for (const [first, wanted] of [
				[0, Infinity],
				[1_234, 70_000],
				[bound - 50, Infinity],
			] as const) {
				expect(merge(lists, bound, first, wanted)).toEqual(expected(lists, first, wanted));
			}
		}
	});
});

/** Names of a few frequent words and many rare ones, some long, so that groups hold one word or hundreds. */
function namesOf(count: number): string[] {
	const frequent = ["COMERCIAL", "COMERCIO", "PEREZ", "RODRIGUEZ", "SRL"];
	return Array.from({ length: count }, (_, i) => {
		const rare = [(i * 7_919) % 3_001, (i * 104_729) % 2_503].map((n) => `P${n.toString(36).toUpperCase()}`);
		const often = frequent.filter(
			(_, bit) => (i * 2_654_435_761) % 2 ** (bit + 5) < 2 ** (bit + 3) && i % (bit + 2) === 0,
		);
		const long = i % 5_000 === 17 ? Array.from({ length: 30 }, (_, n) => `P${n}`) : [];
		return [...rare, ...often, ...(i % 11 === 0 ? rare : []), ...long].join(" ");
	});
}

describe("pairs of words", () => {
	const { name } = snapshotOf(
		namesOf(20_000).map((text, i) => entry({ rnc: String(990_000_000 + i), name: text })),
	).fields;

	test("list every value that holds a word of each range, ascending and once", () => {
		const texts = ["COMERCIAL", "COME", "PEREZ", "PE", "P1", "P10", "P2A", "RODRI", "SRL", "P", "R", "PZ"];
		let positions = 0;
		for (const one of texts) {
			for (const other of texts) {
				if (one.startsWith(other) || other.startsWith(one)) continue;
				const words = [findWords(name, one), findWords(name, other)] as const;
				if (words.some(({ from, to }) => from === to)) continue;
				const met = positionsOf(name, ...words);
				positions += met.length;
				expect(met).toEqual(ascending(new Set(met)));
				const held = Array.from(name.rows.keys()).filter((position) =>
					words.every((word) => holdsWord(name, position, word)),
				);
				const listed = new Set(met);
				expect({ one, other, missing: held.filter((position) => !listed.has(position)) }).toEqual({
					one,
					other,
					missing: [],
				});
			}
		}
		expect(positions).toBeGreaterThan(40_000);
		expect(name.groupStarts.length).toBeGreaterThan(10);
	});

	function positionsOf(field: FieldIndex, one: QueryWord, other: QueryWord): number[] {
		const pairs = findPairs(field, one, other);
		const met: number[] = [];
		if (pairs) walkPairs(field, pairs, 0, (position) => met.push(position) > 0);
		return met;
	}
});

describe("runs of equal values", () => {
	const activities = ["", "VENTA DE CAFE", "VENTA", "SERVICIOS DE CAFE", "VENTA DE", "CAFE"];
	const anyActivities = fc.array(fc.constantFrom(...activities), { minLength: 60, maxLength: 300 });

	test("are adjacent, and a walk through them visits values with all words", () => {
		fc.assert(
			fc.property(anyActivities, fc.nat(300), (chosen, first) => {
				const list = chosen.map((text, i) => entry({ rnc: String(990_000_000 + i), economic_activity: text }));
				const field = snapshotOf(list).fields.economic_activity;
				expect(field.valueStarts.length - 1).toBe(new Set(chosen.filter((text) => text !== "")).size);
				for (const query of ["VENTA", "CAFE", "DE VENT", "SERVICIOS VENTA", "C"]) {
					const words = query.split(" ").map((word) => findWords(field, word));
					const met: number[] = [];
					walkRuns(field, words, first, (position) => met.push(position) > 0);
					const held = Array.from(field.rows.keys()).filter(
						(position) => position >= first && words.every((word) => holdsWord(field, position, word)),
					);
					expect({ query, met }).toEqual({ query, met: held });
				}
			}),
			{ numRuns: 60 },
		);
	});

	test("are not listed if values mostly differ", () => {
		const names = Array.from({ length: 100 }, (_, i) => entry({ rnc: String(990_000_000 + i), name: `N${i % 50}` }));
		const { name } = snapshotOf(names).fields;
		expect(findRuns(name).length).toBe(0);
		expect(name.pairStarts.length).toBeGreaterThan(2);
	});
});
