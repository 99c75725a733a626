/** Damaged bytes, as they may be read before a file is verified: every look-up still ends. */
import { expect, test } from "bun:test";
import { entryBytesAt, findAddress } from "../../../src/registry/index/entries";
import { walkPositions } from "../../../src/registry/index/merge-lists";
import type { FieldIndex } from "../../../src/registry/index/open";
import { entries, snapshotOf } from "../build";

test("a look-up ends in a table without an empty slot", () => {
	const snapshot = snapshotOf(entries(5));
	const slots = new Uint32Array(snapshot.slots.length).fill(0x7fff_fff0);
	expect(findAddress({ ...snapshot, slots }, "990000001")).toBeUndefined();
});

test("a look-up finds the right slot even if it is the last one checked", () => {
	const snapshot = snapshotOf(entries(1));
	const held = snapshot.slots.findIndex((number, i) => i % 2 === 0 && number !== 0);
	const slots = new Uint32Array(snapshot.slots.length).fill(0x7fff_fff0);
	const before = (held - 2 + slots.length) % slots.length;
	slots.set(snapshot.slots.subarray(held, held + 2), before);
	expect(findAddress({ ...snapshot, slots }, "990000001")).toBe(0);
});

test("an entry with an impossible length is refused before memory is allocated", () => {
	const snapshot = snapshotOf(entries(1));
	const numbers = snapshot.entries.numbers.slice();
	numbers[3] = 0xffff_ffff;
	const damaged = { ...snapshot, entries: { ...snapshot.entries, numbers } };
	expect(() => entryBytesAt(damaged, 0)).toThrow("the snapshot is damaged");
});

test("a walk ends even if its start is far outside", () => {
	const index: FieldIndex = snapshotOf(entries(300)).fields.name;
	const postingStarts = index.postingStarts.map((_, i) => 0xe000_0000 + i * 0x100_0000);
	const met: number[] = [];
	const visit = (position: number) => met.push(position) > 0;
	walkPositions({ ...index, postingStarts }, { from: 0, to: 1 }, 1, visit);
	expect(met).toEqual([]);
});
