/**
 * Verifies a whole snapshot before it is published: every byte against its checksum and every number against its range. No reader can then
 * run out of bounds or in circles.
 */

import { type FileHandle, open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { cellCountOf, hasRuns } from "./choose-walk";
import { markCold } from "./cold-code";
import { digitsOf, isElevenDigits, isHashTable } from "./document-key";
import { entryAt } from "./entries";
import { type Manifest, type Section, SnapshotError, TEXT_FIELDS, type TextField, WORD_BITS } from "./format";
import { leastOfBlocks } from "./least";
import {
	countUnits,
	type EntrySections,
	endingAt,
	type FieldIndex,
	type MappedFile,
	type Snapshot,
	textBytesAt,
	toFileId,
	watchLength,
} from "./open";

const SAMPLES = 1_000;

/** Throws: SnapshotError, naming the section and the damage. */
export function verifySnapshot(snapshot: Snapshot): void {
	const { path, bytes, manifest } = snapshot;
	verifyEntries({ path, bytes, sections: manifest.sections }, snapshot, manifest);
	verifyFields(snapshot, TEXT_FIELDS);
}

/** Verifies the checksums of the entries, in a file that was fully verified before. Throws: SnapshotError. */
export function verifyEntryBytes({ path, bytes, manifest }: Snapshot): void {
	verifyBytes({ path, bytes, sections: manifest.sections }, isOfEntries);
}

/** Verifies the indexes of some text fields. Throws: SnapshotError. */
export function verifyFields({ path, bytes, manifest, fields }: Snapshot, names: readonly TextField[]): void {
	for (const name of names) verifyField({ path, bytes, sections: manifest.sections }, name, fields[name], manifest);
}

/** Verifies the entries, even before the rest of the file is written. Throws: SnapshotError. */
export function verifyEntries(file: CheckedFile, entries: EntrySections, counts: Counts): void {
	const expect = (holds: boolean, fault: string): void => {
		if (!holds) throw new SnapshotError(file.path, fault);
	};
	verifyBytes(file, isOfEntries);
	const { keys, slots, entryStarts, endingStarts, endingCuts, endingTexts, traits, startDays } = entries;
	const { entryCount, statuses } = counts;
	expect(keys.length === entryCount, `expected ${entryCount} keys, got ${keys.length}`);
	expect(traits.length === entryCount, `expected ${entryCount} traits, got ${traits.length}`);
	expect(startDays.length === entryCount, `expected ${entryCount} start dates, got ${startDays.length}`);
	expect(isRising(keys), "its keys do not ascend");
	expect(ascends(entryStarts, entryCount, entries.entries.keys.length), "its entries overlap");
	expect(ascends(endingStarts, endingCuts.length, endingTexts.length), "its endings overlap");
	expect(areEntriesWhole(entries), "its entries are not what their rows are");
	expect(isPowerOfTwo(slots.length) && slots.length >= 4 * entryCount, "its hash table has a wrong size");
	expect(isHashTable(entries), "its hash table does not lead to every entry");
	for (let row = 0; row < entryCount; row += Math.ceil(entryCount / SAMPLES)) {
		const entry = entryAt(entries, row);
		const trait = traits[row] ?? 0;
		const isRight = entry.rnc === digitsOf(keys[row] ?? 0) && entry.status === statuses[trait >>> 1];
		expect(isRight && (trait & 1) === (isElevenDigits(keys[row] ?? 0) ? 1 : 0), `row ${row} holds another entry`);
	}
}

/** Verifies the index of a text field. Throws: SnapshotError. */
export function verifyField(file: CheckedFile, field: TextField, index: FieldIndex, counts: Counts): void {
	verifyBytes(file, (name) => name.startsWith(`${field}/`));
	const fault = findFault(index, counts.entryCount, counts.statuses.length);
	if (fault) throw new SnapshotError(file.path, `${fault} in ${field}`);
}

type CheckedFile = Pick<MappedFile, "path" | "bytes" | "sections">;
type Counts = Pick<Manifest, "entryCount" | "statuses">;

const isOfEntries = (section: string) => !section.includes("/");

function verifyBytes({ path, bytes, sections }: CheckedFile, isMeant: (name: string) => boolean): void {
	for (const { name, offset, bytes: length, crc } of sections) {
		if (isMeant(name) && crc32(bytes.subarray(offset, offset + length)) !== crc) {
			throw new SnapshotError(path, `its section ${name} is damaged`);
		}
	}
}

/** Whether each entry has its row's key, an existing ending, and a text that ends before the next entry starts. */
function areEntriesWhole({ keys, entries, entryStarts, endingCuts }: EntrySections): boolean {
	for (let row = 0; row < keys.length; row++) {
		const address = entryStarts[row] ?? 0;
		const units = countUnits(textBytesAt(entries, address));
		if (address + units !== entryStarts[row + 1] || entries.keys[address] !== keys[row]) return false;
		if (endingAt(entries, address) >= endingCuts.length) return false;
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
	if (traits.length !== entryCount || !areTraitsBelow(traits, statusCount * 2)) return "traits are wrong";
	if (!ascends(wordStarts, entryCount, words.length)) return "values overlap";
	if (!areWordsBelow(words, vocabulary)) return "unknown words";
	if (!areExtrasLast(wordStarts, words)) return "words behind extra ones";
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
		const from = pairStarts[cell] ?? 0;
		const to = pairStarts[cell + 1] ?? 0;
		for (let i = from + 1; i < to; i++) if ((pairs[i] ?? 0) < (pairs[i - 1] ?? 0)) return "pairs do not ascend";
		if (to > from && (pairs[to - 1] ?? 0) >= entryCount) return "pairs lie outside";
	}
	return undefined;
}

/** Whether `starts` describes `count` adjacent stretches that cover `length`. */
function ascends(starts: Uint32Array, count: number, length: number): boolean {
	if (starts.length !== count + 1 || starts[0] !== 0 || starts[count] !== length) return false;
	for (let i = 1; i < starts.length; i++) if ((starts[i] ?? 0) < (starts[i - 1] ?? 0)) return false;
	return true;
}

function isRising(numbers: Uint32Array | Float64Array): boolean {
	for (let i = 1; i < numbers.length; i++) if ((numbers[i] ?? 0) <= (numbers[i - 1] ?? 0)) return false;
	return true;
}

function isBelow(numbers: Uint32Array, bound: number): boolean {
	for (let i = 0; i < numbers.length; i++) if ((numbers[i] ?? 0) >= bound) return false;
	return true;
}

function areWordsBelow(words: Uint32Array, bound: number): boolean {
	for (let i = 0; i < words.length; i++) if (((words[i] ?? 0) & WORD_BITS) >= bound) return false;
	return true;
}

function areExtrasLast(wordStarts: Uint32Array, words: Uint32Array): boolean {
	for (let position = 0; position < wordStarts.length - 1; position++) {
		const stop = wordStarts[position + 1] ?? 0;
		let last = 0;
		for (let i = wordStarts[position] ?? 0; i < stop; i++) {
			const mark = (words[i] ?? 0) >>> 31;
			if (mark < last) return false;
			last = mark;
		}
	}
	return true;
}

/** A separate function: the runtime compiles a loop over two kinds of arrays to far slower code. */
function areTraitsBelow(traits: Uint16Array, bound: number): boolean {
	for (let i = 0; i < traits.length; i++) if ((traits[i] ?? 0) >= bound) return false;
	return true;
}

function isPowerOfTwo(n: number): boolean {
	return (n & (n - 1)) === 0;
}

markCold(
	areEntriesWhole,
	findFault,
	findShortcutFault,
	ascends,
	isRising,
	isBelow,
	areWordsBelow,
	areExtrasLast,
	areTraitsBelow,
);

const PIECE_BYTES = 1 << 20;
/** Smaller in the serving thread, where a piece takes a tenth of a millisecond. */
const SERVING_PIECE_BYTES = 1 << 18;

export type PiecesOf = Pick<Snapshot, "path" | "fileId"> & { readonly sections: readonly Section[] };

/**
 * Verifies the checksums of the file at a path again, piece by piece. It reads instead of maps, so that the pages do not count as this
 * process's memory. Returns false if the path has no file, or another one. Throws: SnapshotError for changed or unreadable bytes; the
 * signal's reason after an abort; other read errors as they are, because a shortage is no damage.
 */
export async function verifyFile(file: PiecesOf, signal: AbortSignal): Promise<boolean> {
	const { path } = file;
	const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return undefined;
		throw error;
	});
	if (!handle) return false;
	try {
		if (toFileId(await handle.stat({ bigint: true })) !== file.fileId) return false;
		const piece = Buffer.allocUnsafe(PIECE_BYTES);
		await verifyPieces(file, PIECE_BYTES, async (offset, length) => {
			signal.throwIfAborted();
			return piece.subarray(0, await readWhole(handle, path, piece.subarray(0, length), offset));
		});
		return true;
	} finally {
		await handle.close();
	}
}

