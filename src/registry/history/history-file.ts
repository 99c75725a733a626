/**
 * The history of a run's entries: a file beside the run's snapshot, mapped and read in place. It holds what changed until the run, as earlier
 * values that undo the changes, so it belongs to exactly this run's data.
 *
 *   0   magic "SELLOHST"     8 bytes
 *   8   version              4 bytes
 *   12  manifest's length    4 bytes
 *   16  manifest's CRC-32    4 bytes
 *   24  manifest             msgpack: HistoryManifest; the sections follow, each at a multiple of 8 behind it
 *
 *   keys         the numbers that ever changed, as keys (document-key.ts), ascending
 *   starts       number → its first change; one more element closes the last
 *   moments      change → when: index of `moments` in the manifest. Ascending by day within a number, one change a day at most
 *   states       change → text with what the entry held before; 0 if it did not exist
 *   text-starts, texts   text → its JSON: the earlier values of the changed members. Empty once nothing refers to it
 *   slots        open-addressed hash table over the texts: text + 1, 0 if empty; at most half full
 *
 * Ten years with 2,200 changes a day take some 90 MB. A published file is never changed.
 */
import { closeSync, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { pack, unpack } from "msgpackr";
import { ALIGNMENT, type Section, SnapshotError, SnapshotGoneError, toFileId } from "../index/index";

const MAGIC = "SELLOHST";
const VERSION = 1;
const HEADER_BYTES = 24;

/** Which run changed something, and the day at whose end our copy first held it. Units: days since 1970, in UTC-4. */
export type Moment = { readonly day: number; readonly runId: string };

/** From when data are known: the first run's, or those of an older file that the operator imported. */
export type HistoryStart = Moment & { readonly isImported: boolean };

export type HistoryFacts = {
	readonly runId: string;
	/** Ascending; the last one is the first run's own. */
	readonly begins: readonly HistoryStart[];
	/** As in a snapshot's manifest. */
	readonly clearedOf: string;
	readonly moments: readonly Moment[];
};

type HistoryManifest = HistoryFacts & { readonly sections: readonly Section[] };

export type HistoryColumns = {
	readonly keys: Float64Array;
	readonly starts: Uint32Array;
	readonly moments: Uint16Array;
	readonly states: Uint32Array;
	readonly textStarts: Uint32Array;
	readonly texts: Buffer;
	readonly slots: Uint32Array;
};

export type HistoryFile = {
	readonly path: string;
	readonly fileId: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly manifest: HistoryManifest;
	readonly columns: HistoryColumns;
};

const NAMES = {
	keys: "keys",
	starts: "starts",
	moments: "moments",
	states: "states",
	textStarts: "text-starts",
	texts: "texts",
	slots: "slots",
} as const satisfies Record<keyof HistoryColumns, string>;

const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Writes a file that must not exist, and forces it to the disk. */
export function writeHistory(path: string, facts: HistoryFacts, columns: HistoryColumns): void {
	const parts = Object.entries(NAMES).map(([column, name]) => {
		const content = columns[column as keyof HistoryColumns];
		return { name, bytes: new Uint8Array(content.buffer, content.byteOffset, content.byteLength) };
	});
	const describe = (start: number): Section[] => {
		let offset = start;
		return parts.map(({ name, bytes }) => {
			const section = { name, offset, bytes: bytes.length, crc: crc32(bytes) };
			offset = aligned(offset + bytes.length);
			return section;
		});
	};
	const relative = describe(0);
	const { runId, begins, clearedOf, moments } = facts;
	// Offsets count from the end of the manifest, whose length they would otherwise change.
	const manifest = pack({ runId, begins, clearedOf, moments, sections: relative });
	const header = Buffer.alloc(HEADER_BYTES);
	header.write(MAGIC, 0, "latin1");
	header.writeUInt32LE(VERSION, 8);
	header.writeUInt32LE(manifest.length, 12);
	header.writeUInt32LE(crc32(manifest), 16);
	const start = aligned(HEADER_BYTES + manifest.length);
	const file = openSync(path, "wx", 0o600);
	try {
		const put = (bytes: Uint8Array, at: number) => {
			for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
		};
		put(header, 0);
		put(manifest, HEADER_BYTES);
		let end = start;
		parts.forEach(({ bytes }, i) => {
			const offset = start + (relative[i]?.offset ?? 0);
			put(bytes, offset);
			end = aligned(offset + bytes.length);
		});
		// The last section is padded too, so that the length shows a truncated file.
		const [last] = parts.slice(-1);
		const lastEnd = start + (relative.at(-1)?.offset ?? 0) + (last?.bytes.length ?? 0);
		put(new Uint8Array(end - lastEnd), lastEnd);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}

/** Maps a file; checks its header, manifest and length. Throws: SnapshotError. */
export function openHistory(path: string): HistoryFile {
	const refuse = (fault: string): never => {
		throw new SnapshotError(path, fault);
	};
	const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
	if (!facts) throw new SnapshotGoneError(path, "it is gone");
	if (facts.size < HEADER_BYTES) refuse("it is cut off");
	const bytes = Bun.mmap(path, { shared: true });
	const header = Buffer.from(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
	if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) refuse("it does not start like a history");
	const version = header.readUInt32LE(8);
	if (version !== VERSION) refuse(`expected version ${VERSION}, got ${version}`);
	const manifestBytes = header.readUInt32LE(12);
	const packed = bytes.subarray(HEADER_BYTES, HEADER_BYTES + manifestBytes);
	if (packed.length !== manifestBytes || crc32(packed) !== header.readUInt32LE(16)) refuse("its manifest is damaged");
	const stored = unpack(packed) as HistoryManifest;
	const start = aligned(HEADER_BYTES + manifestBytes);
	const sections = stored.sections.map((section) => ({ ...section, offset: start + section.offset }));
	const last = sections.at(-1);
	const length = last ? aligned(last.offset + last.bytes) : start;
	if (length !== bytes.length) refuse(`expected ${length} bytes, got ${bytes.length}`);
	const find = (column: keyof HistoryColumns): Section => {
		const section = sections.find(({ name }) => name === NAMES[column]);
		return section ?? refuse(`it has no section ${NAMES[column]}`);
	};
	const at = (column: keyof HistoryColumns) => bytes.byteOffset + find(column).offset;
	const numbers = (column: keyof HistoryColumns) =>
		new Uint32Array(bytes.buffer, at(column), find(column).bytes / Uint32Array.BYTES_PER_ELEMENT);
	const columns: HistoryColumns = {
		keys: new Float64Array(bytes.buffer, at("keys"), find("keys").bytes / Float64Array.BYTES_PER_ELEMENT),
		starts: numbers("starts"),
		moments: new Uint16Array(bytes.buffer, at("moments"), find("moments").bytes / Uint16Array.BYTES_PER_ELEMENT),
		states: numbers("states"),
		textStarts: numbers("textStarts"),
		texts: Buffer.from(bytes.buffer, at("texts"), find("texts").bytes),
		slots: numbers("slots"),
	};
	return { path, fileId: toFileId(facts), bytes, manifest: { ...stored, sections }, columns };
}

/** Verifies the checksums of all sections. Throws: SnapshotError. */
export function verifyHistory({ path, bytes, manifest }: HistoryFile): void {
	for (const { name, offset, bytes: length, crc } of manifest.sections) {
		if (crc32(bytes.subarray(offset, offset + length)) !== crc)
			throw new SnapshotError(path, `its section ${name} is damaged`);
	}
}

/** The text of a state as JSON; only for states other than 0. */
export function textOf({ textStarts, texts }: Pick<HistoryColumns, "textStarts" | "texts">, state: number): string {
	return texts.toString("utf8", textStarts[state], textStarts[state + 1]);
}

/** The index of a key, or of the next greater one. */
export function findKey(keys: Float64Array, key: number, from = 0): number {
	let low = from;
	let high = keys.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((keys[middle] ?? 0) < key) low = middle + 1;
		else high = middle;
	}
	return low;
}

export function isSameBegin(a: readonly HistoryStart[], b: readonly HistoryStart[]): boolean {
	return a.length === b.length && a.every(({ day, runId }, i) => b[i]?.day === day && b[i]?.runId === runId);
}
