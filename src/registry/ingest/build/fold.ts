/**
 * Splits the UTF-8 bytes of a value into its words, exactly as `canonicalWords` does, without creating a string for usual names. A table
 * folds two pairs of bytes at once. Words with letters beyond ASCII are read byte by byte. The numbers of the words show what must change:
 * initials are joined, legal forms and other spellings move behind the words. A value with an apostrophe, or with a hyphen, dot or slash
 * inside, is read as text.
 */
import { EXTRA_WORD } from "../../index/index";
import {
	ABBREVIATION_CLASSES,
	canonicalWords,
	FORMS,
	FORMS_IN_A_ROW,
	normaliseText,
	otherSpellings,
} from "../../words";
import { type ByteDictionary, createByteDictionary, grownNumbers, HASH_SEED, mixHash } from "./byte-dictionary";

/** The letter folds to one ASCII byte, or separates words, or requires folding the whole value as text. */
const PARTS = 0;
const AS_TEXT = 255;
const A = 0x41;
const C = 0x43;
const Y = 0x59;

const foldOf = (letter: string): number => {
	if (letter === "&" || letter === "+") return Y;
	const folded = normaliseText(letter);
	if (folded === "") return PARTS;
	return folded.length === 1 && folded.charCodeAt(0) < 0x80 ? folded.charCodeAt(0) : AS_TEXT;
};
const ascii = Uint8Array.from({ length: 0x80 }, (_, code) => foldOf(String.fromCharCode(code)));
const latin = Uint8Array.from({ length: 0x80 }, (_, i) => foldOf(String.fromCharCode(0x80 + i)));

