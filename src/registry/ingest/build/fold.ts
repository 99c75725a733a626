/**
 * Splits the UTF-8 bytes of a value into its words, exactly as `canonicalWords` does, without creating a string for usual names. A table
 * folds two pairs of bytes at once. Words with letters beyond ASCII are read byte by byte. The numbers of the words show what must change:
 * initials are joined, legal forms and other spellings move behind the words. A value with an apostrophe, or with a hyphen, dot or slash
 * inside, is read as text.
 */
import { EXTRA_WORD } from "../../index/index";
import { canonicalWords, FORMS, FORMS_IN_A_ROW, normaliseText, otherSpellings } from "../../words";
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

/** `wordsAbout` estimates the number of words; memory that is never written to costs nothing. */
export function createWordCollector(wordsAbout = 0): WordCollector {
	const dictionary = createByteDictionary();
	let words: Uint32Array = new Uint32Array(Math.max(1 << 12, wordsAbout));
	let count = 0;
	/** By number: what the word is, and the word if that matters. */
	const kinds: number[] = [];
	const texts = new Map<number, string>();
	const note = (word: string): void => {
		const kind = kindOf(word);
		if (kind === SPELLED) texts.set(kinds.length, word);
		kinds.push(kind);
	};

	const append = (id: number) => {
		if (count === words.length) words = grownNumbers(words, count + 1);
		words[count++] = id;
	};
	const numberOf = (word: string): number => {
		const bytes = Buffer.from(word);
		const id = dictionary.intern(bytes, 0, bytes.length);
		if (id === kinds.length) note(word);
		return id;
	};
	const arrange = createArrangement(kinds, (id) => texts.get(id) ?? "", numberOf);
	const takeAsText = (source: DataView, from: number, to: number): number => {
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
			const id = dictionary.internStaged(length, hash);
			if (id === kinds.length) note(Buffer.from(staged.buffer, staged.byteOffset, length).toString("latin1"));
			seen |= kinds[id] ?? PLAIN;
			append(id);
			total += length + 1;
			length = 0;
			hash = HASH_SEED;
		}
		let symbols = 0;
		if ((marks & MARKED) !== 0) {
			symbols = countSymbols(source, from, to);
			if (symbols === NEEDS_TEXT) {
				count = countBefore;
				return takeAsText(source, from, to);
			}
		}
		if ((seen & CHANGING) !== 0) {
			const { own, extras } = arrange(words.subarray(countBefore, count), (marks & MARKED) === 0);
			if (own === NEEDS_TEXT) {
				count = countBefore;
				return takeAsText(source, from, to);
			}
			count = countBefore + own;
			for (const extra of extras) append(extra | EXTRA_WORD);
		}
		// A folded value has a space between words and nothing for a symbol.
		return total === 0 ? 0 : total - 1 - 2 * symbols;
	};
	return { take, count: () => count, words: () => words.subarray(0, count), dictionary };
}

const NEEDS_TEXT = -1;

/**
 * The number of & and + in a value, or `NEEDS_TEXT` if it has one that is not between words and spaces, an apostrophe, a hyphen, dot or
 * slash inside a word, or a digit beside a letter. Letters in a row, as in J.R., need no text.
 */
function countSymbols(source: DataView, from: number, to: number): number {
	let symbols = 0;
	/** Length and kind of the current word, and whether another letter stands directly before it, as in J.R. */
	let length = 0;
	let wordKind = LETTER;
	let isJoined = false;
	let isBehindInside = false;
	let isLong = false;
	let last = SYMBOL;
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

/** A row of initials as words: the initials, the same without Y, and the form that they end with. */
type Row = { readonly word?: number; readonly extra?: number; readonly form?: number };

const SHORT_FORM = "SA";

/**
 * Returns a function that joins initials in place and collects legal forms and other spellings, by the rules of canonical-words.ts. `own`
 * is then the number of words; `isSpaced` says that only spaces and commas separate them.
 */
function createArrangement(
	kinds: readonly number[],
	wordOf: (id: number) => string,
	numberOf: (word: string) => number,
) {
	const spellings = new Map<number, readonly number[]>();
	const rows = new Map<string, Row>();
	const spellingsOf = (id: number): readonly number[] => {
		const known = spellings.get(id) ?? otherSpellings(wordOf(id)).map(numberOf);
		spellings.set(id, known);
		return known;
	};
	const rowOf = (letters: string): Row => {
		const known = rows.get(letters) ?? readRow(letters, numberOf);
		rows.set(letters, known);
		return known;
	};
	return (words: Uint32Array, isSpaced: boolean): { readonly own: number; readonly extras: readonly number[] } => {
		const extras: number[] = [];
		const forms: number[] = [];
		const kindAt = (i: number) => (i < words.length ? (kinds[words[i] ?? 0] ?? PLAIN) : PLAIN);
		const isSpelledForm = (i: number) =>
			kindAt(i) >> LETTER_SHIFT === C &&
			(kindAt(i + 1) === POR || kindAt(i + 1) === PO) &&
			(i + 2 === words.length || (kindAt(i + 1) === POR && kindAt(i + 2) >> LETTER_SHIFT === A));
		const isInitial = (i: number) => (kindAt(i) & INITIAL) !== 0 && !isSpelledForm(i);
		let own = 0;
		for (let i = 0; i < words.length; ) {
			const id = words[i] ?? 0;
			const kind = kinds[id] ?? PLAIN;
			let end = i + 1;
			if (kind === FORM) forms.push(id);
			else if ((kind & INITIAL) === 0) {
				words[own++] = id;
				if (kind === SPELLED) extras.push(...spellingsOf(id));
			} else if (isSpelledForm(i)) {
				forms.push(numberOf("CXA"));
				end = i + 3;
			} else {
				while (isInitial(end) || (kindAt(end) === CONJUNCTION && isInitial(end + 1))) end++;
				if (end === i + 1) words[own++] = id;
				else {
					let letters = "";
					for (let at = i; at < end; at++) letters += String.fromCharCode(kindAt(at) >> LETTER_SHIFT || Y);
					if (!isSpaced && letters.length > 2 && letters.endsWith(SHORT_FORM)) return { own: NEEDS_TEXT, extras };
					const row = rowOf(letters);
					if (row.word !== undefined) words[own++] = row.word;
					if (row.extra !== undefined) extras.push(row.extra);
					if (row.form !== undefined) forms.push(row.form);
				}
			}
			i = end;
		}
		if (own === 0 && forms[0] !== undefined) words[own++] = forms.shift() ?? 0;
		extras.push(...forms);
		return { own, extras };
	};
}

function readRow(letters: string, numberOf: (word: string) => number): Row {
	const form =
		FORMS_IN_A_ROW.find((one) => letters.endsWith(one)) ?? (letters.endsWith(SHORT_FORM) ? SHORT_FORM : undefined);
	const initials = form === undefined ? letters : letters.slice(0, -form.length);
	const bare = initials.replaceAll("Y", "");
	return {
		...(initials === "" ? {} : { word: numberOf(initials) }),
		...(bare === initials ? {} : { extra: numberOf(bare) }),
		...(form === undefined ? {} : { form: numberOf(form) }),
	};
}
