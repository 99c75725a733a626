import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { RegistryEntry } from "../../../src/registry";
import { compareSnapshots } from "../../../src/registry/index/compare";
import { listWords } from "../../../src/registry/index/dictionary";
import { digitsOf, keyOf, keyRangeOf } from "../../../src/registry/index/document-key";
import { copyItem, entryBytesAt, findAddress, itemSizeAt, lookupEntry } from "../../../src/registry/index/entries";
import { SnapshotError, VERSION } from "../../../src/registry/index/format";
import { openSnapshot, viewFile } from "../../../src/registry/index/open";
import { verifyEntries, verifyField, verifySnapshot } from "../../../src/registry/index/verify";
import { buildSnapshot, ENTRIES_FIELD, writeEntriesPart } from "../../../src/registry/ingest/build/build";
import { createSnapshotWriter } from "../../../src/registry/ingest/build/write-file";
import { columnsOf, entries, entriesOf, entry, FACTS, snapshotOf, temporaryFolder } from "../build";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const digits = fc.stringMatching(/^[0-9]{9}([0-9]{2})?$/);
// biome-ignore lint/suspicious/noControlCharactersInRegex: what the parser refuses
const cell = fc.string({ unit: "grapheme", maxLength: 30 }).filter((text) => !/[\x00-\x1f\x7f-\x9f]/.test(text));
const anyEntry: fc.Arbitrary<RegistryEntry> = fc.record({
	rnc: digits,
	name: cell,
	trade_name: cell,
	economic_activity: cell,
	status: cell.map((text) => text.toUpperCase()),
	payment_regime: cell.map((text) => text.toUpperCase()),
});
const anyEntries = fc.uniqueArray(anyEntry, { selector: (e) => e.rnc, maxLength: 40 });
const ascending = (list: readonly RegistryEntry[]) => [...list].sort((a, b) => (a.rnc < b.rnc ? -1 : 1));

test("every entry is found as it was built, and no other number is", () => {
	fc.assert(
		fc.property(anyEntries, fc.array(digits, { maxLength: 20 }), (list, others) => {
			const snapshot = snapshotOf(list);
			for (const one of list) expect(lookupEntry(snapshot, one.rnc)).toEqual(one);
			const numbers = new Set(list.map((one) => one.rnc));
			for (const other of others) if (!numbers.has(other)) expect(findAddress(snapshot, other)).toBeUndefined();
			expect(entriesOf(snapshot)).toEqual(ascending(list));
		}),
		{ numRuns: 150 },
	);
});

test("an entry's bytes equal JSON.stringify, and a search item is their beginning", () => {
	fc.assert(
		fc.property(anyEntry, (one) => {
			const snapshot = snapshotOf([one]);
			expect(entryBytesAt(snapshot, 0).toString()).toBe(JSON.stringify(one));
			const { payment_regime: _, ...item } = one;
			const target = Buffer.alloc(itemSizeAt(snapshot, 0) + 1, "}");
			expect(copyItem(snapshot, 0, target, 0)).toBe(target.length - 1);
			expect(target.toString()).toBe(JSON.stringify(item));
		}),
		{ numRuns: 150 },
	);
});