async function readWhole(handle: FileHandle, path: string, piece: Buffer, offset: number): Promise<number> {
	let read = 0;
	while (read < piece.length) {
		const { bytesRead } = await handle
			.read(piece, read, piece.length - read, offset + read)
			.catch((error: NodeJS.ErrnoException) => {
				throw error.code === "EIO" ? new SnapshotError(path, "the disk cannot read it") : error;
			});
		if (bytesRead === 0) break;
		read += bytesRead;
	}
	return read;
}

/** Verifies a mapped file in the serving thread, the only way once its file is unlinked. Throws as `verifyFile`. */
export async function verifyMapped({ path, fileId, bytes, manifest }: Snapshot, signal: AbortSignal): Promise<void> {
	const check = watchLength({ path, fileId, bytes });
	try {
		await verifyPieces({ path, fileId, sections: manifest.sections }, SERVING_PIECE_BYTES, async (offset, length) => {
			await setImmediate();
			signal.throwIfAborted();
			if (check.isCutOff()) throw new SnapshotError(path, "it was cut off");
			return bytes.subarray(offset, offset + length);
		});
	} finally {
		check.stop();
	}
}

async function verifyPieces(
	{ path, sections }: PiecesOf,
	pieceBytes: number,
	read: (offset: number, length: number) => Promise<Uint8Array>,
): Promise<void> {
	for (const { name, offset, bytes, crc } of sections) {
		let found = 0;
		for (let at = 0; at < bytes; at += pieceBytes) {
			found = crc32(await read(offset + at, Math.min(pieceBytes, bytes - at)), found);
		}
		if (found !== crc) throw new SnapshotError(path, `its section ${name} is damaged`);
	}
}
