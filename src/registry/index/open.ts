/** Opens a snapshot file for reading. Only header, manifest and footer are checked here; verify.ts checks the sections. */

import { type BigIntStats, closeSync, fstatSync, openSync, statSync } from "node:fs";
import { crc32 } from "node:zlib";
import { unpack } from "msgpackr";
import {
	ALIGNMENT,
	FOOTER_BYTES,
	HEADER_BYTES,
	MAGIC,
	type Manifest,
	type Section,
	SnapshotError,
	SnapshotGoneError,
	type TextField,
	VERSION,
} from "./format";

/** The sections of a text field. Source: format.ts. */
export type FieldIndex = {
	readonly rows: Uint32Array;
	readonly rankKeys: Uint32Array;
	readonly rankStarts: Uint32Array;
	readonly traits: Uint16Array;
	readonly wordStarts: Uint32Array;
	readonly words: Uint32Array;
	readonly dictionaryStarts: Uint32Array;
	readonly dictionary: Uint8Array;
	readonly postingStarts: Uint32Array;
	readonly postings: Uint32Array;
	readonly byValue: Uint32Array;
	readonly valueLeast: Uint32Array;
	readonly valueStarts: Uint32Array;
	readonly groupStarts: Uint32Array;
	readonly pairStarts: Uint32Array;
	readonly pairs: Uint32Array;
};

export type EntrySections = {
	readonly keys: Float64Array;
	readonly slots: Uint32Array;
	readonly entries: Entries;
	readonly entryStarts: Uint32Array;
	readonly endingStarts: Uint32Array;
	readonly endingCuts: Uint32Array;
	readonly endingTexts: Buffer;
	readonly traits: Uint16Array;
	readonly startDays: Uint16Array;
};

/** An open snapshot. It stays readable after its file is removed, as long as it is referenced. */
export type Snapshot = EntrySections & {
	readonly path: string;
	/** Distinguishes the file from any earlier or later file at this path. */
	readonly fileId: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly manifest: Manifest;
	readonly entryCount: number;
	readonly fields: Readonly<Record<TextField, FieldIndex>>;
};

/** Maps a snapshot file. Throws: SnapshotError. */
export function openSnapshot(path: string): Snapshot {
	const refuse = (fault: string): never => {
		throw new SnapshotError(path, fault);
	};
	const { size, fileId } = readFacts(path);
	if (size < HEADER_BYTES + FOOTER_BYTES) refuse("it is cut off");
	const bytes = Bun.mmap(path, { shared: true });
	const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
	const footerAt = bytes.length - FOOTER_BYTES;
	if (whole.toString("latin1", 0, MAGIC.length) !== MAGIC) refuse("it does not start like a snapshot");
	const version = whole.readUInt32LE(8);
	if (version !== VERSION) refuse(`expected version ${VERSION}, got ${version}`);
	const manifestBytes = whole.readUInt32LE(12);
	const manifestAt = whole.readDoubleLE(16);
	const length = whole.readDoubleLE(24);
	if (length !== bytes.length) refuse(`expected ${length} bytes, got ${bytes.length}`);
	if (whole.toString("latin1", footerAt + 8) !== MAGIC) refuse("it does not end like a snapshot");
	if (crc32(whole.subarray(0, HEADER_BYTES)) !== whole.readUInt32LE(footerAt + 4)) refuse("its header is damaged");
	if (manifestAt + manifestBytes !== footerAt) refuse("its manifest is not where it should be");
	const packed = whole.subarray(manifestAt, footerAt);
	if (crc32(packed) !== whole.readUInt32LE(footerAt)) refuse("its manifest is damaged");
	const manifest = unpack(packed) as Manifest;

	const view = viewFile({ path, bytes, sections: manifest.sections, end: manifestAt });
	return {
		path,
		fileId,
		bytes,
		manifest,
		entryCount: manifest.entryCount,
		...view.entries(),
		fields: {
			name: view.field("name"),
			trade_name: view.field("trade_name"),
			economic_activity: view.field("economic_activity"),
		},
	};
}

/** A complete or partly written file, and where its sections are. */
export type MappedFile = {
	readonly path: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly sections: readonly Section[];
	readonly end: number;
};

