import { expect, test } from "bun:test";
import fc from "fast-check";
import type { RegistryEntry } from "../../../src/registry";
import { countChanges, packChanges, unpackChanges } from "../../../src/registry/index/compare";
import { entry, snapshotOf } from "../build";
import { comparePlainly } from "./compare-plainly";

const numbers = fc.oneof(
	fc.integer({ min: 0, max: 12 }).map((n) => String(990_000_000 + n)),
	// Numbers that start with the digits of a shorter one come after it.
	fc.integer({ min: 0, max: 12 }).map((n) => `${990_000_000 + n}00`),
	fc.constantFrom("00000000000", "99999999999", "000000000", "999999999"),
);
const members = fc.record({
	name: fc.constantFrom("PEÑA SRL", "PENA SRL"),
	status: fc.constantFrom("ACTIVO", "SUSPENDIDO"),
	payment_regime: fc.constantFrom("NORMAL", ""),
});
const run = fc
	.array(fc.tuple(numbers, members), { maxLength: 25 })
	.map((list) => [...new Map(list.map(([rnc, rest]) => [rnc, entry({ rnc, ...rest })])).values()]);

const changesOf = (previous: RegistryEntry[], next: RegistryEntry[]) =>
	packChanges(snapshotOf(previous), snapshotOf(next));

test("two runs differ exactly as a comparison by number shows, in number order", () => {
	fc.assert(
		fc.property(run, run, (previous, next) => {
			const packed = changesOf(previous, next);
			const plain = comparePlainly(previous, next);
			expect([...unpackChanges(packed)]).toEqual(plain);
			const count = (kind: string) => plain.filter((change) => change.kind === kind).length;
			expect(countChanges(packed)).toEqual({
				added: count("added"),
				changed: count("changed"),
				removed: count("removed"),
			});
		}),
		{ numRuns: 60 },
	);
});

test("a change of any member counts, equal entries do not", () => {
	for (const member of ["name", "trade_name", "economic_activity", "status", "payment_regime"] as const) {
		expect([...unpackChanges(changesOf([entry()], [entry({ [member]: "X" })]))]).toEqual([
			{ kind: "changed", document: "990000001" },
		]);
	}
	expect([...unpackChanges(changesOf([entry()], [entry()]))]).toEqual([]);
});
