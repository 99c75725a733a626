/**
 * Reads a file that was verified once against its checksums again, piece by piece: without a piece more of memory than one, and with
 * whatever pause the caller makes between them.
 */
import { type FileHandle, open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { type Section, SnapshotError } from "./format";
import { type Snapshot, toFileId } from "./open";

const PIECE_BYTES = 1 << 20;
/** The same for the thread that serves: a piece takes it a tenth of a millisecond. */
const SERVING_PIECE_BYTES = 1 << 18;

/** What of a file is needed to verify it. */
export type PiecesOf = Pick<Snapshot, "path" | "fileId"> & { readonly sections: readonly Section[] };

/**
 * Verifies the file at its path. It is read and not mapped, so that its pages stay the system's and none becomes memory of this process.
 * False when the path has no file any more, or another one. Throws: SnapshotError for bytes that are others or that the disk does not give, the signal's
 * reason when that gives up, and what kept it from reading otherwise: a shortage says nothing of the file.
 */
export async function verifyFile(file: PiecesOf, signal: AbortSignal): Promise<boolean> {
	const { path } = file;
	const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return undefined;
		throw error;
	});
	if (!handle) return false;
	try {
		if (toFileId(await handle.stat({ bigint: true })) !== file.fileId) return false;
		const piece = Buffer.allocUnsafe(PIECE_BYTES);
		await verifyPieces(file, PIECE_BYTES, async (offset, length) => {
			signal.throwIfAborted();
			return piece.subarray(0, await readWhole(handle, path, piece.subarray(0, length), offset));
		});
		return true;
	} finally {
		await handle.close();
	}
}

/** As many bytes as there are; a read may give fewer at a time. */
async function readWhole(handle: FileHandle, path: string, piece: Buffer, offset: number): Promise<number> {
	let read = 0;
	while (read < piece.length) {
		const { bytesRead } = await handle
			.read(piece, read, piece.length - read, offset + read)
			.catch((error: NodeJS.ErrnoException) => {
				throw error.code === "EIO" ? new SnapshotError(path, "the disk cannot read it") : error;
			});
		if (bytesRead === 0) break;
		read += bytesRead;
	}
	return read;
}

/** Verifies what this process has mapped, in the thread that serves from it: the only way once its file has no name. Throws alike. */
export async function verifyMapped({ path, fileId, bytes, manifest }: Snapshot, signal: AbortSignal): Promise<void> {
	await verifyPieces({ path, fileId, sections: manifest.sections }, SERVING_PIECE_BYTES, async (offset, length) => {
		await setImmediate();
		signal.throwIfAborted();
		return bytes.subarray(offset, offset + length);
	});
}

async function verifyPieces(
	{ path, sections }: PiecesOf,
	pieceBytes: number,
	read: (offset: number, length: number) => Promise<Uint8Array>,
): Promise<void> {
	for (const { name, offset, bytes, crc } of sections) {
		let found = 0;
		for (let at = 0; at < bytes; at += pieceBytes) {
			found = crc32(await read(offset + at, Math.min(pieceBytes, bytes - at)), found);
		}
		if (found !== crc) throw new SnapshotError(path, `its section ${name} is damaged`);
	}
}
