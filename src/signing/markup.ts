/** A cheap look at finished bytes: is this one well-formed element that every parser reads as it stands? */

const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;

/**
 * Tells what is wrong with the markup of UTF-8 bytes without a document type, or undefined when nothing is.
 * One pass: every end tag closes the last open start tag; one root and nothing around it; no empty-element tags, comments,
 * instructions, CDATA; no `>` in text; no raw carriage return or other character that a parser changes or refuses.
 */
export function findBrokenMarkup(bytes: Uint8Array): string | undefined {
	if (bytes.length === 0) return "nothing at all";
	/** Offsets of the names of the open elements. */
	const open: number[] = [];
	let isInTag = false;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] ?? 0;
		if (byte === LESS) {
			if (isInTag || (open.length === 0 && at !== 0)) return `a tag where none may stand, at byte ${at}`;
			if (bytes[at + 1] === SLASH) {
				const end = endOfEndTag(bytes, at + 2, open.pop());
				if (end < 0) return `an end tag that closes nothing, at byte ${at}`;
				at = end;
			} else {
				if (!isNameStart(bytes[at + 1] ?? 0)) return `a tag without a name, at byte ${at}`;
				open.push(at + 1);
				isInTag = true;
			}
		} else if (byte === GREATER) {
			if (!isInTag || bytes[at - 1] === SLASH) return `a stray end of a tag, at byte ${at}`;
			isInTag = false;
		} else if (byte < SPACE && byte !== LINE_FEED && byte !== TAB) {
			return `a control character, at byte ${at}`;
		} else if (open.length === 0) {
			return `text outside the root, at byte ${at}`;
		}
	}
	return open.length > 0 || isInTag ? "an element that is not closed" : undefined;
}

/** Where an end tag ends when it repeats the name at `nameAt`, else -1. */
function endOfEndTag(bytes: Uint8Array, from: number, nameAt: number | undefined): number {
	if (nameAt === undefined) return -1;
	let at = from;
	let name = nameAt;
	while (bytes[at] !== GREATER && bytes[at] === bytes[name]) {
		at++;
		name++;
	}
	return bytes[at] === GREATER && (bytes[name] === GREATER || bytes[name] === SPACE) ? at : -1;
}

function isNameStart(byte: number): boolean {
	return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f || byte >= 0x80;
}
