/**
 * Texts as compressed bytes, for columns that are written once and rarely read.
 *
 *     0x01, then for each frame:  length (u32)  zstd of { count (u32)  length of each text (u32 each)  the texts in UTF-8 }
 *
 * Numbers are little-endian, lengths are bytes. Each frame is compressed for itself, so that a thread can make one and another thread add its own.
 */

/** The first byte; another form gets another one. */
const CODEC = 1;
/** Higher levels save a few bytes in a hundred and take several times as long. */
const LEVEL = 1;

/** Compresses texts that are read together. */
export function packFrame(texts: readonly string[]): Uint8Array {
	const parts = texts.map((text) => Buffer.from(text));
	const head = Buffer.allocUnsafe(4 + 4 * parts.length);
	head.writeUInt32LE(parts.length);
	for (const [i, part] of parts.entries()) head.writeUInt32LE(part.length, 4 + 4 * i);
	return Bun.zstdCompressSync(Buffer.concat([head, ...parts]), { level: LEVEL });
}

export function joinFrames(frames: readonly Uint8Array[]): Uint8Array {
	const pieces: Uint8Array[] = [Uint8Array.of(CODEC)];
	for (const frame of frames) {
		const length = Buffer.allocUnsafe(4);
		length.writeUInt32LE(frame.length);
		pieces.push(length, frame);
	}
	return Buffer.concat(pieces);
}

/** The compressed frames of a column, in their order. Throws: Error for bytes of another form. */
export function splitFrames(body: Uint8Array): Uint8Array[] {
	if (body[0] !== CODEC)
		throw new Error(`packed texts begin with the byte ${body[0]}, which this version does not know`);
	const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
	const frames: Uint8Array[] = [];
	for (let at = 1; at < bytes.length; ) {
		const end = at + 4 + bytes.readUInt32LE(at);
		if (end > bytes.length) throw new Error("packed texts end within a frame");
		frames.push(bytes.subarray(at + 4, end));
		at = end;
	}
	return frames;
}

/** The texts of one frame. Throws: Error for bytes of another form. */
export function unpackFrame(frame: Uint8Array): string[] {
	const bytes = Bun.zstdDecompressSync(frame);
	const count = bytes.readUInt32LE(0);
	const texts: string[] = [];
	let at = 4 + 4 * count;
	for (let i = 0; i < count; i++) {
		const end = at + bytes.readUInt32LE(4 + 4 * i);
		texts.push(bytes.toString("utf8", at, end));
		at = end;
	}
	return texts;
}
