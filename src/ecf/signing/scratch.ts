/**
 * Memory for what lives for one signature: taken again and again, so that the collector has less to do.
 * What it gives is valid until the next call; nothing secret goes through it.
 */

/** Most documents fit; larger ones get memory of their own. */
const KEPT_BYTES = 256 * 1024;
const encoder = new TextEncoder();

type Scratch = {
	/** The text's UTF-8 bytes. */
	readonly encode: (text: string) => Buffer;
	/** Bytes without those from `start` to `end`, and without those before `from`. */
	readonly cut: (bytes: Buffer, from: number, start: number, end: number) => Buffer;
	/** What base64 says; empty for a text that would not fit. */
	readonly decode: (base64: string) => Buffer;
};

export function createScratch(): Scratch {
	const kept = Buffer.allocUnsafeSlow(KEPT_BYTES);
	return {
		encode(text) {
			// A UTF-16 unit becomes three bytes at most.
			if (text.length * 3 > KEPT_BYTES) return Buffer.from(text);
			return kept.subarray(0, encoder.encodeInto(text, kept).written);
		},
		cut(bytes, from, start, end) {
			const length = start - from + bytes.length - end;
			if (length > KEPT_BYTES) return Buffer.concat([bytes.subarray(from, start), bytes.subarray(end)]);
			bytes.copy(kept, 0, from, start);
			bytes.copy(kept, start - from, end);
			return kept.subarray(0, length);
		},
		decode(base64) {
			return kept.subarray(0, base64.length > KEPT_BYTES ? 0 : kept.write(base64, 0, "base64"));
		},
	};
}
