/** A ZIP's directory, checked before anything is unpacked. Source: PKWARE's APPNOTE.TXT, 4.3.12, 4.3.16 and 4.4. */

export type ZipLimits = {
	readonly bytesMax: number;
	readonly entriesMax: number;
	readonly entryBytesMax: number;
	/** Unpacked size of all entries. */
	readonly totalBytesMax: number;
};

export type Entry = {
	readonly name: string;
	readonly method: number;
	readonly crc: number;
	readonly packedBytes: number;
	readonly bytes: number;
	readonly headerAt: number;
};

/** Refuses the file with a sentence in both languages. */
export type Refuse = (en: string, es: string) => never;

const END = 0x06054b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
export const STORED = 0;
const DEFLATED = 8;
const FLAG_ENCRYPTED = 0x0001;
const UNIX_TYPE = 0xf000;
const UNIX_LINK = 0xa000;
const NAME_BYTES_MAX = 200;
const PLAIN_NAME = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*\/?$/;

export type End = {
	readonly at: number;
	readonly count: number;
	readonly directoryAt: number;
	readonly directoryBytes: number;
};

/** The end record, whose comment ends with the file. */
export function findEnd(view: DataView): End | undefined {
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

export function readDirectory(bytes: Uint8Array, view: DataView, end: End, limits: ZipLimits, refuse: Refuse): Entry[] {
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
				"an entry's name is not a plain relative path",
				"el nombre de una entrada no es una ruta relativa simple",
			);
		}
		const entry = readEntry(view, at, name);
		if (names.has(name.toLowerCase())) refuse(`the entry ${name} is repeated`, `la entrada ${name} está dos veces`);
		names.add(name.toLowerCase());
		const isLink = ((view.getUint32(at + 38, true) >>> 16) & UNIX_TYPE) === UNIX_LINK;
		const isEncrypted = (view.getUint16(at + 8, true) & FLAG_ENCRYPTED) !== 0;
		if (isLink || isEncrypted || ![STORED, DEFLATED].includes(entry.method)) {
			refuse(`the entry ${name} is of an unsupported kind`, `la entrada ${name} es de un tipo que no se lee`);
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

/** Undefined for a name that is not a plain relative ASCII path. */
export function decodeName(bytes: Uint8Array): string | undefined {
	const name = String.fromCharCode(...bytes.subarray(0, NAME_BYTES_MAX));
	return bytes.length <= NAME_BYTES_MAX && PLAIN_NAME.test(name) ? name : undefined;
}
