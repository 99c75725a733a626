/**
 * Whether bytes are whole frames of Zstandard, one behind the other, and nothing else.
 *
 * The runtime's decompressor gives what it has when its input ends within a frame, and passes over what stands behind one, without a word: a
 * body that was cut would be a shorter body. So the frames are counted by what they say of their own lengths; nothing is decompressed here.
 *
 *   magic · descriptor · window? · dictionary? · content size? · blocks (3 bytes: last, type, size) … · checksum?
 *
 * Source: RFC 8878, 3.1.
 */

const FRAME = 0xfd2fb528;
/** The first of sixteen. */
const SKIPPABLE = 0x184d2a50;
const MAGIC_BYTES = 4;
const BLOCK_HEAD_BYTES = 3;
const CHECKSUM_BYTES = 4;
const DICTIONARY_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
/** One byte, to be repeated. */
const RLE_BLOCK = 1;

export function isWholeZstd(bytes: Uint8Array): boolean {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	let at = 0;
	while (at < bytes.length) {
		const end = endOfFrame(view, at);
		if (end === undefined || end > bytes.length) return false;
		at = end;
	}
	return true;
}

/** Where the frame ends that begins there, beyond the bytes perhaps; undefined for what is no frame, or ends too early to tell. */
function endOfFrame(view: DataView, from: number): number | undefined {
	if (from + 2 * MAGIC_BYTES > view.byteLength) return undefined;
	const magic = view.getUint32(from, true);
	if (magic >>> 4 === SKIPPABLE >>> 4) return from + 2 * MAGIC_BYTES + view.getUint32(from + MAGIC_BYTES, true);
	if (magic !== FRAME) return undefined;
	const descriptor = view.getUint8(from + MAGIC_BYTES);
	const isOneSegment = (descriptor & 0x20) !== 0;
	const contentSizeBytes = CONTENT_SIZE_BYTES[descriptor >>> 6] || (isOneSegment ? 1 : 0);
	const headBytes = 1 + (isOneSegment ? 0 : 1) + (DICTIONARY_BYTES[descriptor & 3] ?? 0) + contentSizeBytes;
	const end = endOfBlocks(view, from + MAGIC_BYTES + headBytes);
	return end === undefined ? undefined : end + ((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES);
}

function endOfBlocks(view: DataView, from: number): number | undefined {
	let at = from;
	while (at + BLOCK_HEAD_BYTES <= view.byteLength) {
		const head = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
		at += BLOCK_HEAD_BYTES + (((head >>> 1) & 3) === RLE_BLOCK ? 1 : head >>> 3);
		if ((head & 1) === 1) return at;
	}
	return undefined;
}
