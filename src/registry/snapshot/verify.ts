/**
 * Looks at the whole of a snapshot, before it is published: every byte against its checksum, every number against what it may be, so that
 * no reader can run out of bounds or in circles afterwards.
 */
import { crc32 } from "node:zlib";
import { entryAt } from "./decode";
import { digitsOf, isElevenDigits, lowHalfOf, slotOf } from "./document-key";
import { countUnits, endingAt, textBytesAt } from "./entry-layout";
import { SnapshotError, TEXT_FIELDS } from "./format";
import { leastOfBlocks } from "./least";
import type { FieldIndex, Snapshot } from "./open";
import { cellCountOf } from "./pairs";
import { hasRuns } from "./value-runs";

/** Entries that are read as a caller would read them. */
const SAMPLES = 1_000;

/** Throws: SnapshotError that names the section and what is wrong with it. */
export function verifySnapshot(snapshot: Snapshot): void {
	const expect = (holds: boolean, fault: string): void => {
		if (!holds) throw new SnapshotError(snapshot.path, fault);
	};
	for (const { name, offset, bytes, crc } of snapshot.manifest.sections) {
		expect(crc32(snapshot.bytes.subarray(offset, offset + bytes)) === crc, `its section ${name} is damaged`);
	}
	const { keys, slots, entryStarts, entries, endingStarts, endingCuts, endingTexts, traits, entryCount } = snapshot;
	expect(keys.length === entryCount, `expected ${entryCount} keys, got ${keys.length}`);
	expect(traits.length === entryCount, `expected ${entryCount} traits, got ${traits.length}`);
	expect(
		keys.every((key, row) => row === 0 || key > (keys[row - 1] ?? 0)),
		"its keys do not ascend",
	);
	expect(ascends(entryStarts, entryCount, entries.keys.length), "its entries overlap");
	expect(ascends(endingStarts, endingCuts.length, endingTexts.length), "its endings overlap");
	expect(areEntriesWhole(snapshot), "its entries are not what their rows are");
	expect(isPowerOfTwo(slots.length) && slots.length >= 4 * entryCount, "its hash table has a wrong size");
	expect(isHashTable(snapshot), "its hash table does not lead to every entry");
	const statusCount = snapshot.manifest.statuses.length;
	for (const field of TEXT_FIELDS) {
		const fault = findFault(snapshot.fields[field], entryCount, statusCount);
		if (fault) throw new SnapshotError(snapshot.path, `${fault} in ${field}`);
	}
	for (let row = 0; row < entryCount; row += Math.ceil(entryCount / SAMPLES)) {
		const entry = entryAt(snapshot, row);
		const trait = traits[row] ?? 0;
		const isRight = entry.rnc === digitsOf(keys[row] ?? 0) && entry.status === snapshot.manifest.statuses[trait >>> 1];
		expect(isRight && (trait & 1) === (isElevenDigits(keys[row] ?? 0) ? 1 : 0), `row ${row} holds another entry`);
	}
}

/** Whether each entry has its row's key, an ending that there is, and a text that ends before the next entry begins. */
function areEntriesWhole({ keys, entries, entryStarts, endingCuts }: Snapshot): boolean {
	for (let row = 0; row < keys.length; row++) {
		const address = entryStarts[row] ?? 0;
		const units = countUnits(textBytesAt(entries, address));
		if (address + units !== entryStarts[row + 1] || entries.keys[address] !== keys[row]) return false;
		if (endingAt(entries, address) >= endingCuts.length) return false;
	}
	return true;
}

function isHashTable({ keys, slots, entryStarts }: Snapshot): boolean {
	const mask = slots.length / 2 - 1;
	let held = 0;
	for (let slot = 0; slot <= mask; slot++) if (slots[2 * slot] !== 0) held++;
	if (held !== keys.length) return false;
	for (let row = 0; row < keys.length; row++) {
		const wanted = (entryStarts[row] ?? 0) + 1;
		let slot = slotOf(keys[row] ?? 0, mask);
		while (slots[2 * slot] !== 0 && slots[2 * slot] !== wanted) slot = (slot + 1) & mask;
		if (slots[2 * slot] !== wanted || slots[2 * slot + 1] !== lowHalfOf(keys[row] ?? 0)) return false;
	}
	return true;
}

