/**
 * Writes a snapshot file front to back. The header comes last, so that an incomplete file never opens. It is written in aligned pieces: a
 * file system that can keeps such a piece in one huge page. A process that maps the file then needs one page-table entry instead of 512.
 */

import { closeSync, fsync, fsyncSync, openSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { pack } from "msgpackr";
import { ALIGNMENT, FOOTER_BYTES, HEADER_BYTES, MAGIC, type Manifest, type Section, VERSION } from "../../index/index";

export type SnapshotWriter = {
	readonly write: (name: string, content: Uint8Array | Uint16Array | Uint32Array | Float64Array) => void;
	/** Starts a section whose pieces follow; the returned `end` completes it. */
	readonly begin: (name: string) => { readonly append: (bytes: Uint8Array) => void; readonly end: () => void };
	/** What is written so far; the file reaches at least to its end. Call it before another writer continues. */
	readonly part: () => WrittenPart;
	readonly finish: (manifest: Omit<Manifest, "sections">) => void;
	readonly force: () => void;
	/** The same without blocking the thread. Do not close the file before it settles. */
	readonly forceAside: () => Promise<void>;
	/** Closes the file, after a failure too. */
	readonly close: () => void;
};

const PIECE_BYTES = 2 * 1024 * 1024;

/** The sections of an incomplete file. Another writer can continue after them, even in another thread. */
export type WrittenPart = { readonly sections: readonly Section[]; readonly end: number };

/** Creates a file that must not exist, or continues one. */
export function createSnapshotWriter(path: string, part?: WrittenPart): SnapshotWriter {
	const file = openSync(path, part ? "r+" : "wx", 0o600);
	const sections: Section[] = [...(part?.sections ?? [])];
	const put = (bytes: Uint8Array, at: number): void => {
		for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
	};
	const stream = createPieceStream(put, part?.end);
	if (!part) stream.append(new Uint8Array(HEADER_BYTES));
	const align = (): number => {
		stream.append(new Uint8Array(-stream.end() & (ALIGNMENT - 1)));
		return stream.end();
	};
	const begin = (name: string) => {
		const start = align();
		let crc = 0;
		return {
			append: (bytes: Uint8Array) => {
				stream.append(bytes);
				crc = crc32(bytes, crc);
			},
			end: () => {
				sections.push({ name, offset: start, bytes: stream.end() - start, crc });
			},
		};
	};
	return {
		begin,
		part: () => {
			stream.flush();
			return { sections, end: stream.end() };
		},
		write: (name, content) => {
			const section = begin(name);
			section.append(new Uint8Array(content.buffer, content.byteOffset, content.byteLength));
			section.end();
		},
		finish: (facts) => {
			const manifest: Manifest = { ...facts, sections };
			const packed = pack(manifest);
			const manifestAt = align();
			const header = Buffer.alloc(HEADER_BYTES);
			header.write(MAGIC, 0, "latin1");
			header.writeUInt32LE(VERSION, 8);
			header.writeUInt32LE(packed.length, 12);
			header.writeDoubleLE(manifestAt, 16);
			header.writeDoubleLE(manifestAt + packed.length + FOOTER_BYTES, 24);
			const footer = Buffer.alloc(FOOTER_BYTES);
			footer.writeUInt32LE(crc32(packed), 0);
			footer.writeUInt32LE(crc32(header), 4);
			footer.write(MAGIC, 8, "latin1");
			stream.append(packed);
			stream.append(footer);
			stream.flush();
			put(header, 0);
		},
		force: () => fsyncSync(file),
		forceAside: () => promisify(fsync)(file),
		close: () => closeSync(file),
	};
}

/** Forwards appended bytes in whole pieces, and the remainder when flushed. Starts at offset `end`. */
function createPieceStream(put: (bytes: Uint8Array, at: number) => void, end = 0) {
	const piece = new Uint8Array(PIECE_BYTES);
	/** Everything up to here is forwarded; the remainder is in the piece. */
	let putEnd = end;
	const flush = () => {
		const from = putEnd % PIECE_BYTES;
		put(piece.subarray(from, from + end - putEnd), putEnd);
		putEnd = end;
	};
	return {
		append: (bytes: Uint8Array) => {
			for (let done = 0; done < bytes.length; ) {
				const from = end % PIECE_BYTES;
				const left = bytes.length - done;
				const isWhole = from === 0 && left >= PIECE_BYTES;
				const size = isWhole ? left - (left % PIECE_BYTES) : Math.min(left, PIECE_BYTES - from);
				const taken = bytes.subarray(done, done + size);
				end += size;
				done += size;
				if (isWhole) {
					put(taken, putEnd);
					putEnd = end;
				} else {
					piece.set(taken, from);
					if (end % PIECE_BYTES === 0) flush();
				}
			}
		},
		flush,
		end: () => end,
	};
}
