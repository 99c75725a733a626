/**
 * A tar, compressed with zstd. Entries are written one at a time: `add` resolves when tar, compressor and file have taken the entry.
 *
 * The compressor gets pieces of one size, so its output does not depend on how the stream was cut.
 */
import { once } from "node:events";
import { constants, createZstdCompress } from "node:zlib";
import { ONE_DATE, type Pack, readPieces, type Sink } from "./sink";

const PIECE_BYTES = 256 * 1_024;
const LEVEL = 3;
const MODE = 0o644;

export async function openTarPack(sink: Sink): Promise<Pack> {
	// Loaded on demand: most exports are ZIP files, and most processes make none.
	const { pack: createTar } = await import("tar-stream");
	const tar = createTar();
	const zstd = createZstdCompress({
		params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
	});
	const compressed = (async () => {
		for await (const piece of zstd) await sink.write(piece);
	})();
	const cut = (async () => {
		for await (const piece of inPieces(tar)) if (!zstd.write(piece)) await once(zstd, "drain");
		zstd.end();
	})();
	const flowing = Promise.all([compressed, cut]);
	// The entry in work, and whatever awaits it, ends with the error.
	flowing.catch((error: unknown) => {
		zstd.destroy();
		tar.destroy(error instanceof Error ? error : new Error(String(error)));
	});
	function begin(
		name: string,
		bytes: number,
	): { readonly entry: ReturnType<typeof tar.entry>; readonly taken: Promise<void> } {
		const { promise: taken, resolve, reject } = Promise.withResolvers<void>();
		const entry = tar.entry({ name, size: bytes, mode: MODE, uid: 0, gid: 0, mtime: ONE_DATE }, (error) => {
			if (error) reject(error);
			else resolve();
		});
		// `taken` rejects with the same error.
		entry.on("error", () => undefined);
		return { entry, taken };
	}
	return {
		async add(name, bytes) {
			const { entry, taken } = begin(name, bytes.length);
			entry.end(Buffer.from(bytes));
			await taken;
		},
		async addFile(name, path, { bytes }) {
			const { entry, taken } = begin(name, bytes);
			for await (const piece of readPieces(path)) if (!entry.write(piece)) await once(entry, "drain");
			entry.end(null);
			await taken;
		},
		async finish() {
			tar.finalize();
			await flowing;
		},
	};
}

async function* inPieces(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
	let waiting: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of stream) {
		if (!(chunk instanceof Uint8Array)) throw new Error("expected a tar of bytes");
		waiting.push(chunk);
		bytes += chunk.length;
		if (bytes < PIECE_BYTES) continue;
		const all = Buffer.concat(waiting);
		const whole = all.length - (all.length % PIECE_BYTES);
		for (let at = 0; at < whole; at += PIECE_BYTES) yield all.subarray(at, at + PIECE_BYTES);
		waiting = [all.subarray(whole)];
		bytes = all.length - whole;
	}
	const rest = Buffer.concat(waiting);
	if (rest.length > 0) yield rest;
}
