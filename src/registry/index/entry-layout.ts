/**
 * How an entry lies in the section `entries`, at its address × 8:
 *
 *    0   key                 8 bytes, a floating-point number (document-key.ts)
 *    8   ending              4 bytes
 *   12   length of the text  4 bytes
 *   16   text                its JSON up to the end of the commercial name, UTF-8, filled up with zeros to a multiple of 8
 *
 *   text   {"rnc":"131880681","name":"COMERCIAL GONZALEZ SRL","trade_name":"GONZALEZ
 *   ending                                                                          ","economic_activity":"…","status":"…","payment_regime":"…"}
 *
 * The text is kept ready, labels and number too: two copies make an answer, and they cost half of what writing the parts one by one did.
 */

const UNIT_BITS = 3;
export const UNIT_BYTES = 1 << UNIT_BITS;
export const HEAD_BYTES = 16;

/** The section as it is read: the same bytes as numbers of three sizes. */
export type Entries = {
	readonly keys: Float64Array;
	readonly numbers: Uint32Array;
	readonly bytes: Buffer;
};

export function viewEntries(buffer: ArrayBuffer, offset: number, bytes: number): Entries {
	return {
		keys: new Float64Array(buffer, offset, bytes / UNIT_BYTES),
		numbers: new Uint32Array(buffer, offset, bytes / 4),
		bytes: Buffer.from(buffer, offset, bytes),
	};
}

export function endingAt({ numbers }: Entries, address: number): number {
	return numbers[2 * address + 2] ?? 0;
}

/** Units: bytes. */
export function textBytesAt({ numbers }: Entries, address: number): number {
	return numbers[2 * address + 3] ?? 0;
}

/** How many units an entry with a text of so many bytes takes. */
export function countUnits(textBytes: number): number {
	// Not by division: what that gives stays a floating-point number, and all that is computed from it.
	return (HEAD_BYTES + textBytes + UNIT_BYTES - 1) >>> UNIT_BITS;
}
