/**
 * Reads a ZIP that may be hostile.
 *
 *     file ─▶ end record ─▶ central directory ─▶ check names and sizes ─▶ compare local headers ─▶ unpack entries, one by one
 *
 * Model: a strict subset of the format. Entries are stored or deflated, on one disk, without ZIP64, encryption or links. The file begins with an
 * entry. Between entries there are only data descriptors, and nothing between directory and end record. Names are plain relative paths, unique
 * regardless of letter case. So there is one way to read the file, and every program reads the same entries.
 *
 * Work: an entry's size is checked before it is unpacked, and unpacking stops where the entry is longer. A bomb costs no more than the limits.
 *
 * Source: PKWARE's APPNOTE.TXT, 4.3 and 4.4.
 */

import { Inflate } from "fflate";
import { Refusal } from "./words";
import { decodeName, type Entry, findEnd, type Refuse, readDirectory, STORED, type ZipLimits } from "./zip-directory";

export type { ZipLimits };

/** Name → bytes. */
export type Files = ReadonlyMap<string, Uint8Array>;

const MIB = 1024 * 1024;
/**
 * The largest honest document, a consumer invoice of 10,000 lines, fits several times. A document that the authority processed for days has an
 * answer per query, so the number of entries is limited only by the format.
 */
export const EVIDENCE_LIMITS: ZipLimits = {
	bytesMax: 32 * MIB,
	entriesMax: 65_535,
	entryBytesMax: 32 * MIB,
	totalBytesMax: 96 * MIB,
};

const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
/** The data descriptor after an entry that was written as a stream. */
const DESCRIPTOR_BYTES_MAX = 24;

/** The entries of a ZIP, without folders. `file` is the ZIP's name in messages. Throws: Refusal. */
export function readZip(bytes: Uint8Array, file: string, limits: ZipLimits = EVIDENCE_LIMITS): Files {
	const refuse: Refuse = (en, es) => {
		throw new Refusal({ en: `${file}: ${en}`, es: `${file}: ${es}` });
	};
	if (bytes.length === 0) refuse("the file is empty", "el archivo está vacío");
	if (bytes.length > limits.bytesMax) {
		refuse(`larger than ${limits.bytesMax} bytes`, `de más de ${limits.bytesMax} bytes`);
	}
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const end = findEnd(view) ?? refuse("it is not a whole ZIP file", "no es un archivo ZIP completo");
	const entries = readDirectory(bytes, view, end, limits, refuse);
	const files = new Map<string, Uint8Array>();
	let at = 0;
	for (const entry of [...entries].sort((a, b) => a.headerAt - b.headerAt)) {
		const start = findContent(bytes, view, entry);
		const isInPlace = entry.headerAt >= at && entry.headerAt <= at + (at === 0 ? 0 : DESCRIPTOR_BYTES_MAX);
		if (start === undefined || !isInPlace || start + entry.packedBytes > end.directoryAt) {
			return refuse(
				`the entry ${entry.name} is not where the directory says`,
				`la entrada ${entry.name} no está donde dice el directorio`,
			);
		}
		at = start + entry.packedBytes;
		const packed = bytes.subarray(start, at);
		const content = entry.method === STORED ? packed : inflateEntry(packed, entry.bytes);
		if (content?.length !== entry.bytes || crc32(content) !== entry.crc) {
			return refuse(`the entry ${entry.name} is damaged`, `la entrada ${entry.name} está dañada`);
		}
		if (!entry.name.endsWith("/")) files.set(entry.name, content);
	}
	if (end.directoryAt > at + DESCRIPTOR_BYTES_MAX)
		refuse("bytes that belong to no entry", "bytes que no son de ninguna entrada");
	return files;
}

/** Where the entry's bytes begin; undefined unless its own header has the same name and method. */
function findContent(bytes: Uint8Array, view: DataView, { headerAt, name, method }: Entry): number | undefined {
	if (headerAt + LOCAL_BYTES > view.byteLength || view.getUint32(headerAt, true) !== LOCAL) return undefined;
	const nameBytes = view.getUint16(headerAt + 26, true);
	const start = headerAt + LOCAL_BYTES;
	const ownName = decodeName(bytes.subarray(start, start + nameBytes));
	if (ownName !== name || view.getUint16(headerAt + 8, true) !== method) return undefined;
	return start + nameBytes + view.getUint16(headerAt + 28, true);
}

/** Size of input pieces; each expands at most a thousandfold before the limit is checked. */
const PIECE_BYTES = 4_096;

/** Unpacks an entry. Undefined if the packed bytes are broken or do not have the expected length. */
function inflateEntry(packed: Uint8Array, expectedBytes: number): Uint8Array | undefined {
	const whole = new Uint8Array(expectedBytes);
	let written = 0;
	let isTooLong = false;
	const inflate = new Inflate((piece) => {
		isTooLong ||= written + piece.length > expectedBytes;
		if (!isTooLong) whole.set(piece, written);
		written += piece.length;
	});
	try {
		for (let at = 0; at < packed.length && !isTooLong; at += PIECE_BYTES) {
			inflate.push(packed.slice(at, at + PIECE_BYTES), at + PIECE_BYTES >= packed.length);
		}
	} catch {
		// The library throws on invalid input.
		return undefined;
	}
	return written === expectedBytes ? whole : undefined;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
	let rest = byte;
	for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
	return rest;
});

/** The checksum of ZIP. Source: PKWARE's APPNOTE.TXT, 4.4.7. */
export function crc32(bytes: Uint8Array): number {
	let crc = 0xffffffff;
	for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
	return (crc ^ 0xffffffff) >>> 0;
}
