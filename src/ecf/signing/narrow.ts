/**
 * Texts with a byte for each character.
 *
 * The runtime keeps a text with a byte for each of its characters, when all are Latin-1, or with two. What is decoded from UTF-8 with one accent in it
 * has two, and so has every text that a piece of it is joined into: an invoice is copied, searched and encoded more slowly all the way.
 */

/** Longer texts stay as they are. */
const CHARACTERS_MAX = 256 * 1024;

const latin1 = Buffer.allocUnsafeSlow(CHARACTERS_MAX);
const given = Buffer.allocUnsafeSlow(CHARACTERS_MAX * 3);
const narrowed = Buffer.allocUnsafeSlow(CHARACTERS_MAX * 3);
const encoder = new TextEncoder();

/** The same text, with a byte for each character where it can. */
export function narrow(text: string): string {
	if (text.length > CHARACTERS_MAX) return text;
	const bytes = encoder.encodeInto(text, given).written;
	// ASCII, which may have two bytes for each character as well.
	if (bytes === text.length) return given.toString("latin1", 0, bytes);
	// Of a character beyond Latin-1 this leaves half, so the outcome is another text; bytes are compared faster than texts of two kinds.
	const candidate = latin1.toString("latin1", 0, latin1.write(text, "latin1"));
	const isSame =
		encoder.encodeInto(candidate, narrowed).written === bytes && given.compare(narrowed, 0, bytes, 0, bytes) === 0;
	return isSame ? candidate : text;
}
