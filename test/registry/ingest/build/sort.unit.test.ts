import { expect, test } from "bun:test";
import fc from "fast-check";
import { sortByGroup, sortKeys, sortSequences } from "../../../../src/registry/ingest/build/sort";

test("keys are sorted in ascending order, and equal ones stay in order", () => {
	const key = fc.oneof(
		fc.maxSafeNat().map((n) => n % 2 ** 40),
		fc.nat(3),
	);
	fc.assert(
		fc.property(fc.array(key, { maxLength: 300 }), (keys) => {
			const expected = keys.map((_, i) => i).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
			expect([...sortKeys(Float64Array.from(keys), 2 ** 40)]).toEqual(expected);
		}),
	);
});

test("groups are adjacent and keep the order inside", () => {
	fc.assert(
		fc.property(fc.array(fc.nat(9)), (groups) => {
			const { places, starts } = sortByGroup(Uint32Array.from(groups), 10);
			const order = groups.map((_, i) => i).sort((a, b) => (groups[a] ?? 0) - (groups[b] ?? 0) || a - b);
			order.forEach((element, place) => {
				expect(places[element]).toBe(place);
			});
			starts.forEach((start, group) => {
				expect(start).toBe(groups.filter((one) => one < group).length);
			});
		}),
	);
});

test("prefixes sort before longer sequences, in small and in large groups", () => {
	const compare = (a: readonly number[], b: readonly number[]): number => {
		for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return (a[i] ?? 0) - (b[i] ?? 0);
		return a.length - b.length;
	};
	const check = (sequences: readonly (readonly number[])[], alphabet: number) => {
		const starts = new Uint32Array(sequences.length + 1);
		sequences.forEach((one, i) => {
			starts[i + 1] = (starts[i] ?? 0) + one.length;
		});
		const filled = sequences.map((_, i) => i).filter((i) => (sequences[i] ?? []).length > 0);
		const expected = filled.sort((a, b) => compare(sequences[a] ?? [], sequences[b] ?? []) || a - b);
		expect([...sortSequences(starts, Uint32Array.from(sequences.flat()), alphabet)]).toEqual(expected);
	};
	const sequences = (symbol: number, maxLength: number) =>
		fc.array(fc.array(fc.nat(symbol), { maxLength: 6 }), { maxLength });
	fc.assert(fc.property(sequences(2, 400), (list) => check(list, 3)));
	// Two symbols of such a large alphabet do not fit into one key.
	fc.assert(
		fc.property(sequences(2, 40), (list) => check(list, 2 ** 22)),
		{ numRuns: 5 },
	);
	const many = Array.from({ length: 60_000 }, (_, i) =>
		[0, (i * 7_919) % 50, (i * 31) % 7, i % 3].slice(0, 1 + (i % 4)),
	);
	check(many, 50);
}, 120_000);