function findFault(field: FieldIndex, entryCount: number, statusCount: number): string | undefined {
	const { rows, rankKeys, rankStarts, traits, wordStarts, words } = field;
	const { dictionary, dictionaryStarts, postings, postingStarts, byValue } = field;
	const vocabulary = dictionaryStarts.length - 1;
	const seen = new Uint8Array(entryCount);
	for (let position = 0; position < rows.length; position++) seen[rows[position] ?? 0] = 1;
	if (rows.length !== entryCount || seen.includes(0)) return "rows are missing";
	if (!ascends(rankStarts, rankKeys.length, entryCount)) return "ranks overlap";
	if (!isRising(rankKeys)) return "ranks do not ascend";
	if (traits.length !== entryCount || !isBelow(traits, statusCount * 2)) return "traits are wrong";
	if (!ascends(wordStarts, entryCount, words.length)) return "values overlap";
	if (!isBelow(words, vocabulary)) return "unknown words";
	if (!ascends(dictionaryStarts, vocabulary, dictionary.length)) return "words overlap";
	if (!ascends(postingStarts, vocabulary, postings.length)) return "postings overlap";
	for (let word = 0; word < vocabulary; word++) {
		const from = postingStarts[word] ?? 0;
		const to = postingStarts[word + 1] ?? 0;
		for (let i = from + 1; i < to; i++)
			if ((postings[i] ?? 0) <= (postings[i - 1] ?? 0)) return "postings do not ascend";
		if (to > from && (postings[to - 1] ?? 0) >= entryCount) return "postings lie outside";
	}
	if (!isBelow(byValue, entryCount)) return "positions lie outside";
	return findShortcutFault(field, entryCount);
}

function findShortcutFault(field: FieldIndex, entryCount: number): string | undefined {
	const { byValue, valueLeast, valueStarts, groupStarts, pairStarts, pairs } = field;
	const least = leastOfBlocks(byValue);
	if (valueLeast.length !== least.length || valueLeast.some((position, i) => position !== least[i])) {
		return "the least positions are wrong";
	}
	if (hasRuns(field) && !ascends(valueStarts, valueStarts.length - 1, byValue.length)) return "runs of values overlap";
	const groups = groupStarts.length - 1;
	const words = groups === 0 ? 0 : field.dictionaryStarts.length - 1;
	if (!ascends(groupStarts, groups, words)) return "groups of words overlap";
	if (!ascends(pairStarts, cellCountOf(groups), pairs.length)) return "pairs overlap";
	for (let cell = 0; cell < pairStarts.length - 1; cell++) {
		const to = pairStarts[cell + 1] ?? 0;
		for (let i = (pairStarts[cell] ?? 0) + 1; i < to; i++) {
			if ((pairs[i] ?? 0) < (pairs[i - 1] ?? 0)) return "pairs do not ascend";
		}
	}
	return isBelow(pairs, entryCount) ? undefined : "pairs lie outside";
}

/** Whether `starts` closes `count` stretches that cover `length` without overlap. */
function ascends(starts: Uint32Array, count: number, length: number): boolean {
	if (starts.length !== count + 1 || starts[0] !== 0 || starts[count] !== length) return false;
	for (let i = 1; i < starts.length; i++) if ((starts[i] ?? 0) < (starts[i - 1] ?? 0)) return false;
	return true;
}

function isRising(numbers: Uint32Array | Float64Array): boolean {
	for (let i = 1; i < numbers.length; i++) if ((numbers[i] ?? 0) <= (numbers[i - 1] ?? 0)) return false;
	return true;
}

function isBelow(numbers: Uint32Array | Uint16Array, bound: number): boolean {
	for (let i = 0; i < numbers.length; i++) if ((numbers[i] ?? 0) >= bound) return false;
	return true;
}

function isPowerOfTwo(n: number): boolean {
	return (n & (n - 1)) === 0;
}
