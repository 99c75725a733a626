/** The form in which texts are compared: upper case, no accents, words of letters and digits separated by single spaces. */

const plainAscii = /^[\x20-\x7e]*$/;

/**
 * Folds a text for searching; both the query and the indexed value pass through it. `Ñ` becomes `N`, punctuation becomes a space. Folding
 * twice changes nothing.
 */
export function normaliseText(text: string): string {
	if (plainAscii.test(text)) {
		return text
			.toUpperCase()
			.replace(/[^A-Z0-9]+/g, " ")
			.trim();
	}
	return text
		.toUpperCase()
		.normalize("NFD")
		.replace(/\p{M}+/gu, "")
		.replace(/[^\p{L}\p{N}]+/gu, " ")
		.trim();
}
