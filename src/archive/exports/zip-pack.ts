/**
 * A ZIP of any size. Entries are stored uncompressed, since sealed objects are compressed already.
 *
 *   local header, name, bytes │ … │ central directory: a record and a name each │ [ZIP64 end, its locator] │ end
 *
 * Model: size and checksum of an entry are known before it is written, so no data descriptor follows it and any program can read the file as a
 * stream. The central directory is written to a file of its own, so a million entries need no memory.
 *
 * Alternatives: `yazl` scans all entries for each new one and holds their bytes until the end; `fflate` has no ZIP64.
 * Source: PKWARE's APPNOTE.TXT, 4.3 and 4.5.3.
 */
import { crc32 } from "node:zlib";
import { type Pack, readPieces, type Sink, type Written } from "./sink";

const PLAIN_VERSION = 10;
const ZIP64_VERSION = 45;
/** Unix, 4.5: its modes are in the external attributes. */
const MADE_BY = (3 << 8) | ZIP64_VERSION;
const MODE = 0o100644;
/** 1980-01-01 as MS-DOS writes dates, which have no time zone. */
const ONE_DAY = (1 << 5) | 1;
const NUMBER_MAX = 0xffff_ffff;
const COUNT_MAX = 0xffff;

type Entry = Pick<Written, "bytes" | "crc"> & { readonly name: Buffer; readonly offset: number };

/** Writes to `sink`; `directory` is an empty file beside it, to be closed and read through `path`. */
export function openZipPack(sink: Sink, directory: Sink & { readonly path: string }): Pack {
	let at = 0;
	let entries = 0;
	const write = async (bytes: Uint8Array) => {
		at += bytes.length;
		await sink.write(bytes);
	};
	async function begin(name: string, { bytes, crc }: Pick<Written, "bytes" | "crc">): Promise<void> {
		if (bytes >= NUMBER_MAX) throw new Error(`${name} has ${bytes} bytes, more than an entry may have`);
		const entry = { name: Buffer.from(name), bytes, crc, offset: at };
		entries++;
		await write(localHeader(entry));
		await directory.write(directoryRecord(entry));
	}
	return {
		async add(name, bytes) {
			await begin(name, { bytes: bytes.length, crc: crc32(bytes) });
			await write(bytes);
		},
		async addFile(name, path, written) {
			await begin(name, written);
			for await (const piece of readPieces(path)) await write(piece);
		},
		async finish() {
			const offset = at;
			const { bytes } = await directory.close();
			for await (const piece of readPieces(directory.path)) await write(piece);
			await write(endOf({ entries, offset, bytes, at }));
		},
	};
}

function localHeader({ name, bytes, crc }: Entry): Buffer {
	const head = Buffer.alloc(30);
	head.writeUInt32LE(0x0403_4b50, 0);
	head.writeUInt16LE(PLAIN_VERSION, 4);
	head.writeUInt16LE(ONE_DAY, 12);
	head.writeUInt32LE(crc, 14);
	head.writeUInt32LE(bytes, 18);
	head.writeUInt32LE(bytes, 22);
	head.writeUInt16LE(name.length, 26);
	return Buffer.concat([head, name]);
}

function directoryRecord({ name, bytes, crc, offset }: Entry): Buffer {
	const isFar = offset >= NUMBER_MAX;
	const head = Buffer.alloc(46);
	head.writeUInt32LE(0x0201_4b50, 0);
	head.writeUInt16LE(MADE_BY, 4);
	head.writeUInt16LE(isFar ? ZIP64_VERSION : PLAIN_VERSION, 6);
	head.writeUInt16LE(ONE_DAY, 14);
	head.writeUInt32LE(crc, 16);
	head.writeUInt32LE(bytes, 20);
	head.writeUInt32LE(bytes, 24);
	head.writeUInt16LE(name.length, 28);
	head.writeUInt16LE(isFar ? 12 : 0, 30);
	head.writeUInt32LE((MODE << 16) >>> 0, 38);
	head.writeUInt32LE(Math.min(offset, NUMBER_MAX), 42);
	if (!isFar) return Buffer.concat([head, name]);
	const far = Buffer.alloc(12);
	far.writeUInt16LE(1, 0);
	far.writeUInt16LE(8, 2);
	far.writeBigUInt64LE(BigInt(offset), 4);
	return Buffer.concat([head, name, far]);
}

type Directory = {
	readonly entries: number;
	readonly offset: number;
	readonly bytes: number;
	/** Where its end is. */
	readonly at: number;
};

function endOf({ entries, offset, bytes, at }: Directory): Buffer {
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x0605_4b50, 0);
	end.writeUInt16LE(Math.min(entries, COUNT_MAX), 8);
	end.writeUInt16LE(Math.min(entries, COUNT_MAX), 10);
	end.writeUInt32LE(Math.min(bytes, NUMBER_MAX), 12);
	end.writeUInt32LE(Math.min(offset, NUMBER_MAX), 16);
	if (entries < COUNT_MAX && bytes < NUMBER_MAX && offset < NUMBER_MAX) return end;
	const far = Buffer.alloc(56);
	far.writeUInt32LE(0x0606_4b50, 0);
	far.writeBigUInt64LE(44n, 4);
	far.writeUInt16LE(MADE_BY, 12);
	far.writeUInt16LE(ZIP64_VERSION, 14);
	far.writeBigUInt64LE(BigInt(entries), 24);
	far.writeBigUInt64LE(BigInt(entries), 32);
	far.writeBigUInt64LE(BigInt(bytes), 40);
	far.writeBigUInt64LE(BigInt(offset), 48);
	const locator = Buffer.alloc(20);
	locator.writeUInt32LE(0x0706_4b50, 0);
	locator.writeBigUInt64LE(BigInt(at), 8);
	locator.writeUInt32LE(1, 16);
	return Buffer.concat([far, locator, end]);
}
