/** The form in which texts are compared: upper case, no accents, words of letters and digits separated by single spaces. */

const plainAscii = /^[\x20-\x7e]*$/;

/**
 * Folds a text for searching. `Ñ` becomes `N`, punctuation becomes a space. Folding twice changes nothing.
 */
export function normaliseText(text: string): string {
	if (plainAscii.test(text)) {
		return text
			.toUpperCase()
			.replace(/[^A-Z0-9]+/g, " ")
			.trim();
	}
	return foldLetters(text)
		.replace(/[^\p{L}\p{N}]+/gu, " ")
		.trim();
}

/** Upper case without accents; punctuation stays. */
export function foldLetters(text: string): string {
	if (plainAscii.test(text)) return text.toUpperCase();
	return text
		.toUpperCase()
		.normalize("NFD")
		.replace(/\p{M}+/gu, "");
}
