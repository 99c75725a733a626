/**
 * The encodings of the authority's files. They are single-byte code pages without any label: mostly Windows-1252, sometimes cp850,
 * sometimes one with lines of the other. UTF-8 is recognised too, for converted files.
 */

import { isUtf8 } from "node:buffer";
import { SourceError } from "./source-error";

export type Encoding = "utf-8" | "windows-1252" | "cp850";

/** Upper-case Spanish letters `Á É Í Ó Ú Ñ Ü` in each page. cp850's `Ú` is omitted, because it is `é` in the other page. */
const windowsLetters = [0xc1, 0xc9, 0xcd, 0xd3, 0xda, 0xd1, 0xdc];
const cp850Letters = [0xb5, 0x90, 0xd6, 0xe0, 0xa5, 0x9a];
/** Byte → its vote: positive for Windows-1252, negative for cp850. */
const votes = Int8Array.from({ length: 256 }, (_, byte) =>
	windowsLetters.includes(byte) ? 1 : cp850Letters.includes(byte) ? -1 : 0,
);
/** None of these bits is set in four ASCII bytes. */
const BEYOND_ASCII = 0x80808080 | 0;

/** Letters are counted in at most this much of a source. */
export const SAMPLE_BYTES = 8 * 1024 * 1024;

/**
 * Detects the code page from the letters that the bytes would spell. Throws: SourceError `refused` for damaged UTF-8, whose accents would
 * read as other letters in any page.
 */
export function sniffEncoding(bytes: Uint8Array): Encoding {
	if (isUtf8(bytes)) return "utf-8";
	const { letters, strays } = countUtf8(bytes);
	if (letters > strays) {
		throw new SourceError("refused", "the source is UTF-8 with invalid bytes: its encoding is damaged");
	}
	return countVotes(bytes.subarray(0, SAMPLE_BYTES)) < 0 ? "cp850" : "windows-1252";
}

function countVotes(bytes: Uint8Array): number {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	let sum = 0;
	for (let i = 0; i < bytes.length; i += 4) {
		const isWhole = i + 4 <= bytes.length;
		if (isWhole && (view.getInt32(i, true) & BEYOND_ASCII) === 0) continue;
		const stop = isWhole ? i + 4 : bytes.length;
		for (let at = i; at < stop; at++) sum += votes[view.getUint8(at)] ?? 0;
	}
	return sum;
}

/** Counts letters beyond ASCII in UTF-8 and stray bytes, in a sample or up to the first of either. */
function countUtf8(bytes: Uint8Array): { readonly letters: number; readonly strays: number } {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	let letters = 0;
	let strays = 0;
	for (let i = 0; i < bytes.length && (i < SAMPLE_BYTES || letters + strays === 0); ) {
		if (i + 4 <= bytes.length && (view.getInt32(i, true) & BEYOND_ASCII) === 0) {
			i += 4;
			continue;
		}
		const length = utf8LengthAt(bytes, i);
		if (length > 1) letters++;
		else if (length === 0) strays++;
		i += Math.max(length, 1);
	}
	return { letters, strays };
}

/** Length of the letter that starts there; 0 if none does. Units: bytes. */
function utf8LengthAt(bytes: Uint8Array, at: number): number {
	const first = bytes[at] ?? 0;
	const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
	for (let i = at + 1; i < at + length; i++) if (((bytes[i] ?? 0) & 0xc0) !== 0x80) return 0;
	return length;
}

// Source: code page 850, 0x80 to 0xFF.
const CP850 =
	"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";
// Source: code page 1252, 0x80 to 0x9F. Five codes are undefined.
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

const cp850Of = (code: number) => CP850[code - 0x80] ?? "";

/** A code that Windows-1252 leaves undefined, or `¥`, which occurs in no name, indicates a line of the other page. */
function windowsOf(code: number): string {
	if (code === 0xa5) return cp850Of(code);
	const letter = WINDOWS_1252[code - 0x80] ?? String.fromCharCode(code);
	return letter.charCodeAt(0) === code && code < 0xa0 ? cp850Of(code) : letter;
}

/** Decodes bytes. Single-byte pages never fail. UTF-8 must have been checked as a whole and must not be cut inside a character. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string {
	if (encoding === "utf-8") return new TextDecoder().decode(bytes);
	const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
	if (encoding === "cp850") return text.replace(/[\x80-\xff]/g, (letter) => cp850Of(letter.charCodeAt(0)));
	return text.replace(/[\x80-\x9f\xa5]/g, (letter) => windowsOf(letter.charCodeAt(0)));
}

/**
 * Text that a wrong decoding has garbled. Its accents have become other valid characters, so only combinations reveal the mistake.
 * Characters of real names pass anywhere: `É Ñ Ü ´ ª º &`, and a foreign `Ã`, `Â` or `Ö` before a plain letter, as in `SÃO`.
 *
 * Gap: text that looks like another name is not detected, such as `?` for every accent (`DOMINO?S` is the authority's own) or an `Í` that
 * became `Ö`.
 */

const continuationBytes = Uint8Array.from({ length: 0x40 }, (_, i) => 0x80 + i);
/** The second byte of a UTF-8 letter, read in a single-byte page; `?` if that page does not define it. */
const seconds = `${decodeText(continuationBytes, "windows-1252")}${Buffer.from(continuationBytes).toString("latin1")}?`;
/** What letters of one page look like in another: cp850, cp437 and Mac Roman read as Windows-1252; Windows-1252 read as cp850. */
const symbols = "¥¤¡¢£±¾µÐ‚„‡ƒ";
/** Small letters in place of capitals: cp850's `Ó` and `Ü`. `é`, in place of `Ú`, is omitted because it is too frequent. */
const smallLetters = "àš";

const garbled = new RegExp(
	[
		`[ÃÂ][${seconds.replace(/[\]\\^-]/g, "\\$&")}]`,
		"â€",
		"ï¿½",
		"\ufffd",
		`(?<=\\p{L})[${symbols}](?=\\p{L})`,
		`(?<=\\p{Lu})[${smallLetters}](?=\\p{Lu})`,
		// UTF-8 and Windows-1252 read as cp850: no name has box-drawing characters.
		"[\u2500-\u259f]",
	].join("|"),
	"u",
);
/** A text without any of these is not garbled. */
const hint = new RegExp(`[ÃÂ€½\ufffd\u2500-\u259f${symbols}${smallLetters}]`, "u");

const spanish = /[ÁÉÍÓÚÑÜáéíóúñü]/g;

export function isGarbled(text: string): boolean {
	return garbled.test(text);
}

/** Whether a text with this character must be checked. */
export function isHint(character: string): boolean {
	return hint.test(character);
}

/** Counts Spanish letters beyond ASCII, which a correctly decoded source has. */
export function countSpanish(text: string): number {
	return text.match(spanish)?.length ?? 0;
}