/** Views the sections of a file in place. Throws: SnapshotError. */
export function viewFile({ path, bytes, sections, end }: MappedFile) {
	const find = (name: string): Section => {
		const section = sections.find((one) => one.name === name);
		if (!section) throw new SnapshotError(path, `it has no section ${name}`);
		const isInside = section.offset >= HEADER_BYTES && section.offset + section.bytes <= end;
		if (!isInside || section.offset % ALIGNMENT !== 0)
			throw new SnapshotError(path, `its section ${name} lies outside`);
		return section;
	};
	const at = (section: Section) => bytes.byteOffset + section.offset;
	const numbers = (name: string) => new Uint32Array(bytes.buffer, at(find(name)), find(name).bytes / 4);
	const bytesOf = (name: string) => Buffer.from(bytes.buffer, at(find(name)), find(name).bytes);
	const halvesOf = (name: string) => new Uint16Array(bytes.buffer, at(find(name)), find(name).bytes / 2);
	return {
		entries: (): EntrySections => ({
			keys: new Float64Array(bytes.buffer, at(find("keys")), find("keys").bytes / 8),
			slots: numbers("slots"),
			entries: viewEntries(bytes.buffer, at(find("entries")), find("entries").bytes),
			entryStarts: numbers("entry-starts"),
			endingStarts: numbers("ending-starts"),
			endingCuts: numbers("ending-cuts"),
			endingTexts: bytesOf("ending-texts"),
			traits: halvesOf("traits"),
			startDays: halvesOf("start-days"),
		}),
		field: (field: TextField): FieldIndex => ({
			rows: numbers(`${field}/rows`),
			rankKeys: numbers(`${field}/rank-keys`),
			rankStarts: numbers(`${field}/rank-starts`),
			traits: halvesOf(`${field}/traits`),
			wordStarts: numbers(`${field}/word-starts`),
			words: numbers(`${field}/words`),
			dictionaryStarts: numbers(`${field}/dictionary-starts`),
			dictionary: bytesOf(`${field}/dictionary`),
			postingStarts: numbers(`${field}/posting-starts`),
			postings: numbers(`${field}/postings`),
			byValue: numbers(`${field}/by-value`),
			valueLeast: numbers(`${field}/value-least`),
			valueStarts: numbers(`${field}/value-starts`),
			groupStarts: numbers(`${field}/group-starts`),
			pairStarts: numbers(`${field}/pair-starts`),
			pairs: numbers(`${field}/pairs`),
		}),
	};
}

/** The `fileId` of a snapshot. A rewritten file has another inode, or another time if the old inode was free by then. */
export function toFileId({ ino, mtimeNs }: Pick<BigIntStats, "ino" | "mtimeNs">): string {
	return `${ino}.${mtimeNs}`;
}

/** Detects that the file under a mapping was cut off, after which reading the mapping would end the process. */
export type LengthCheck = { readonly isCutOff: () => boolean; readonly stop: () => void };

/** Keeps the file open until it is stopped, so that a check costs half a microsecond. A file without a name cannot be cut off. */
export function watchLength({ path, fileId, bytes }: Pick<Snapshot, "path" | "fileId" | "bytes">): LengthCheck {
	const file = openIfSame(path, fileId);
	let isOpen = file !== undefined;
	return {
		isCutOff: () => isOpen && file !== undefined && fstatSync(file).size < bytes.length,
		stop: () => {
			if (isOpen && file !== undefined) closeSync(file);
			isOpen = false;
		},
	};
}

function openIfSame(path: string, fileId: string): number | undefined {
	let file: number | undefined;
	try {
		file = openSync(path, "r");
		// The mapping keeps the inode from being reused; the time changes when the file is cut off.
		if (fileId.startsWith(`${fstatSync(file, { bigint: true }).ino}.`)) return file;
	} catch {
		// Removed, or unreadable by now.
	}
	if (file !== undefined) closeSync(file);
	return undefined;
}

export function findFileId(path: string): string | undefined {
	const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
	return facts && toFileId(facts);
}

/** The runtime refuses to map an empty file, so the size is checked first. */
function readFacts(path: string): { readonly size: number; readonly fileId: string } {
	try {
		const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
		if (facts) return { size: Number(facts.size), fileId: toFileId(facts) };
	} catch {
		throw new SnapshotError(path, "it cannot be read");
	}
	throw new SnapshotGoneError(path, "it is gone");
}

/**
 * Layout of an entry in the section `entries`, at its address × 8:
 *
 *    0   key                 8 bytes, a floating-point number (document-key.ts)
 *    8   ending              4 bytes
 *   12   length of the text  4 bytes
 *   16   text                its JSON up to the end of the commercial name, UTF-8, padded with zeros to a multiple of 8
 *
 *   text   {"rnc":"131880681","name":"COMERCIAL GONZALEZ SRL","trade_name":"GONZALEZ
 *   ending                                                                          ","economic_activity":"…","status":"…","payment_regime":"…"}
 *
 * The text is stored ready to send, including labels and number. Two copies make an answer, which costs half of writing the parts one by
 * one.
 */

const UNIT_BITS = 3;
export const UNIT_BYTES = 1 << UNIT_BITS;
export const HEAD_BYTES = 16;

/** The section as it is read: the same bytes as numbers of three sizes. */
export type Entries = {
	readonly keys: Float64Array;
	readonly numbers: Uint32Array;
	readonly bytes: Buffer;
};

export function viewEntries(buffer: ArrayBuffer, offset: number, bytes: number): Entries {
	return {
		keys: new Float64Array(buffer, offset, bytes / UNIT_BYTES),
		numbers: new Uint32Array(buffer, offset, bytes / 4),
		bytes: Buffer.from(buffer, offset, bytes),
	};
}

export function endingAt({ numbers }: Entries, address: number): number {
	return numbers[2 * address + 2] ?? 0;
}

/** Units: bytes. */
export function textBytesAt({ numbers }: Entries, address: number): number {
	return numbers[2 * address + 3] ?? 0;
}

/** The number of units that an entry with a text of this many bytes takes. */
export function countUnits(textBytes: number): number {
	// A shift instead of a division, whose result would stay a floating-point number.
	return (HEAD_BYTES + textBytes + UNIT_BYTES - 1) >>> UNIT_BITS;
}
