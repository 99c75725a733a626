/**
 * Splits the UTF-8 bytes of a value into its folded words, exactly as `normaliseText` does, without making a string of it where the
 * letters are the usual ones.
 */
import { normaliseText } from "../normalise";
import { type ByteDictionary, createByteDictionary, HASH_SEED, mixHash } from "./byte-dictionary";
import { grownNumbers } from "./growing";

/** The letter's fold is one ASCII byte; or it parts words; or the whole value must be folded as text. */
const PARTS = 0;
const AS_TEXT = 255;
const SPACE = 0x20;

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
		const staged = dictionary.stage(to - from);
		const countBefore = count;
		let total = 0;
		let length = 0;
		// Four bytes are put together before they are written: the processor reads slowly as one what was just written one by one.
		let word = 0;
		let hash = HASH_SEED;
		for (let i = from; i <= to; i++) {
			const byte = i < to ? (source[i] ?? 0) : SPACE;
			let fold = AS_TEXT;
			if (byte < 0x80) fold = ascii[byte] ?? 0;
			else if (byte === 0xc2 || byte === 0xc3) fold = latin[((byte & 1) << 6) | ((source[++i] ?? 0) & 0x3f)] ?? 0;
			if (fold === AS_TEXT) {
				count = countBefore;
				return takeAsText(source, from, to);
			}
			if (fold !== PARTS) {
				word |= fold << ((length & 3) * 8);
				length++;
				if ((length & 3) !== 0) continue;
				staged[(length >>> 2) - 1] = word;
				hash = mixHash(hash, word);
				word = 0;
			} else if (length > 0) {
				if ((length & 3) !== 0) {
					staged[length >>> 2] = word;
					hash = mixHash(hash, word);
				}
				append(dictionary.internStaged(length, hash));
				total += length + 1;
				length = 0;
				word = 0;
				hash = HASH_SEED;
			}
		}
		return total === 0 ? 0 : total - 1;
	};
	return { take, count: () => count, words: () => words.subarray(0, count), dictionary };
}
