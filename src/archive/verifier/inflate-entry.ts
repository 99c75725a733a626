/** Unpacks one entry of a ZIP, no more of it than it says that it has, and sums it up. */
import { Inflate } from "fflate";

/** A piece of input becomes at most a thousand times as much output before it is looked at. */
const PIECE_BYTES = 4_096;

/** Undefined when the packed bytes are broken, or hold another number of bytes than expected. */
export function inflateEntry(packed: Uint8Array, expectedBytes: number): Uint8Array | undefined {
	const whole = new Uint8Array(expectedBytes);
	let written = 0;
	let isTooLong = false;
	const inflate = new Inflate((piece) => {
		isTooLong ||= written + piece.length > expectedBytes;
		if (!isTooLong) whole.set(piece, written);
		written += piece.length;
	});
	try {
		for (let at = 0; at < packed.length && !isTooLong; at += PIECE_BYTES) {
			inflate.push(packed.slice(at, at + PIECE_BYTES), at + PIECE_BYTES >= packed.length);
		}
	} catch {
		// The library throws on whatever it cannot unpack.
		return undefined;
	}
	return written === expectedBytes ? whole : undefined;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
	let rest = byte;
	for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
	return rest;
});

/** The checksum of ZIP. Source: PKWARE's APPNOTE.TXT, 4.4.7. */
export function crc32(bytes: Uint8Array): number {
	let crc = 0xffffffff;
	for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
	return (crc ^ 0xffffffff) >>> 0;
}
