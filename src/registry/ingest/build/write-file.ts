/**
 * Writes a snapshot file front to back; the header comes last, so that a file which was left half-written never opens.
 *
 * It is written in whole pieces that begin at multiples of their size, because a file system that can keeps such a piece in one huge page,
 * and whoever maps the file then needs one entry of the processor's page table where 512 would hardly stay in its caches.
 */

import { closeSync, fsync, fsyncSync, openSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { pack } from "msgpackr";
import { ALIGNMENT, FOOTER_BYTES, HEADER_BYTES, MAGIC, type Manifest, type Section, VERSION } from "../../index/index";

export type SnapshotWriter = {
	/** Writes a whole section. */
	readonly write: (name: string, content: Uint8Array | Uint16Array | Uint32Array | Float64Array) => void;
	/** Begins a section whose pieces follow; the answer ends it. */
	readonly begin: (name: string) => { readonly append: (bytes: Uint8Array) => void; readonly end: () => void };
	/** What is written so far; the file reaches at least to its end. Call it before another writer goes on. */
	readonly part: () => WrittenPart;
	/** Writes manifest, footer and header. */
	readonly finish: (manifest: Omit<Manifest, "sections">) => void;
	/** Forces all to the disk. */
	readonly force: () => void;
	/** The same beside what the thread does meanwhile; before it is done, the file must not be closed. */
	readonly forceAside: () => Promise<void>;
	/** Closes the file; also after a failure. */
	readonly close: () => void;
};

/** A huge page of the processors that this runs on. */
const PIECE_BYTES = 2 * 1024 * 1024;

/** The sections of a file that is not finished; another writer, in another thread too, can go on behind them. */
export type WrittenPart = { readonly sections: readonly Section[]; readonly end: number };

/** Begins a file that must not exist, or goes on with one. */
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

/** Passes on what is appended in whole pieces, and what fills none when it is flushed. It begins at `end`. */
function createPieceStream(put: (bytes: Uint8Array, at: number) => void, end = 0) {
	const piece = new Uint8Array(PIECE_BYTES);
	/** Up to here everything is put; the rest stands in the piece. */
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
