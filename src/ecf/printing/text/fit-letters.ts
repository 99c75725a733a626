/**
 * A text with nothing but letters that can be printed.
 *
 * Gap: no font of a reasonable size has all of Unicode. A letter that is not there prints as its simpler form where Unicode names one (full-width
 * and mathematical letters, ligatures), else as an empty box, and what is invisible by itself is dropped: direction marks must not turn an
 * amount around. The signed document keeps every letter.
 */

const BOX = "\u25A1";

/** `has` tells which code points can be printed. White space of any kind becomes plain spaces; line breaks stay. */
export function fitLetters(text: string, has: (codePoint: number) => boolean): string {
	if (/^[ -~]*$/.test(text)) return text;
	let fitted = "";
	for (const letter of text.normalize("NFC")) fitted += fitLetter(letter, has);
	return fitted;
}

function fitLetter(letter: string, has: (codePoint: number) => boolean): string {
	if (letter === "\n") return "\n";
	if (/^[\s\u00AD]$/u.test(letter)) return letter === "\u00AD" ? "" : " ";
	if (/^[\p{Cf}\p{Cc}]$/u.test(letter)) return "";
	if (has(letter.codePointAt(0) ?? 0)) return letter;
	const simpler = [...letter.normalize("NFKD")].filter((part) => has(part.codePointAt(0) ?? 0)).join("");
	if (simpler !== "") return simpler;
	return /^\p{M}$/u.test(letter) ? "" : BOX;
}
