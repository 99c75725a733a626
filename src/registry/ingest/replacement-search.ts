/**
 * Looks for U+FFFD, which stands where a decoder met bytes that it could not read: what was there is lost. Its three bytes are looked for wherever
 * they stand, in columns that nobody reads too and whatever the encoding is: in a single-byte page they are no text either (`ï¿½`).
 */

export type Replacements = {
	readonly count: number;
	/** Counted from the source's first line; 0 where there is none. */
	readonly firstLine: number;
};

type ReplacementSearch = {
	/** `linesBefore` is how many lines of the source end before `start`. */
	readonly look: (start: number, end: number, linesBefore: number) => void;
	readonly found: () => Replacements;
};

const FIRST = 0xef;
const SECOND = 0xbf;
const THIRD = 0xbd;
const LF = 0x0a;

export function createReplacementSearch(bytes: Uint8Array): ReplacementSearch {
	let count = 0;
	let firstLine = 0;
	return {
		look: (start, end, linesBefore) => {
			// The room behind the end is large, and searching it would cost more than the source.
			const part = bytes.subarray(start, end);
			for (let at = part.indexOf(FIRST); at >= 0; at = part.indexOf(FIRST, at + 1)) {
				if (part[at + 1] !== SECOND || part[at + 2] !== THIRD) continue;
				if (count++ === 0) firstLine = linesBefore + 1 + countLines(part.subarray(0, at));
			}
		},
		found: () => ({ count, firstLine }),
	};
}

function countLines(bytes: Uint8Array): number {
	let lines = 0;
	for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++;
	return lines;
}
