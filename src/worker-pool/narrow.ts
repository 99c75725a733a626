/**
 * Texts with a byte for each character.
 *
 * The runtime keeps a text either so, when all its characters are Latin-1, or with two bytes for each. One name with an accent that came from
 * outside as UTF-8 has two, and so has every text that it is joined into: an invoice is copied, searched and encoded at a third of the speed.
 */

/** Texts up to this many characters are narrowed: twenty documents and their keys. What is never reached of the memory is not there. */
const CHARACTERS_MAX = 256 * 1024;

const latin1 = Buffer.allocUnsafeSlow(CHARACTERS_MAX);
const given = Buffer.allocUnsafeSlow(CHARACTERS_MAX * 3);
const narrowed = Buffer.allocUnsafeSlow(CHARACTERS_MAX * 3);
const encoder = new TextEncoder();

/** The same text; with a byte for each character where that is possible and worth it. */
export function narrow(text: string): string {
	if (text.length > CHARACTERS_MAX) return text;
	const bytes = encoder.encodeInto(text, given).written;
	// ASCII: such a text hardly ever has two bytes for each character.
	if (bytes === text.length) return text;
	// Of a character beyond Latin-1 this leaves half, so the outcome is another text; bytes are compared faster than texts of two kinds.
	const other = latin1.toString("latin1", 0, latin1.write(text, "latin1"));
	const isSame =
		encoder.encodeInto(other, narrowed).written === bytes && given.compare(narrowed, 0, bytes, 0, bytes) === 0;
	return isSame ? other : text;
}
