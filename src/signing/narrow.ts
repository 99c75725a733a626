/**
 * Texts with a byte for each character, in one piece.
 *
 * The runtime keeps a text with a byte for each of its characters, when all are Latin-1, or with two. One name with an accent that came from outside
 * as UTF-8 has two, and so has every text that it is joined into: an invoice is copied, searched and encoded at a third of the speed. And a
 * text that was joined stays a tree of its pieces until somebody reads it: right after writing they are in the processor's cache, on
 * another document's turn not any more.
 */

/** Longer texts stay as they are. */
const CHARACTERS_MAX = 256 * 1024;

const latin1 = Buffer.allocUnsafeSlow(CHARACTERS_MAX);
const given = Buffer.allocUnsafeSlow(CHARACTERS_MAX * 3);
const narrowed = Buffer.allocUnsafeSlow(CHARACTERS_MAX * 3);
const encoder = new TextEncoder();

/** The same text; in one piece, and with a byte for each character where it can. */
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