/** What a byte is. */
const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const INSIDE = 3;
const APOSTROPHE = 4;
const SYMBOL = 5;
const SPACE = 6;
/** First byte of a letter beyond ASCII, or of something that is none. */
const LATIN = 7;
const classes = Uint8Array.from({ length: 0x100 }, (_, byte) => {
	const letter = String.fromCharCode(byte);
	if (byte >= 0x80) return LATIN;
	if (/[A-Za-z]/.test(letter)) return LETTER;
	if (/[0-9]/.test(letter)) return DIGIT;
	if (/[-./]/.test(letter)) return INSIDE;
	if (/['`]/.test(letter)) return APOSTROPHE;
	if (/[&+]/.test(letter)) return SYMBOL;
	return letter === " " || letter === "," ? SPACE : OTHER;
});

const CARE = -1;
/** Set in a pair that has more than letters, spaces and commas. */
const MARKED = 1 << 16;
const isMarked = (byte: number) => classes[byte] !== LETTER && classes[byte] !== SPACE;

/** Two bytes, lowest first → their folds, 0 for a separator; `CARE` unless both are ASCII. */
const pairs = foldPairs();

function foldPairs(): Int32Array {
	const folds = new Int32Array(1 << 16).fill(CARE);
	for (let high = 0; high < 0x80; high++) {
		for (let low = 0; low < 0x80; low++) {
			const mark = isMarked(low) || isMarked(high) ? MARKED : 0;
			folds[low | (high << 8)] = (ascii[low] ?? 0) | ((ascii[high] ?? 0) << 8) | mark;
		}
	}
	return folds;
}

/** Four bytes are read at once, so three more must exist after a value. */
export const READ_BEYOND = 3;

export type WordCollector = {
	/**
	 * Appends the words of the bytes `from … to`, then its extra words with `EXTRA_WORD`. Returns the length of the value as
	 * `normaliseText` folds it. Units: UTF-16 code units. `READ_BEYOND` more bytes must exist after them.
	 */
	readonly take: (source: DataView, from: number, to: number) => number;
	readonly count: () => number;
	readonly words: () => Uint32Array;
	readonly dictionary: ByteDictionary;
};

/** What a word means for its neighbours, by its number. */
const PLAIN = 0;
const INITIAL = 1;
const FORM = 2;
const SPELLED = 4;
/** A single letter, whose code it also holds. */
const LETTER_SHIFT = 8;
/** Y joins two initials; POR and PO belong to a form. Alone they change nothing. */
const CONJUNCTION = 8;
const POR = 16;
const PO = 32;
const CHANGING = INITIAL | FORM | SPELLED;

function kindOf(word: string): number {
	if (word === "Y") return CONJUNCTION;
	if (word === "POR") return POR;
	if (word === "PO") return PO;
	if (/^[A-Z]$/.test(word)) return INITIAL | (word.charCodeAt(0) << LETTER_SHIFT);
	if (FORMS.has(word)) return FORM;
	return otherSpellings(word).length > 0 ? SPELLED : PLAIN;
}

/** All words that mean something. They get the first numbers, so that all others are known by their number alone. */
const special = [
	...new Set(["POR", "PO", ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ", ...FORMS, ...ABBREVIATION_CLASSES.flat()]),
].filter((word) => kindOf(word) !== PLAIN);
const kinds = Uint16Array.from(special, kindOf);

function kindOfNumber(id: number): number {
	return id < kinds.length ? (kinds[id] ?? PLAIN) : PLAIN;
}

/** `wordsAbout` estimates the number of words; memory that is never written to costs nothing. */
export function createWordCollector(wordsAbout = 0): WordCollector {
	const dictionary = createByteDictionary();
	let words: Uint32Array = new Uint32Array(Math.max(1 << 12, wordsAbout));
	let count = 0;
	const append = (id: number) => {
		if (count === words.length) words = grownNumbers(words, count + 1);
		words[count++] = id;
	};
	const numberOf = (word: string): number => {
		const bytes = Buffer.from(word);
		return dictionary.intern(bytes, 0, bytes.length);
	};
	for (const word of special) numberOf(word);
	const arrangement = createArrangement(numberOf);
	/** Begins anew, with as many words as before the value. */
	const takeAsText = (countBefore: number, source: DataView, from: number, to: number): number => {
		count = countBefore;
		const text = Buffer.from(source.buffer, source.byteOffset + from, to - from).toString("utf8");
		const { words: own, extras } = canonicalWords(text);
		for (const word of own) append(numberOf(word));
		for (const extra of extras) append(numberOf(extra) | EXTRA_WORD);
		return normaliseText(text).length;
	};
	const take = (source: DataView, from: number, to: number): number => {
		// A fold is never longer than its letter.
		const staged = dictionary.stage(to - from);
		const countBefore = count;
		let total = 0;
		let length = 0;
		let hash = HASH_SEED;
		let marks = 0;
		/** Behind the last word before which nothing is marked. */
		let clean = from;
		let seen = PLAIN;
		for (let at = from; at < to; ) {
			let bytes = source.getInt32(at, true);
			// Bytes after the value read as zeros, which separate words.
			if (to - at < 4) bytes &= (1 << ((to - at) * 8)) - 1;
			const low = pairs[bytes & 0xffff] ?? CARE;
			const high = pairs[bytes >>> 16] ?? CARE;
			if ((low | high) >= 0) {
				marks |= low | high;
				const folds = (low & 0xffff) | (high << 16);
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
					if (byte < 0x80) {
						fold = ascii[byte] ?? 0;
						if (isMarked(byte)) marks |= MARKED;
					} else if (byte === 0xc3) {
						fold = latin[0x40 | (source.getUint8(at++) & 0x3f)] ?? 0;
						if (fold === PARTS) marks |= MARKED;
					}
					// Besides rare letters, an accent that serves as an apostrophe starts with another byte.
					if (fold === AS_TEXT) return takeAsText(countBefore, source, from, to);
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
			const id = dictionary.internStaged(length, hash);
			seen |= kindOfNumber(id);
			append(id);
			if ((marks & MARKED) === 0) clean = at;
			total += length + 1;
			length = 0;
			hash = HASH_SEED;
		}
		let symbols = 0;
		if ((marks & MARKED) !== 0) {
			symbols = countSymbols(source, clean, to, clean === from);
			if (symbols === NEEDS_TEXT) return takeAsText(countBefore, source, from, to);
		}
		if ((seen & CHANGING) === FORM && isFormBehind(words, countBefore, count)) {
			words[count - 1] = (words[count - 1] ?? 0) | EXTRA_WORD;
		} else if ((seen & CHANGING) !== 0) {
			const own = arrangement.arrange(words, countBefore, count, (marks & MARKED) === 0);
			if (own === NEEDS_TEXT) return takeAsText(countBefore, source, from, to);
			count = own;
			for (const extra of arrangement.extras) append(extra | EXTRA_WORD);
		}
		// A folded value has a space between words and nothing for a symbol.
		return total === 0 ? 0 : total - 1 - 2 * symbols;
	};
	return { take, count: () => count, words: () => words.subarray(0, count), dictionary };
}

const NEEDS_TEXT = -1;

/**
 * The number of & and + in a value from a word on, or `NEEDS_TEXT` if it has one that is not between words and spaces, an apostrophe, a
 * hyphen, dot or slash inside a word, or a digit beside a letter. Letters in a row, as in J.R., need no text.
 */
function countSymbols(source: DataView, from: number, to: number, isFirst: boolean): number {
	let symbols = 0;
	/** Length and kind of the current word, and whether another letter stands directly before it, as in J.R. */
	let length = 0;
	let wordKind = LETTER;
	let isJoined = false;
	let isBehindInside = false;
	let isLong = false;
	let last = isFirst ? SYMBOL : LETTER;
	for (let at = from; at < to; at++) {
		const byte = source.getUint8(at);
		let kind = classes[byte] ?? OTHER;
		if (kind === LATIN) {
			if (byte !== 0xc3 || latin[0x40 | (source.getUint8(++at) & 0x3f)] === PARTS) return NEEDS_TEXT;
			kind = LETTER;
		}
		if (kind === LETTER || kind === DIGIT) {
			if (length > 0 && kind !== wordKind) return NEEDS_TEXT;
			if (isBehindInside && (isLong || kind === DIGIT)) return NEEDS_TEXT;
			if (length === 0) isJoined = isBehindInside;
			else if (isJoined) return NEEDS_TEXT;
			length++;
			wordKind = kind;
			isBehindInside = false;
			last = kind;
			continue;
		}
		if (kind === APOSTROPHE) return NEEDS_TEXT;
		if (kind === SYMBOL) {
			if (last === SYMBOL || source.getUint8(at - 1) !== 0x20 || (at + 1 < to && source.getUint8(at + 1) !== 0x20)) {
				return NEEDS_TEXT;
			}
			symbols++;
			last = SYMBOL;
		}
		isBehindInside = kind === INSIDE && length > 0;
		isLong = length > 1 || wordKind === DIGIT;
		length = 0;
	}
	return last === SYMBOL ? NEEDS_TEXT : symbols;
}

/** Whether the only legal form among the words `from … to` is the last of several: the usual case. */
function isFormBehind(words: Uint32Array, from: number, to: number): boolean {
	for (let i = from; i < to - 1; i++) if (kindOfNumber(words[i] ?? 0) === FORM) return false;
	return to - from > 1 && kindOfNumber(words[to - 1] ?? 0) === FORM;
}

/** A row of initials as words: the initials, the same without Y, and the form that they end with. */
type Row = {
	readonly word?: number;
	readonly extra?: number;
	readonly form?: number;
	/** It ends with SA, which is a form only behind a space. */
	readonly isDoubtful: boolean;
};

const SHORT_FORM = "SA";

type Arrangement = {
	/**
	 * Joins the initials among the words `from … to` in place, takes legal forms out and collects both and other spellings in `extras`, by the
	 * rules of canonical-words.ts. Returns where the value's own words end, or `NEEDS_TEXT`. `isSpaced` says that only spaces and commas
	 * separate the words.
	 */
	readonly arrange: (words: Uint32Array, from: number, to: number, isSpaced: boolean) => number;
	readonly extras: readonly number[];
};

function createArrangement(numberOf: (word: string) => number): Arrangement {
	const spellings = new Map<number, readonly number[]>();
	/** By their letters, five bits each: a number is found sooner than a text. */
	const rows = new Map<number, Row>();
	// Kept between calls, because every fifth value needs them.
	const extras: number[] = [];
	const forms: number[] = [];
	let words: Uint32Array = new Uint32Array(0);
	let end = 0;
	const spellingsOf = (id: number): readonly number[] => {
		const known = spellings.get(id) ?? otherSpellings(special[id] ?? "").map(numberOf);
		spellings.set(id, known);
		return known;
	};
	const kindAt = (i: number) => (i < end ? kindOfNumber(words[i] ?? 0) : PLAIN);
	const isSpelledForm = (i: number) =>
		kindAt(i) >> LETTER_SHIFT === C &&
		(kindAt(i + 1) === POR || kindAt(i + 1) === PO) &&
		(i + 2 === end || (kindAt(i + 1) === POR && kindAt(i + 2) >> LETTER_SHIFT === A));
	const isInitial = (i: number) => (kindAt(i) & INITIAL) !== 0 && !isSpelledForm(i);
	const letterAt = (i: number) => kindAt(i) >> LETTER_SHIFT || Y;
	const readLetters = (from: number, to: number): Row =>
		readRow(String.fromCharCode(...Array.from({ length: to - from }, (_, i) => letterAt(from + i))), numberOf);
	const rowAt = (from: number, to: number): Row => {
		if (to - from > ROW_PACKED_MAX) return readLetters(from, to);
		let packed = 0;
		for (let i = from; i < to; i++) packed = packed * 32 + (letterAt(i) & 31);
		const row = rows.get(packed) ?? readLetters(from, to);
		rows.set(packed, row);
		return row;
	};
	const arrange = (given: Uint32Array, from: number, to: number, isSpaced: boolean): number => {
		words = given;
		end = to;
		extras.length = 0;
		forms.length = 0;
		let own = from;
		for (let i = from; i < to; ) {
			const id = words[i] ?? 0;
			const kind = kindOfNumber(id);
			let next = i + 1;
			if (kind === FORM) forms.push(id);
			else if ((kind & INITIAL) === 0) {
				words[own++] = id;
				if (kind === SPELLED) extras.push(...spellingsOf(id));
			} else if (isSpelledForm(i)) {
				forms.push(numberOf("CXA"));
				next = i + 3;
			} else {
				while (isInitial(next) || (kindAt(next) === CONJUNCTION && isInitial(next + 1))) next++;
				if (next === i + 1) words[own++] = id;
				else {
					const row = rowAt(i, next);
					if (row.isDoubtful && !isSpaced) return NEEDS_TEXT;
					if (row.word !== undefined) words[own++] = row.word;
					if (row.extra !== undefined) extras.push(row.extra);
					if (row.form !== undefined) forms.push(row.form);
				}
			}
			i = next;
		}
		if (own === from && forms[0] !== undefined) words[own++] = forms.shift() ?? 0;
		for (const form of forms) extras.push(form);
		return own;
	};
	return { arrange, extras };
}

/** So many letters fit in an exact number. */
const ROW_PACKED_MAX = 10;

function readRow(letters: string, numberOf: (word: string) => number): Row {
	const form =
		FORMS_IN_A_ROW.find((one) => letters.endsWith(one)) ?? (letters.endsWith(SHORT_FORM) ? SHORT_FORM : undefined);
	const initials = form === undefined ? letters : letters.slice(0, -form.length);
	const bare = initials.replaceAll("Y", "");
	return {
		isDoubtful: letters.length > SHORT_FORM.length && letters.endsWith(SHORT_FORM),
		...(initials === "" ? {} : { word: numberOf(initials) }),
		...(bare === initials ? {} : { extra: numberOf(bare) }),
		...(form === undefined ? {} : { form: numberOf(form) }),
	};
}
