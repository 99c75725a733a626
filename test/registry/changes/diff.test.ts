import { expect, test } from "bun:test";
import fc from "fast-check";
import { countChanges, diff, type RegistryChange } from "../../../src/registry/changes/diff";
import { exampleEntry, type RegistryEntry } from "../../../src/registry/entry";

const entry = (rnc: string, members: Partial<RegistryEntry> = {}): RegistryEntry => ({
	...exampleEntry,
	rnc,
	...members,
});

const numbers = fc.oneof(
	fc.integer({ min: 0, max: 40 }).map((n) => String(990_000_000 + n)),
	fc.integer({ min: 0, max: 40 }).map((n) => String(99_000_000_000 + n * 50)),
);
const run = fc
	.dictionary(numbers, fc.constantFrom("ACTIVO", "SUSPENDIDO"), { noNullPrototype: true })
	.map((statuses) => Object.entries(statuses).map(([rnc, status]) => entry(rnc, { status })))
	.map((entries) => entries.sort((a, b) => (a.rnc < b.rnc ? -1 : 1)));

/** The same by asking each run for every number. */
function compareAll(previous: RegistryEntry[], next: RegistryEntry[]): RegistryChange[] {
	const before = new Map(previous.map((e) => [e.rnc, e]));
	const after = new Map(next.map((e) => [e.rnc, e]));
	return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((document): RegistryChange[] => {
		const old = before.get(document);
		const young = after.get(document);
		if (!old) return [{ kind: "added", document }];
		if (!young) return [{ kind: "removed", document }];
		return old.status === young.status ? [] : [{ kind: "changed", document }];
	});
}

test("two runs differ in what asking both for every number tells, in the order of the numbers", () => {
	fc.assert(
		fc.property(run, run, (previous, next) => {
			expect([...diff(previous, next)]).toEqual(compareAll(previous, next));
		}),
		{ numRuns: 500 },
	);
});

test("a change of any member counts, equal entries do not", () => {
	for (const member of ["name", "trade_name", "economic_activity", "status", "payment_regime"] as const) {
		const changes = [...diff([entry("990000001")], [entry("990000001", { [member]: "X" })])];
		expect(changes).toEqual([{ kind: "changed", document: "990000001" }]);
	}
	expect([...diff([entry("990000001")], [entry("990000001")])]).toEqual([]);
});

test("both runs are read as they come, one entry at a time", () => {
	let read = 0;
	function* counted(): Generator<RegistryEntry> {
		for (let i = 0; i < 1_000; i++) {
			read++;
			yield entry(String(990_000_000 + i));
		}
	}
	const changes = diff([], counted());
	changes.next();
	expect(read).toBe(1);
});

test("entries out of order are a defect, not a difference", () => {
	const twice = [entry("990000001"), entry("990000001")];
	const falling = [entry("990000002"), entry("990000001")];
	for (const wrong of [twice, falling]) {
		expect(() => [...diff(wrong, [])]).toThrow("the previous entries of a difference are out of order");
		expect(() => [...diff([], wrong)]).toThrow("the next entries of a difference are out of order");
	}
});

test("changes are counted on their way", () => {
	const counts = { added: 0, changed: 0, removed: 0 };
	const changes = diff(
		[entry("990000001"), entry("990000002")],
		[entry("990000002", { name: "X" }), entry("990000003")],
	);
	expect([...countChanges(changes, counts)]).toHaveLength(3);
	expect(counts).toEqual({ added: 1, changed: 1, removed: 1 });
});
