/**
 * Splits the UTF-8 bytes of a value into its folded words, exactly as `normaliseText` does, without creating a string for usual letters. A
 * table folds two pairs of bytes at once. Words with letters beyond ASCII are read byte by byte.
 */
import { normaliseText } from "../../index/index";
import { type ByteDictionary, createByteDictionary, grownNumbers, HASH_SEED, mixHash } from "./byte-dictionary";

/** The letter folds to one ASCII byte, or separates words, or requires folding the whole value as text. */
const PARTS = 0;
const AS_TEXT = 255;

const foldOf = (letter: string): number => {
	const folded = normaliseText(letter);
	if (folded === "") return PARTS;
	return folded.length === 1 && folded.charCodeAt(0) < 0x80 ? folded.charCodeAt(0) : AS_TEXT;
};
const ascii = Uint8Array.from({ length: 0x80 }, (_, code) => foldOf(String.fromCharCode(code)));
const latin = Uint8Array.from({ length: 0x80 }, (_, i) => foldOf(String.fromCharCode(0x80 + i)));

const CARE = -1;

/** Two bytes, lowest first → their folds, 0 for a separator; `CARE` unless both are ASCII. */
const pairs = foldPairs();

function foldPairs(): Int32Array {
	const folds = new Int32Array(1 << 16).fill(CARE);
	for (let high = 0; high < 0x80; high++) {
		for (let low = 0; low < 0x80; low++) folds[low | (high << 8)] = (ascii[low] ?? 0) | ((ascii[high] ?? 0) << 8);
	}
	return folds;
}

/** Four bytes are read at once, so three more must exist after a value. */
export const READ_BEYOND = 3;

export type WordCollector = {
	/**
	 * Appends the words of the bytes `from … to` and returns the length of the folded value. Units: UTF-16 code units. `READ_BEYOND` more
	 * bytes must exist after them.
	 */
	readonly take: (source: DataView, from: number, to: number) => number;
	readonly count: () => number;
	readonly words: () => Uint32Array;
	readonly dictionary: ByteDictionary;
};

/** `wordsAbout` estimates the number of words; memory that is never written to costs nothing. */
export function createWordCollector(wordsAbout = 0): WordCollector {
	const dictionary = createByteDictionary();
	let words: Uint32Array = new Uint32Array(Math.max(1 << 12, wordsAbout));
	let count = 0;

	const append = (id: number) => {
		if (count === words.length) words = grownNumbers(words, count + 1);
		words[count++] = id;
	};
	const takeAsText = (source: DataView, from: number, to: number): number => {
		const folded = normaliseText(Buffer.from(source.buffer, source.byteOffset + from, to - from).toString("utf8"));
		if (folded === "") return 0;
		for (const one of folded.split(" ")) {
			const bytes = Buffer.from(one);
			append(dictionary.intern(bytes, 0, bytes.length));
		}
		return folded.length;
	};
	const take = (source: DataView, from: number, to: number): number => {
		// A fold is never longer than its letter.
		const staged = dictionary.stage(to - from);
		const countBefore = count;
		let total = 0;
		let length = 0;
		let hash = HASH_SEED;
		for (let at = from; at < to; ) {
			let bytes = source.getInt32(at, true);
			// Bytes after the value read as zeros, which separate words.
			if (to - at < 4) bytes &= (1 << ((to - at) * 8)) - 1;
			const low = pairs[bytes & 0xffff] ?? CARE;
			const high = pairs[bytes >>> 16] ?? CARE;
			if ((low | high) >= 0) {
				const folds = low | (high << 16);
				// Its lowest bit is in the first byte that is zero.
				const gaps = (folds - 0x01010101) & ~folds & 0x80808080;
				if (gaps === 0) {
					staged[length >>> 2] = folds;
					hash = mixHash(hash, folds);
					length += 4;
					at += 4;
					if (at < to) continue;
				} else {
					const letters = (31 - Math.clz32(gaps & -gaps)) >>> 3;
					at += letters + 1;
					if (letters > 0) {
						const word = folds & ((1 << (letters * 8)) - 1);
						staged[length >>> 2] = word;
						hash = mixHash(hash, word);
						length += letters;
					}
				}
			} else {
				// Byte by byte, up to the end of the word.
				let word = 0;
				for (let fold = PARTS; at < to; ) {
					const byte = source.getUint8(at++);
					fold = AS_TEXT;
					if (byte < 0x80) fold = ascii[byte] ?? 0;
					else if (byte === 0xc2 || byte === 0xc3)
						fold = latin[((byte & 1) << 6) | (source.getUint8(at++) & 0x3f)] ?? 0;
					if (fold === AS_TEXT) {
						count = countBefore;
						return takeAsText(source, from, to);
					}
					if (fold === PARTS) break;
					// Combined before writing: the processor is slow to read as one what was just written in parts.
					word |= fold << ((length & 3) * 8);
					length++;
					if ((length & 3) !== 0) continue;
					staged[(length >>> 2) - 1] = word;
					hash = mixHash(hash, word);
					word = 0;
				}
				if ((length & 3) !== 0) {
					staged[length >>> 2] = word;
					hash = mixHash(hash, word);
				}
			}
			if (length === 0) continue;
			append(dictionary.internStaged(length, hash));
			total += length + 1;
			length = 0;
			hash = HASH_SEED;
		}
		return total === 0 ? 0 : total - 1;
	};
	return { take, count: () => count, words: () => words.subarray(0, count), dictionary };
}
