/**
 * Finds the invoices of a batch while its body arrives, without parsing it: a body with too many is refused at the first that is too many,
 * whatever follows.
 *
 *   lines   {…}\n{…}\n…                    a part is a line
 *   JSON    {"invoices":[{…},{…},…]}       a part is an item of a list; the rest is a document with numbers in their place
 */
import { tooDeep } from "../../../platform/operation";
import { msg, Problem } from "../../../platform/problem";

/** A part of the body, from its first byte to before its end. */
export type Part = { readonly from: number; readonly to: number };

export type BatchSplitter = {
	/** Takes the next piece of the body. Throws: what `checkCount` throws, validation-error when the document nests too deep. */
	readonly push: (piece: Uint8Array) => void;
	/** All parts that are not blank, in their order: of a JSON document the items of every list that is its member. */
	readonly parts: (body: Uint8Array) => Part[];
};

/** `checkCount` refuses a count above `maximum`. */
type CountRule = { readonly maximum: number; readonly checkCount: (count: number) => void };

const [LINE_FEED, SPACE, QUOTE, COMMA, BACKSLASH] = [0x0a, 0x20, 0x22, 0x2c, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const ZERO = Buffer.from("0");
const DEPTH_MAX = 16;
/** A document has a dozen bytes beside its invoices. */
const AROUND_BYTES_MAX = 64 * 1024;

/** Blank lines count, except for one at the end. */
export function createLineSplitter({ maximum, checkCount }: CountRule): BatchSplitter {
	const ends: number[] = [];
	let offset = 0;
	return {
		push(piece) {
			for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) {
				ends.push(offset + at);
				if (ends.length > maximum + 1) checkCount(maximum + 1);
			}
			offset += piece.length;
		},
		parts(body) {
			const parts = [...ends, body.length].map((to, i) => ({ from: i === 0 ? 0 : (ends[i - 1] ?? 0) + 1, to }));
			return parts.filter((part) => !isBlank(body, part));
		},
	};
}

/** Syntax is not checked here: `aroundParts` and the parts themselves are parsed afterwards. */
export function createItemSplitter({ maximum, checkCount }: CountRule): BatchSplitter & {
	/** The document with a number in place of each part. Throws: payload-too-large. */
	readonly aroundParts: (body: Uint8Array) => Uint8Array;
} {
	const ranges: Part[] = [];
	let offset = 0;
	let depth = 0;
	let isObject = false;
	let isInList = false;
	let isInText = false;
	let isEscaped = false;
	let from = 0;

	const endItem = (to: number) => {
		ranges.push({ from, to });
		from = to + 1;
		if (ranges.length > maximum) checkCount(ranges.length);
	};
	const open = (code: number, at: number) => {
		if (depth >= DEPTH_MAX) throw tooDeep(DEPTH_MAX);
		depth++;
		if (depth === 1) isObject = code === OPEN_BRACE;
		if (depth !== 2 || code !== OPEN_BRACKET || !isObject) return;
		isInList = true;
		from = at + 1;
	};
	const close = (at: number) => {
		if (depth === 2 && isInList) {
			endItem(at);
			isInList = false;
		}
		if (depth > 0) depth--;
	};

	return {
		push(piece) {
			for (let i = 0; i < piece.length; i++) {
				const code = piece[i] ?? 0;
				if (isInText) {
					if (isEscaped) isEscaped = false;
					else if (code === BACKSLASH) isEscaped = true;
					else if (code === QUOTE) isInText = false;
				} else if (code === QUOTE) isInText = true;
				else if (code === OPEN_BRACE || code === OPEN_BRACKET) open(code, offset + i);
				else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) close(offset + i);
				else if (code === COMMA && depth === 2 && isInList) endItem(offset + i);
			}
			offset += piece.length;
		},
		parts: (body) => ranges.filter((part) => !isBlank(body, part)),
		aroundParts(body) {
			const kept: Uint8Array[] = [];
			let size = 0;
			let at = 0;
			for (const range of ranges) {
				kept.push(body.subarray(at, range.from));
				size += range.from - at;
				if (!isBlank(body, range)) kept.push(ZERO);
				at = range.to;
			}
			kept.push(body.subarray(at));
			if (size + body.length - at > AROUND_BYTES_MAX) {
				const detail = msg`The body exceeds ${AROUND_BYTES_MAX} bytes beside its invoices.`;
				throw new Problem("payload-too-large", { detail, extensions: { limitBytes: AROUND_BYTES_MAX } });
			}
			return Buffer.concat(kept);
		},
	};
}

function isBlank(body: Uint8Array, { from, to }: Part): boolean {
	for (let at = from; at < to; at++) if ((body[at] ?? 0) > SPACE) return false;
	return true;
}