test("keys sort numbers like their texts and know their prefixes", () => {
	fc.assert(
		fc.property(digits, digits, fc.stringMatching(/^[0-9]{3,11}$/), (a, b, prefix) => {
			expect(digitsOf(keyOf(a))).toBe(a);
			expect(Math.sign(keyOf(a) - keyOf(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
			const [from, to] = keyRangeOf(prefix);
			for (const one of [a, b, prefix.slice(0, 9).padEnd(9, "0"), prefix.padEnd(11, "0"), prefix.padEnd(11, "9")]) {
				expect(keyOf(one) >= from && keyOf(one) < to).toBe(one.startsWith(prefix));
			}
		}),
		{ numRuns: 2_000 },
	);
});

test("the later of two records with one number is kept", () => {
	const snapshot = snapshotOf([entry({ name: "ANTES" }), ...entries(5, 10), entry({ name: "DESPUES" })]);
	expect(lookupEntry(snapshot, entry().rnc)?.name).toBe("DESPUES");
	expect(snapshot.entryCount).toBe(6);
});

test("the words of a field are all its distinct folded words with their counts", () => {
	const snapshot = snapshotOf([
		entry({ rnc: "990000001", name: "CAFÉ DEL SOL" }),
		entry({ rnc: "990000002", name: "CAFE CAFE" }),
		entry({ rnc: "990000003", name: "SOL" }),
	]);
	expect(listWords(snapshot.fields.name)).toEqual([
		{ word: "CAFE", count: 2 },
		{ word: "DEL", count: 1 },
		{ word: "SOL", count: 2 },
	]);
});

test("two snapshots differ in exactly what was added, changed and removed", () => {
	fc.assert(
		fc.property(anyEntries, anyEntries, fc.array(fc.nat(39)), (before, other, changed) => {
			const after = new Map(other.map((one) => [one.rnc, one]));
			for (const at of changed) {
				const one = before[at];
				if (one) after.set(one.rnc, { ...one, name: `${one.name}X` });
			}
			const was = snapshotOf(before);
			const is = snapshotOf([...after.values()]);
			const known = new Map(before.map((one) => [one.rnc, one]));
			const counts = { added: 0, changed: 0, removed: before.filter((one) => !after.has(one.rnc)).length };
			for (const one of after.values()) {
				const old = known.get(one.rnc);
				if (!old) counts.added++;
				else if (JSON.stringify(old) !== JSON.stringify(one)) counts.changed++;
			}
			const counted = { added: 0, changed: 0, removed: 0 };
			for (const { kind } of compareSnapshots(was, is)) counted[kind]++;
			expect(counted).toEqual(counts);
			expect([...compareSnapshots(is, is)]).toEqual([]);
		}),
		{ numRuns: 60 },
	);
});

describe("a damaged file is refused", () => {
	const good = join(folder.path, "good.snapshot");
	buildSnapshot(good, ...columnsOf(entries(50)), FACTS);
	const bytes = readFileSync(good);
	let count = 0;

	/** Opens and verifies, as before publishing. */
	function accept(content: Uint8Array): void {
		const path = join(folder.path, `bad-${count++}.snapshot`);
		writeFileSync(path, content);
		verifySnapshot(openSnapshot(path));
	}

	test("with any significant byte changed", () => {
		accept(bytes);
		// Some bytes between sections and in the header are never read.
		const { sections } = openSnapshot(good).manifest;
		const isRead = (at: number) =>
			sections.some(({ offset, bytes: length }) => at >= offset && at < offset + length) ||
			at < 64 ||
			at >= bytes.length - 16;
		fc.assert(
			fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
				fc.pre(isRead(at));
				const damaged = Buffer.from(bytes);
				damaged[at] = (damaged[at] ?? 0) ^ change;
				expect(() => accept(damaged)).toThrow(SnapshotError);
			}),
			{ numRuns: 500 },
		);
	});

	test.each([0, 1, 63, 64, 1_000, bytes.length - 17, bytes.length - 1])("truncated after %d bytes", (length) => {
		expect(() => accept(bytes.subarray(0, length))).toThrow(SnapshotError);
	});

	test("with extra bytes, of another version, or of another kind", () => {
		expect(() => accept(Buffer.concat([bytes, Buffer.alloc(8)]))).toThrow(SnapshotError);
		const other = Buffer.from(bytes);
		other.writeUInt32LE(99, 8);
		expect(() => accept(other)).toThrow(`expected version ${VERSION}, got 99`);
		expect(() => accept(Buffer.from("PK".repeat(500)))).toThrow("does not start like a snapshot");
	});

	test("that does not exist", () => {
		expect(() => openSnapshot(join(folder.path, "missing"))).toThrow("it is gone");
	});
});

describe("the entries, before the rest is written,", () => {
	const list = entries(50);
	const [columns, names] = columnsOf(list);
	const whole = join(folder.path, "part.snapshot");
	const writer = createSnapshotWriter(whole);
	writeEntriesPart(writer, columns, names);
	const part = writer.part();
	writer.close();
	const counts = { entryCount: list.length, statuses: columns.statusTexts };

	function verifyPart(bytes: Uint8Array<ArrayBuffer>): void {
		const file = { path: whole, bytes, ...part };
		const view = viewFile(file);
		verifyEntries(file, view.entries(), counts);
		verifyField(file, ENTRIES_FIELD, view.field(ENTRIES_FIELD), counts);
	}

	test("can be viewed alone, even if their last section is empty", () => {
		const path = join(folder.path, "empty-end.snapshot");
		const writer = createSnapshotWriter(path);
		writer.write("something", new Uint8Array([1, 2, 3]));
		writer.write("nothing", new Uint8Array(0));
		const { sections, end } = writer.part();
		writer.close();
		expect(sections.at(-1)).toMatchObject({ name: "nothing", offset: end, bytes: 0 });
		expect(readFileSync(path).length).toBe(end);
	});

	test("are verified alone", () => {
		verifyPart(Bun.mmap(whole));
		expect(() => openSnapshot(whole)).toThrow(SnapshotError);
	});

	test("are refused with any byte changed", () => {
		const bytes = readFileSync(whole);
		fc.assert(
			fc.property(
				fc.constantFrom(...part.sections),
				fc.nat(),
				fc.integer({ min: 1, max: 255 }),
				(section, at, change) => {
					fc.pre(section.bytes > 0);
					const damaged = new Uint8Array(bytes);
					const place = section.offset + (at % section.bytes);
					damaged[place] = (damaged[place] ?? 0) ^ change;
					expect(() => verifyPart(damaged)).toThrow(`its section ${section.name} is damaged`);
				},
			),
			{ numRuns: 200 },
		);
	});

	test("are refused with another number of entries than expected", () => {
		const bytes = Bun.mmap(whole);
		const file = { path: whole, bytes, ...part };
		const other = { ...counts, entryCount: list.length + 1 };
		expect(() => verifyEntries(file, viewFile(file).entries(), other)).toThrow("expected 51 keys, got 50");
	});
});

test("a removed file is still readable by a process that has it open", () => {
	const list = entries(2_000);
	const snapshot = snapshotOf(list);
	expect(entriesOf(snapshot)).toEqual(list);
});

test("a failed build leaves no file", () => {
	const path = join(folder.path, "failed.snapshot");
	expect(() => buildSnapshot(path, ...columnsOf([entry({ name: "A\u0000B" })]), FACTS)).toThrow("control characters");
	expect(() => openSnapshot(path)).toThrow("it is gone");
});
