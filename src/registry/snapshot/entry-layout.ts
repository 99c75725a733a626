/**
 * How an entry lies in the section `entries`, at its address × 8:
 *
 *    0   key                          8 bytes, a floating-point number (document-key.ts)
 *    8   ending                       4 bytes
 *   12   length of the name           2 bytes
 *   14   length of the commercial name   2 bytes
 *   16   both names, escaped as JSON has them, UTF-8, filled up with zeros to a multiple of 8
 */

export const UNIT_BYTES = 8;
export const HEAD_BYTES = 16;
/** Units: bytes, escaped. A line of the source cannot hold more. */
export const NAME_BYTES_MAX = 0xffff;

/** The section as it is read: the same bytes as numbers of three sizes. */
export type Entries = {
	readonly keys: Float64Array;
	readonly numbers: Uint32Array;
	readonly bytes: Uint8Array;
};

export function viewEntries(buffer: ArrayBufferLike, offset: number, bytes: number): Entries {
	return {
		keys: new Float64Array(buffer, offset, bytes / UNIT_BYTES),
		numbers: new Uint32Array(buffer, offset, bytes / 4),
		bytes: new Uint8Array(buffer, offset, bytes),
	};
}

export function endingAt({ numbers }: Entries, address: number): number {
	return numbers[2 * address + 2] ?? 0;
}

/** The two lengths in one number, the name's in its lower half. */
export function lengthsAt({ numbers }: Entries, address: number): number {
	return numbers[2 * address + 3] ?? 0;
}

/** The two lengths of what `lengthsAt` tells. Units: bytes. */
export const nameBytesOf = (lengths: number) => lengths & NAME_BYTES_MAX;
export const tradeNameBytesOf = (lengths: number) => lengths >>> 16;

/** How many units an entry with names of so many bytes takes. */
export function countUnits(nameBytes: number, tradeNameBytes: number): number {
	return Math.ceil((HEAD_BYTES + nameBytes + tradeNameBytes) / UNIT_BYTES);
}
