/**
 * Memory for what lives for one signature: taken again and again, so that the collector has less to do.
 * What it gives is valid until the next call; nothing secret goes through it.
 */

/** Most documents fit; larger ones get memory of their own. */
const KEPT_BYTES = 256 * 1024;
const encoder = new TextEncoder();

export type Scratch = {
	/** The text's UTF-8 bytes. */
	readonly encode: (text: string) => Uint8Array;
	readonly join: (first: Uint8Array, second: Uint8Array) => Buffer;
};

export function createScratch(): Scratch {
	const kept = Buffer.allocUnsafeSlow(KEPT_BYTES);
	return {
		encode(text) {
			// A UTF-16 unit becomes three bytes at most.
			if (text.length * 3 > KEPT_BYTES) return encoder.encode(text);
			return kept.subarray(0, encoder.encodeInto(text, kept).written);
		},
		join(first, second) {
			const length = first.length + second.length;
			if (length > KEPT_BYTES) return Buffer.concat([first, second]);
			kept.set(first);
			kept.set(second, first.length);
			return kept.subarray(0, length);
		},
	};
}
