/**
 * Splits the UTF-8 bytes of a value into its folded words, exactly as `normaliseText` does, without making a string of it where the
 * letters are the usual ones.
 */
import { normaliseText } from "../normalise";
import { type ByteDictionary, createByteDictionary } from "./byte-dictionary";
import { grownNumbers } from "./growing";

/** The letter's fold is one ASCII byte; or it parts words; or the whole value must be folded as text. */
const PARTS = 0;
const AS_TEXT = 255;

const foldOf = (letter: string): number => {
	const folded = normaliseText(letter);
	if (folded === "") return PARTS;
	return folded.length === 1 && folded.charCodeAt(0) < 0x80 ? folded.charCodeAt(0) : AS_TEXT;
};
const ascii = Uint8Array.from({ length: 0x80 }, (_, code) => foldOf(String.fromCharCode(code)));
const latin = Uint8Array.from({ length: 0x80 }, (_, i) => foldOf(String.fromCharCode(0x80 + i)));

export type WordCollector = {
	/** Appends the words of `source[from … to)` and gives the length of the folded value. Units: UTF-16 code units. */
	readonly take: (source: Uint8Array, from: number, to: number) => number;
	/** How many words were appended so far. */
	readonly count: () => number;
	/** All words appended, as numbers of `dictionary`. */
	readonly words: () => Uint32Array;
	readonly dictionary: ByteDictionary;
};

export function createWordCollector(): WordCollector {
	const dictionary = createByteDictionary();
	let words: Uint32Array = new Uint32Array(1 << 12);
	let count = 0;

	const append = (id: number) => {
		if (count === words.length) words = grownNumbers(words, count + 1);
		words[count++] = id;
	};
	const takeAsText = (source: Uint8Array, from: number, to: number): number => {
		const folded = normaliseText(Buffer.from(source.buffer, source.byteOffset + from, to - from).toString("utf8"));
		if (folded === "") return 0;
		for (const one of folded.split(" ")) {
			const bytes = Buffer.from(one);
			append(dictionary.intern(bytes, 0, bytes.length));
		}
		return folded.length;
	};
	const take = (source: Uint8Array, from: number, to: number): number => {
		// A fold is never longer than its letter.
		const word = dictionary.stage(to - from);
		const countBefore = count;
		let total = 0;
		let length = 0;
		for (let i = from; i < to; i++) {
			const byte = source[i] ?? 0;
			let fold = AS_TEXT;
			if (byte < 0x80) fold = ascii[byte] ?? 0;
			else if (byte === 0xc2 || byte === 0xc3) fold = latin[((byte & 1) << 6) | ((source[++i] ?? 0) & 0x3f)] ?? 0;
			if (fold === AS_TEXT) {
				count = countBefore;
				return takeAsText(source, from, to);
			}
			if (fold !== PARTS) word[length++] = fold;
			else if (length > 0) {
				append(dictionary.internStaged(length));
				total += length + 1;
				length = 0;
			}
		}
		if (length > 0) {
			append(dictionary.internStaged(length));
			total += length + 1;
		}
		return total === 0 ? 0 : total - 1;
	};
	return { take, count: () => count, words: () => words.subarray(0, count), dictionary };
}
