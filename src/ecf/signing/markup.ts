/** A cheap look at finished bytes: is this one well-formed element that every parser reads as it stands? */

const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const SPACE = 0x20;

/** What ends a run of text or of a tag's inside: `<`, `>` and control characters, but for line feed and tab. */
const ENDS_RUN = Uint8Array.from({ length: 256 }, (_, byte) =>
	byte === LESS || byte === GREATER || (byte < SPACE && byte !== 0x0a && byte !== 0x09) ? 1 : 0,
);
const STARTS_NAME = Uint8Array.from({ length: 256 }, (_, byte) =>
	(byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f || byte >= 0x80 ? 1 : 0,
);

/**
 * Tells what is wrong with the markup of UTF-8 bytes without a document type, or undefined when nothing is.
 * One pass: every end tag closes the last open start tag; one root and nothing around it; no empty-element tags, comments,
 * instructions, CDATA; no `>` in text; no raw carriage return or other character that a parser changes or refuses.
 */
export function findBrokenMarkup(bytes: Uint8Array): string | undefined {
	const { length } = bytes;
	if (length === 0) return "nothing at all";
	/** Offsets of the names of the open elements. */
	const open: number[] = [];
	let at = 0;
	// Each turn stands at the beginning of a tag and goes to the beginning of the next one, over the text between them.
	do {
		if (bytes[at] !== LESS) return `text outside the root, at byte ${at}`;
		if (bytes[at + 1] === SLASH) {
			const end = endOfEndTag(bytes, at + 2, open.pop());
			if (end < 0) return `an end tag that closes nothing, at byte ${at}`;
			at = end + 1;
			if (open.length === 0) return at === length ? undefined : `something after the root, at byte ${at}`;
		} else {
			if (STARTS_NAME[bytes[at + 1] ?? 0] !== 1) return `a tag without a name, at byte ${at}`;
			open.push(at + 1);
			at = endOfRun(bytes, at + 2);
			if (bytes[at] !== GREATER || bytes[at - 1] === SLASH) return `a tag that does not end as one, at byte ${at}`;
			at++;
		}
		at = endOfRun(bytes, at);
		if (bytes[at] !== LESS && at < length) return `a character that may not stand in text, at byte ${at}`;
	} while (at < length);
	return "an element that is not closed";
}

/** Where a run of plain characters ends. */
function endOfRun(bytes: Uint8Array, from: number): number {
	let at = from;
	while (at < bytes.length && ENDS_RUN[bytes[at] ?? 0] === 0) at++;
	return at;
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
