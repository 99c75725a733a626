/**
 * Extracts the registry's text from the authority's zip without trusting anything that the archive declares.
 *
 *   local header   30 bytes, name, extra field, then the compressed bytes
 *   directory      one record of 46 bytes, name, extra, comment per entry; sizes and CRC are read here
 *   end record     22 bytes and a comment: number of entries, offset of the directory
 *
 * Small files beside it, such as a readme, are ignored and never extracted.
 *
 * What fails: no file with a plain name ending in `.txt` or `.csv` in at most one folder, or several of similar size; more than 20 files
 * beside it, or a large one; encryption; compression other than deflate; zip64; more than 30 times or 2 GiB unpacked, counted during
 * extraction; another size or CRC than declared; unused bytes in the compressed part.
 *
 * Source: APPNOTE.TXT, .ZIP File Format Specification 6.3.10, sections 4.3.7, 4.3.12, 4.3.16.
 */

import { crc32, createInflateRaw } from "node:zlib";
import { SourceError } from "./source-error";

export const UNPACKED_BYTES_MAX = 2 * 1024 ** 3;
const RATIO_MAX = 30;

const LOCAL = 0x04034b50;
const DIRECTORY = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const ENCRYPTED = 0x0001;
const STORED = 0;
const DEFLATED = 8;

const expectedName = /^(?:[A-Za-z0-9_-]{1,60}\/)?[A-Za-z0-9_-]{1,100}\.(?:txt|csv)$/i;

type Entry = {
	readonly name: string;
	readonly flags: number;
	readonly method: number;
	readonly crc: number;
	readonly packedBytes: number;
	readonly unpackedBytes: number;
	readonly localOffset: number;
};

export function isZip(bytes: Uint8Array): boolean {
	return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] ?? 0) < 8;
}

type Unpacking = {
	/** The size that the archive declares, and the maximum delivered. Units: bytes. */
	readonly bytes: number;
	/** The content in order; a piece is valid until the next one is requested. Throws: SourceError `refused`, after the last piece at the latest. */
	readonly pieces: AsyncIterable<Uint8Array>;
};

/** Extracts the registry's text from the archive, piece by piece. Throws: SourceError `refused`. */
export function unzipText(bytes: Uint8Array): Unpacking {
	const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const files = readDirectory(zip).filter((entry) => !(entry.name.endsWith("/") && entry.unpackedBytes === 0));
	const entry = chooseText(files);
	checkEntry(entry);
	const packed = packedBytesOf(zip, entry);
	const pieces = entry.method === STORED ? [packed] : inflate(packed);
	return { bytes: entry.unpackedBytes, pieces: checkPieces(pieces, entry) };
}

const OTHERS_MAX = 20;
const OTHER_BYTES_MAX = 1024 * 1024;
/** A text of less than this part of the largest one is a readme. Gap: the authority's own zip has a single file so far. */
const README_PART = 1 / 10;

/** The largest file with the name of a registry text. Throws: SourceError `refused` if another one may be it, or others are many or large. */
function chooseText(files: readonly Entry[]): Entry {
	const named = files.filter(({ name }) => expectedName.test(name)).sort((a, b) => b.unpackedBytes - a.unpackedBytes);
	const [text] = named;
	if (!text) throw refused(`no file of the zip has the name of a registry text, got ${listNames(files)}`);
	const candidates = named.filter(({ unpackedBytes }) => unpackedBytes >= text.unpackedBytes * README_PART);
	if (candidates.length > 1) throw refused(`expected one registry text in the zip, got ${listNames(candidates)}`);
	const others = files.filter((file) => file !== text);
	if (others.length > OTHERS_MAX)
		throw refused(`expected at most ${OTHERS_MAX} other files in the zip, got ${others.length}`);
	const large = others.filter(({ unpackedBytes }) => unpackedBytes > OTHER_BYTES_MAX);
	if (large.length > 0) throw refused(`expected other files of at most 1 MiB in the zip, got ${listNames(large)}`);
	return text;
}

function listNames(files: readonly Entry[]): string {
	const names = files.slice(0, 5).map(({ name }) => name.slice(0, 60).replace(/[^ -~]/g, "?"));
	return files.length === 0 ? "no file" : `${names.join(", ")}${files.length > names.length ? ", …" : ""}`;
}

