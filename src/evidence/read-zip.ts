/**
 * Reads a ZIP that somebody may have made to do harm.
 *
 *     file ─▶ end record ─▶ central directory ─▶ names and sizes judged ─▶ local headers compared ─▶ entries unpacked, one by one
 *
 * Model: a strict part of the format. Entries are stored or deflated, one disk, no ZIP64, no encryption, no links. The file begins with an entry and has
 * nothing between entries but the records that writers put behind them, nothing between directory and end record. Names are plain relative paths, each
 * once, letter case aside. So there is one way to read the file, and every program reads the same entries.
 *
 * Work: what an entry says of its size is judged before it is unpacked, and unpacking ends where the entry is longer than it says. A bomb costs
 * no more than the limits.
 *
 * Source: PKWARE's APPNOTE.TXT, 4.3 and 4.4.
 */
import { inflateEntry } from "./inflate-entry";
import { Refusal } from "./words";

export type ZipLimits = {
	readonly bytesMax: number;
	readonly entriesMax: number;
	/** Of one entry, unpacked. */
	readonly entryBytesMax: number;
	/** Of all entries, unpacked. */
	readonly totalBytesMax: number;
};

/** Name → bytes. */
export type Files = ReadonlyMap<string, Uint8Array>;

type Entry = {
	readonly name: string;
	readonly method: number;
	readonly crc: number;
	readonly packedBytes: number;
	readonly bytes: number;
	readonly headerAt: number;
};

const MIB = 1024 * 1024;
/** The largest honest document, a consumer invoice of 10,000 lines, stands twice in its evidence and fits several times. */
export const EVIDENCE_LIMITS: ZipLimits = {
	bytesMax: 32 * MIB,
	entriesMax: 2_000,
	entryBytesMax: 32 * MIB,
	totalBytesMax: 96 * MIB,
};

const END = 0x06054b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
/** Sizes and checksum told again behind an entry that was written as a stream. */
const DESCRIPTOR_BYTES_MAX = 24;
const STORED = 0;
const DEFLATED = 8;
const FLAG_ENCRYPTED = 0x0001;
const UNIX_TYPE = 0xf000;
const UNIX_LINK = 0xa000;
const NAME_BYTES_MAX = 200;
const PLAIN_NAME = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*\/?$/;

/** The entries of a ZIP; folders' own entries are left out. `file` is what the ZIP is called. Throws: Refusal. */
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
				`the entry ${entry.name} does not stand where the directory says`,
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
		refuse("bytes that no entry has", "bytes que no son de ninguna entrada");
	return files;
}

type End = {
	readonly at: number;
	readonly count: number;
	readonly directoryAt: number;
	readonly directoryBytes: number;
};

/** The record at the file's end, whose comment ends with the file. */
function findEnd(view: DataView): End | undefined {
	const last = view.byteLength - END_BYTES;
	for (let at = last; at >= Math.max(0, last - COMMENT_BYTES_MAX); at--) {
		if (view.getUint32(at, true) !== END || view.getUint16(at + 20, true) !== last - at) continue;
		const [disk, directoryDisk, here, count] = [4, 6, 8, 10].map((offset) => view.getUint16(at + offset, true));
		const directoryBytes = view.getUint32(at + 12, true);
		const directoryAt = view.getUint32(at + 16, true);
		const isOneDisk = disk === 0 && directoryDisk === 0 && here === count;
		if (count === undefined || !isOneDisk || directoryAt + directoryBytes !== at) return undefined;
		return { at, count, directoryAt, directoryBytes };
	}
	return undefined;
}

type Refuse = (en: string, es: string) => never;

function readDirectory(bytes: Uint8Array, view: DataView, end: End, limits: ZipLimits, refuse: Refuse): Entry[] {
	if (end.count > limits.entriesMax) {
		refuse(`more than ${limits.entriesMax} entries`, `más de ${limits.entriesMax} entradas`);
	}
	const entries: Entry[] = [];
	const names = new Set<string>();
	let total = 0;
	let at = end.directoryAt;
	for (let n = 0; n < end.count; n++) {
		if (at + CENTRAL_BYTES > end.at || view.getUint32(at, true) !== CENTRAL) {
			refuse("its directory is damaged", "su directorio está dañado");
		}
		const [nameBytes = 0, extraBytes = 0, commentBytes = 0] = [28, 30, 32].map((o) => view.getUint16(at + o, true));
		const name = decodeName(bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes));
		if (name === undefined) {
			return refuse(
				"an entry's name is no plain relative path",
				"el nombre de una entrada no es una ruta relativa simple",
			);
		}
		const entry = readEntry(view, at, name);
		if (names.has(name.toLowerCase())) refuse(`the entry ${name} stands twice`, `la entrada ${name} está dos veces`);
		names.add(name.toLowerCase());
		const isLink = ((view.getUint32(at + 38, true) >>> 16) & UNIX_TYPE) === UNIX_LINK;
		const isEncrypted = (view.getUint16(at + 8, true) & FLAG_ENCRYPTED) !== 0;
		if (isLink || isEncrypted || ![STORED, DEFLATED].includes(entry.method)) {
			refuse(`the entry ${name} is of a kind that is not read`, `la entrada ${name} es de un tipo que no se lee`);
		}
		total += entry.bytes;
		if (entry.bytes > limits.entryBytesMax || total > limits.totalBytesMax) {
			refuse(`the entry ${name} is too large`, `la entrada ${name} es demasiado grande`);
		}
		entries.push(entry);
		at += CENTRAL_BYTES + nameBytes + extraBytes + commentBytes;
	}
	if (at !== end.at) refuse("its directory is damaged", "su directorio está dañado");
	return entries;
}

function readEntry(view: DataView, at: number, name: string): Entry {
	return {
		name,
		method: view.getUint16(at + 10, true),
		crc: view.getUint32(at + 16, true),
		packedBytes: view.getUint32(at + 20, true),
		bytes: view.getUint32(at + 24, true),
		headerAt: view.getUint32(at + 42, true),
	};
}

/** Where the entry's bytes begin; undefined unless its own header tells the same name and method. */
function findContent(bytes: Uint8Array, view: DataView, { headerAt, name, method }: Entry): number | undefined {
	if (headerAt + LOCAL_BYTES > view.byteLength || view.getUint32(headerAt, true) !== LOCAL) return undefined;
	const nameBytes = view.getUint16(headerAt + 26, true);
	const start = headerAt + LOCAL_BYTES;
	const told = decodeName(bytes.subarray(start, start + nameBytes));
	if (told !== name || view.getUint16(headerAt + 8, true) !== method) return undefined;
	return start + nameBytes + view.getUint16(headerAt + 28, true);
}

/** Undefined for whatever is no plain relative path of ASCII letters. */
function decodeName(bytes: Uint8Array): string | undefined {
	const name = String.fromCharCode(...bytes.subarray(0, NAME_BYTES_MAX));
	return bytes.length <= NAME_BYTES_MAX && PLAIN_NAME.test(name) ? name : undefined;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
	let rest = byte;
	for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
	return rest;
});

function crc32(bytes: Uint8Array): number {
	let crc = 0xffffffff;
	for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
	return (crc ^ 0xffffffff) >>> 0;
}
