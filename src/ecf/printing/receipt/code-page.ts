/** Code page 850: what nearly every receipt printer has as its table 2, with all letters of Spanish. */

const UPPER_HALF =
	"ÇüéâäàåçêëèïîìÄÅ" +
	"ÉæÆôöòûùÿÖÜø£Ø×ƒ" +
	"áíóúñÑªº¿®¬½¼¡«»" +
	"░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐" +
	"└┴┬├─┼ãÃ╚╔╩╦╠═╬¤" +
	"ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀" +
	"ÓßÔÒõÕµþÞÚÛÙýÝ¯´" +
	"\u00AD±‗¾¶§÷¸°¨·¹³²■\u00A0";

/** The number that the printers' command gives it. */
export const CODE_PAGE_850 = 2;
const BOX = "\u25A1";
const codes = new Map([...UPPER_HALF].map((letter, i) => [letter, 0x80 + i]));

export function hasLetter(codePoint: number): boolean {
	return (codePoint >= 0x20 && codePoint < 0x7f) || codes.has(String.fromCodePoint(codePoint));
}

/** The bytes of a text in code page 850; a letter that it has not is a question mark. No control character gets through. */
export function toCodePage(text: string): Uint8Array {
	const bytes = [...text].map((letter) => {
		const code = letter.codePointAt(0) ?? 0;
		if (code >= 0x20 && code < 0x7f) return code;
		return (letter === BOX ? undefined : codes.get(letter)) ?? 0x3f;
	});
	return Uint8Array.from(bytes);
}
