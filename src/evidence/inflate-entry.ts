/** Unpacks one entry of a ZIP, and no more of it than it says that it has. */
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
