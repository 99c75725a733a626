/**
 * What a wrong decoding leaves of a name. The accents of such a source are other characters, each of them a proper one, so nothing but
 * their company tells that somebody has read bytes as what they were not.
 *
 * Characters of real names are let through wherever they stand: `É Ñ Ü ´ ª º &`, and a foreign `Ã`, `Â` or `Ö` before a plain letter, as in `SÃO`.
 *
 * Gap: what looks like another name is not seen, such as `?` for every accent (`DOMINO?S` is the authority's own) or an `Í` that became `Ö`.
 */
import { decodeText } from "./encoding";

const continuationBytes = Uint8Array.from({ length: 0x40 }, (_, i) => 0x80 + i);
/** The second byte of a letter of UTF-8, read in a single-byte page; `?` where that page has nothing for it. */
const seconds = `${decodeText(continuationBytes, "windows-1252")}${Buffer.from(continuationBytes).toString("latin1")}?`;
/** Where the letters of one page lie in the other: cp850, cp437 and Mac Roman read as Windows-1252, Windows-1252 read as cp850. */
const symbols = "¥¤¡¢£±¾µÐ‚„‡ƒ";
/** Small letters that stand for capitals: `Ó` and `Ü` of cp850. `é`, which stands for `Ú`, is left out: it is too frequent to be looked at. */
const smallLetters = "àš";

const garbled = new RegExp(
	[
		`[ÃÂ][${seconds.replace(/[\]\\^-]/g, "\\$&")}]`,
		"â€",
		"ï¿½",
		"\ufffd",
		`(?<=\\p{L})[${symbols}](?=\\p{L})`,
		`(?<=\\p{Lu})[${smallLetters}](?=\\p{Lu})`,
		// UTF-8 and Windows-1252 read as cp850: no name has lines and boxes.
		"[\u2500-\u259f]",
	].join("|"),
	"u",
);
/** Without one of these no text is garbled. */
const hint = new RegExp(`[ÃÂ€½\ufffd\u2500-\u259f${symbols}${smallLetters}]`, "u");

const spanish = /[ÁÉÍÓÚÑÜáéíóúñü]/g;

export function isGarbled(text: string): boolean {
	return garbled.test(text);
}

/** Whether a text with this character has to be asked about. */
export function isHint(character: string): boolean {
	return hint.test(character);
}

/** The letters of Spanish beyond ASCII, which a source that is read rightly has. */
export function countSpanish(text: string): number {
	return text.match(spanish)?.length ?? 0;
}
