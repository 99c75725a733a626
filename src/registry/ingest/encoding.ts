/**
 * The code pages of the authority's files. They are single-byte and say nothing of themselves: mostly Windows-1252, sometimes
 * cp850, sometimes one with lines of the other. UTF-8 is recognised too, for files that somebody has converted.
 */
import { isUtf8 } from "node:buffer";

export type Encoding = "utf-8" | "windows-1252" | "cp850";

/** Upper-case letters of Spanish: `Á É Í Ó Ú Ñ Ü` in each page. `Ú` of cp850 is left out: in the other page it is `é`. */
const windowsLetters = [0xc1, 0xc9, 0xcd, 0xd3, 0xda, 0xd1, 0xdc];
const cp850Letters = [0xb5, 0x90, 0xd6, 0xe0, 0xa5, 0x9a];
/** Byte → what it says: more than 0 for Windows-1252, less for cp850. */
const votes = Int8Array.from({ length: 256 }, (_, byte) =>
	windowsLetters.includes(byte) ? 1 : cp850Letters.includes(byte) ? -1 : 0,
);
/** Four bytes of which none is beyond ASCII have none of these bits. */
const BEYOND_ASCII = 0x80808080 | 0;

/** Letters are counted in so much of a source. */
export const SAMPLE_BYTES = 8 * 1024 * 1024;

/** Which page the bytes are in, by the letters that they would spell. */
export function sniffEncoding(bytes: Uint8Array): Encoding {
	if (isUtf8(bytes)) return "utf-8";
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

// Source: code page 850, 0x80 to 0xFF.
const CP850 =
	"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";
// Source: code page 1252, 0x80 to 0x9F. Five codes mean nothing there.
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

const cp850Of = (code: number) => CP850[code - 0x80] ?? "";

/** A code that Windows-1252 leaves empty, or `¥`, which stands in no name here, betrays a line of the other page. */
function windowsOf(code: number): string {
	if (code === 0xa5) return cp850Of(code);
	const letter = WINDOWS_1252[code - 0x80] ?? String.fromCharCode(code);
	return letter.charCodeAt(0) === code && code < 0xa0 ? cp850Of(code) : letter;
}

/** Bytes to text. Single-byte pages never fail. UTF-8 has been checked as a whole; it must not be cut inside a character. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string {
	if (encoding === "utf-8") return new TextDecoder().decode(bytes);
	const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
	if (encoding === "cp850") return text.replace(/[\x80-\xff]/g, (letter) => cp850Of(letter.charCodeAt(0)));
	return text.replace(/[\x80-\x9f\xa5]/g, (letter) => windowsOf(letter.charCodeAt(0)));
}
