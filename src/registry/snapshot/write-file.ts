/** Writes a snapshot file front to back; the header comes last, so that a file which was left half-written never opens. */
import { closeSync, fstatSync, fsync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { pack } from "msgpackr";
import { ALIGNMENT, FOOTER_BYTES, HEADER_BYTES, MAGIC, type Manifest, type Section, VERSION } from "./format";

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

/** The sections of a file that is not finished; another writer, in another thread too, can go on behind them. */
export type WrittenPart = { readonly sections: readonly Section[]; readonly end: number };

/** Begins a file that must not exist, or goes on with one. */
export function createSnapshotWriter(path: string, part?: WrittenPart): SnapshotWriter {
	const file = openSync(path, part ? "r+" : "wx", 0o600);
	const sections: Section[] = [...(part?.sections ?? [])];
	let offset = part?.end ?? HEADER_BYTES;
	const put = (bytes: Uint8Array, at: number): void => {
		for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
	};
	const begin = (name: string) => {
		const start = Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
		let crc = 0;
		offset = start;
		return {
			append: (bytes: Uint8Array) => {
				put(bytes, offset);
				crc = crc32(bytes, crc);
				offset += bytes.length;
			},
			end: () => {
				sections.push({ name, offset: start, bytes: offset - start, crc });
			},
		};
	};
	return {
		begin,
		part: () => {
			// An empty section at the end has a place and no byte: the file must reach that far to be viewed before anything stands behind.
			if (fstatSync(file).size < offset) ftruncateSync(file, offset);
			return { sections, end: offset };
		},
		write: (name, content) => {
			const section = begin(name);
			section.append(new Uint8Array(content.buffer, content.byteOffset, content.byteLength));
			section.end();
		},
		finish: (facts) => {
			const manifest: Manifest = { ...facts, sections };
			const packed = pack(manifest);
			const manifestAt = Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
			put(packed, manifestAt);
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
			put(footer, manifestAt + packed.length);
			put(header, 0);
		},
		force: () => fsyncSync(file),
		forceAside: () => promisify(fsync)(file),
		close: () => closeSync(file),
	};
}
