/** What each byte is in a cell, by the source's encoding: tables that are made once for all lines. */
import { decodeText, type Encoding } from "./encoding";
import type { Format } from "./format";
import { countSpanish, isHint } from "./garbled";

export const SPACE = 0x20;
export const QUOTE = 0x22;
export const BAR = 0x7c;

/** What a byte is in a cell, ascending by what it takes to go on. */
export const PLAIN = 0;
/** Ends a character beyond ASCII; what is copied is in `letters`. */
export const LETTER = 1;
export const BLANK = 2;
/** Dropped, or the end of a cell. */
export const MARK = 3;
export const NEEDS_CARE = 4;

/** Byte → what it is. */
export function effectsOf(format: Format): Uint8Array {
	const effects = new Uint8Array(256);
	for (let byte = 0; byte < 256; byte++) {
		if (byte < SPACE || byte === 0x7f) effects[byte] = NEEDS_CARE;
		else if (byte >= 0x80) effects[byte] = effectBeyondAscii(byte, format.encoding);
	}
	effects[SPACE] = BLANK;
	effects[QUOTE] = MARK;
	if (format.name === "text") effects[BAR] = MARK;
	return effects;
}

/** The first byte of nearly all characters of names beyond ASCII in UTF-8: the second one tells them apart. */
const LEAD_OF_LETTERS = 0xc3;
/** The first bytes of characters among which UTF-8 has white space and controls. */
const LEADS_OF_CARE = [0xc2, 0xe1, 0xe2, 0xe3, 0xef];
const careOfUtf8 = new Set([...LEADS_OF_CARE, ...listHintBytes()]);

/** The byte that gives a hint of a wrong decoding away; characters of three bytes have a lead of care. */
function listHintBytes(): number[] {
	const characters = Array.from({ length: 0x780 }, (_, i) => String.fromCharCode(0x80 + i));
	return characters.filter(isHint).map((character) => {
		const [lead = 0, second = 0] = Buffer.from(character);
		return lead === LEAD_OF_LETTERS ? second : lead;
	});
}

function effectBeyondAscii(byte: number, encoding: Encoding): number {
	if (encoding === "utf-8") return careOfUtf8.has(byte) ? NEEDS_CARE : isSpanishEnd(byte) ? LETTER : PLAIN;
	const letter = decodeText(Uint8Array.of(byte), encoding);
	return /^[^\s\p{C}]$/u.test(letter) && !isHint(letter) ? LETTER : NEEDS_CARE;
}

/** Whether a letter of Spanish ends with this byte in UTF-8. */
function isSpanishEnd(byte: number): boolean {
	return countSpanish(Buffer.of(LEAD_OF_LETTERS, byte).toString()) > 0;
}

/** Byte → 1 where it is a letter of Spanish beyond ASCII, or the end of one. */
export function spanishBytesOf(encoding: Encoding): Uint8Array {
	return Uint8Array.from({ length: 256 }, (_, byte) => {
		if (encoding === "utf-8") return isSpanishEnd(byte) ? 1 : 0;
		return countSpanish(decodeText(Uint8Array.of(byte), encoding));
	});
}

/** Byte → its letter in UTF-8, at most three bytes of it, the first one lowest. */
export function lettersOf(encoding: Encoding): Uint32Array {
	if (encoding === "utf-8") return Uint32Array.from({ length: 256 }, (_, byte) => byte);
	return Uint32Array.from({ length: 256 }, (_, byte) => {
		const bytes = Buffer.from(decodeText(Uint8Array.of(byte), encoding));
		return bytes.reduceRight((packed, part) => packed * 0x100 + part, 0);
	});
}
