/** A file written from beginning to end in large pieces and measured on the way, and a pack: a file of files. */
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";

export type Written = { readonly bytes: number; readonly sha256: string; readonly crc: number };

export type Sink = {
	/** Awaiting it keeps at most one piece in memory. The bytes must not change afterwards. */
	readonly write: (bytes: Uint8Array) => Promise<void>;
	/** Syncs everything to disk. */
	readonly close: () => Promise<Written>;
	/** Closes the file as it is. Does nothing for a closed one. */
	readonly abandon: () => Promise<void>;
};

const PIECE_BYTES = 256 * 1_024;

/** Creates the file. Throws if it exists. */
export async function openSink(path: string): Promise<Sink> {
	const file = await open(path, "wx", 0o640);
	const hash = createHash("sha256");
	let bytes = 0;
	let crc = 0;
	let waiting: Uint8Array[] = [];
	let waitingBytes = 0;
	let isOpen = true;

	async function flush(): Promise<void> {
		const piece = Buffer.concat(waiting);
		waiting = [];
		waitingBytes = 0;
		hash.update(piece);
		crc = crc32(piece, crc);
		bytes += piece.length;
		await writeWhole(file, piece);
	}
	async function end(): Promise<void> {
		if (!isOpen) return;
		isOpen = false;
		await file.close();
	}
	return {
		async write(part) {
			waiting.push(part);
			waitingBytes += part.length;
			if (waitingBytes >= PIECE_BYTES) await flush();
		},
		async close() {
			await flush();
			await file.sync();
			await end();
			return { bytes, sha256: hash.digest("hex"), crc };
		},
		abandon: end,
	};
}

async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<void> {
	for (let at = 0; at < piece.length; ) at += (await file.write(piece, at, piece.length - at)).bytesWritten;
}

/** Entries written one after another. The same entries in the same order give the same bytes. */
export type Pack = {
	readonly add: (name: string, bytes: Uint8Array) => Promise<void>;
	readonly addFile: (name: string, path: string, written: Written) => Promise<void>;
	readonly finish: () => Promise<void>;
};

/** The date of every entry. The contents have dates of their own. */
export const ONE_DATE = new Date("1980-01-01T00:00:00Z");

export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
	for await (const piece of Bun.file(path).stream()) yield piece;
}