function readDirectory(zip: Buffer): Entry[] {
	const end = findEnd(zip);
	const count = zip.readUInt16LE(end + 10);
	const offset = zip.readUInt32LE(end + 16);
	if (count === 0xffff || offset === 0xffffffff) throw refused("zip64 is not supported");
	const entries: Entry[] = [];
	let at = offset;
	for (let i = 0; i < count; i++) {
		if (at + 46 > end || zip.readUInt32LE(at) !== DIRECTORY) throw refused("the zip's directory is damaged");
		const nameBytes = zip.readUInt16LE(at + 28);
		const next = at + 46 + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
		if (next > end) throw refused("the zip's directory is damaged");
		entries.push({
			name: zip.toString("latin1", at + 46, at + 46 + nameBytes),
			flags: zip.readUInt16LE(at + 8),
			method: zip.readUInt16LE(at + 10),
			crc: zip.readUInt32LE(at + 16),
			packedBytes: zip.readUInt32LE(at + 20),
			unpackedBytes: zip.readUInt32LE(at + 24),
			localOffset: zip.readUInt32LE(at + 42),
		});
		at = next;
	}
	// A second entry that the directory does not count would be hidden here.
	if (at !== end) throw refused("the zip's directory is longer than it declares");
	return entries;
}

/** The end record is last in the file, except for a comment that reaches exactly to the end. */
function findEnd(zip: Buffer): number {
	const lowest = Math.max(0, zip.length - END_BYTES - COMMENT_BYTES_MAX);
	for (let at = zip.length - END_BYTES; at >= lowest; at--) {
		if (zip.readUInt32LE(at) === END && at + END_BYTES + zip.readUInt16LE(at + 20) === zip.length) return at;
	}
	throw refused("the zip is cut off: it has no end record");
}

function checkEntry(entry: Entry): void {
	if (entry.flags & ENCRYPTED) throw refused("the zip is encrypted");
	if (entry.method !== STORED && entry.method !== DEFLATED)
		throw refused(`compression method ${entry.method} is not supported`);
	if (entry.packedBytes === 0xffffffff || entry.unpackedBytes === 0xffffffff) throw refused("zip64 is not supported");
	if (entry.unpackedBytes > UNPACKED_BYTES_MAX) throw refused("the zip unpacks to more than 2 GiB");
	if (entry.unpackedBytes > entry.packedBytes * RATIO_MAX) {
		throw refused(`the zip unpacks to more than ${RATIO_MAX} times its size`);
	}
}

function packedBytesOf(zip: Buffer, entry: Entry): Buffer {
	const at = entry.localOffset;
	if (at + 30 > zip.length || zip.readUInt32LE(at) !== LOCAL)
		throw refused("the zip's entry is not where it should be");
	const nameBytes = zip.readUInt16LE(at + 26);
	if (zip.toString("latin1", at + 30, at + 30 + nameBytes) !== entry.name)
		throw refused("the zip has two different names for its file");
	const start = at + 30 + nameBytes + zip.readUInt16LE(at + 28);
	if (start + entry.packedBytes > zip.length) throw refused("the zip's file is cut off");
	return zip.subarray(start, start + entry.packedBytes);
}

/** Another thread extracts the next piece while one is read. */
const PIECE_BYTES = 256 * 1024;

async function* inflate(packed: Buffer): AsyncGenerator<Uint8Array> {
	const engine = createInflateRaw({ chunkSize: PIECE_BYTES });
	engine.end(packed);
	try {
		for await (const piece of engine as AsyncIterable<Uint8Array<ArrayBuffer>>) {
			yield piece;
			// Frees the memory for the next piece at once instead of at the next collection. The engine no longer needs a full buffer.
			if (piece.length === piece.buffer.byteLength) piece.buffer.transfer(0);
		}
	} catch (cause) {
		throw refused("the zip's compressed bytes are damaged", cause);
	} finally {
		engine.destroy();
	}
	if (engine.bytesWritten !== packed.length) throw refused("the zip holds more compressed bytes than its file needs");
}

async function* checkPieces(
	pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
	entry: Entry,
): AsyncGenerator<Uint8Array> {
	let total = 0;
	let crc = 0;
	for await (const piece of pieces) {
		total += piece.length;
		if (total > entry.unpackedBytes) throw refused("the zip unpacks to more than it declares");
		crc = crc32(piece, crc);
		yield piece;
	}
	if (total !== entry.unpackedBytes) throw refused("the zip's file is shorter than it declares");
	if (crc !== entry.crc) throw refused("the zip's file does not have its checksum");
}

function refused(message: string, cause?: unknown): SourceError {
	return new SourceError("refused", message, cause);
}
