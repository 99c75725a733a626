/**
 * How similar two names are, from 0 to 1.
 *
 *   words    canonical; `S.R.L.` counts as one word; order does not count
 *   weight   1 to 2, rarer words weigh more; 0.5 for links such as DE, 0.2 for legal forms such as SRL, 0 for &
 *   alike    two words: 1 if equal or one is short for the other, else 1 - (edit distance of spellings + of sounds) / (2 × letters of the longer one),
 *            and nothing below 0.75
 *   score    each word is paired with at most one of the other name, the most similar pairs first;
 *            Σ alike × (weight + weight) over the pairs ÷ Σ weight over all words of both names
 *
 * So 1 means the same words. A word that only one name has costs its weight, and a misspelling costs little. Rounded to 4 places.
 */
import { editDistances, soundOf, type Vocabulary } from "../search";
import { canonicalWords, FORMS, isSameAbbreviated, type WordKind } from "../words";

export type WeightedWord = NameWord & { readonly weight: number };

const LINK_WEIGHT = 0.5;
const FORM_WEIGHT = 0.2;
const ALIKE_MIN = 0.75;
const LETTERS_MIN = 3;

/** The words of a name with their weights. A word outside the vocabulary weighs as much as the word it is closest to. */
export function weighName(vocabulary: Vocabulary, name: string): WeightedWord[] {
	return toNameWords(name).map((one) => ({ word: one.word, kind: one.kind, weight: weightOf(vocabulary, one) }));
}

/** The same in steps of one word, because a misspelt word takes a millisecond or two. */
export function* weighInSteps(vocabulary: Vocabulary, name: string): Generator<void, WeightedWord[]> {
	const weighed: WeightedWord[] = [];
	for (const word of toNameWords(name)) {
		weighed.push({ ...word, weight: weightOf(vocabulary, word) });
		yield;
	}
	return weighed;
}

function weightOf(vocabulary: Vocabulary, { word, kind }: NameWord): number {
	if (kind === "form") return FORM_WEIGHT;
	if (kind === "link") return LINK_WEIGHT;
	if (kind === "symbol") return 0;
	const rows = vocabulary.rowsOf(word) || (vocabulary.suggest(word, 1)[0]?.rows ?? 0);
	const most = Math.max(vocabulary.maxRows, rows, 1);
	return 2 - Math.log1p(rows) / Math.log1p(most);
}

/** How similar two words are: 0, or 0.75 to 1. */
export function wordLikeness(a: string, b: string): number {
	if (a === b || isSameAbbreviated(a, b)) return 1;
	const longer = Math.max(a.length, b.length);
	if (Math.min(a.length, b.length) < LETTERS_MIN || /[0-9]/.test(a + b)) return 0;
	const max = Math.floor((1 - ALIKE_MIN) * 2 * longer);
	if (Math.abs(a.length - b.length) > max || countOtherLetters(a, b) > max) return 0;
	const spelling = editDistances(a, b, max).whole;
	if (spelling > max) return 0;
	const distance = spelling + editDistances(soundOf(a), soundOf(b), max).whole;
	return distance > max ? 0 : 1 - distance / (2 * longer);
}

/** Letters that one word has and the other lacks; the edit distance is at least as large. */
function countOtherLetters(a: string, b: string): number {
	const ofA = lettersOf(a);
	const ofB = lettersOf(b);
	return Math.max(countBits(ofA & ~ofB), countBits(ofB & ~ofA));
}

/** A bit for each letter, whichever of A to Z it is. */
function lettersOf(word: string): number {
	let letters = 0;
	for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) & 31);
	return letters;
}

function countBits(bits: number): number {
	let count = 0;
	for (let left = bits; left !== 0; left &= left - 1) count++;
	return count;
}

/** How similar a word is to the word `i` of a name. */
export type Alike = { readonly i: number; readonly alike: number };

/** The words of a name that are similar to a word. */
export function listAlike(name: readonly WeightedWord[], word: string): Alike[] {
	const list: Alike[] = [];
	for (let i = 0; i < name.length; i++) {
		const alike = wordLikeness(name[i]?.word ?? "", word);
		if (alike > 0) list.push({ i, alike });
	}
	return list;
}

/**
 * The score of two weighed names. `alikeTo` may keep its results. A score that is certainly below `floor` may be returned as 0, which saves
 * the pairing.
 */
export function scoreNames(
	a: readonly WeightedWord[],
	b: readonly WeightedWord[],
	alikeTo: (word: string) => readonly Alike[] = (word) => listAlike(a, word),
	floor = 0,
): number {
	let total = 0;
	for (const { weight } of a) total += weight;
	for (const { weight } of b) total += weight;
	const pairs: { i: number; j: number; alike: number; weight: number }[] = [];
	/** As if a word could be paired more than once. */
	let most = 0;
	for (let j = 0; j < b.length; j++) {
		const other = b[j];
		if (!other) break;
		let mostOfWord = 0;
		for (const { i, alike } of alikeTo(other.word)) {
			const weight = (a[i]?.weight ?? 0) + other.weight;
			pairs.push({ i, j, alike, weight });
			mostOfWord = Math.max(mostOfWord, alike * weight);
		}
		most += mostOfWord;
	}
	// Scores are rounded.
	if (total === 0 || most / total < floor - 0.0001) return 0;
	pairs.sort((x, y) => y.alike - x.alike || y.weight - x.weight || x.i - y.i || x.j - y.j);
	const usedA = new Set<number>();
	const usedB = new Set<number>();
	let matched = 0;
	for (const { i, j, alike, weight } of pairs) {
		if (usedA.has(i) || usedB.has(j)) continue;
		usedA.add(i);
		usedB.add(j);
		matched += alike * weight;
	}
	return Math.round((matched / total) * 10_000) / 10_000;
}

/** In place of the rarity of a word, where no vocabulary is at hand. */
const PROPER_WEIGHT = 1.5;

/**
 * The score of a name against the more similar name of an entry. No vocabulary is read, so that it takes microseconds: every word counts as
 * neither rare nor common.
 */
export function scoreNameOf(entry: { readonly name: string; readonly trade_name: string }, name: string): number {
	if (name === entry.name) return 1;
	const weigh = (text: string) => toNameWords(text).map((word) => ({ ...word, weight: plainWeightOf(word) }));
	const words = weigh(name);
	return Math.max(scoreNames(words, weigh(entry.name)), scoreNames(words, weigh(entry.trade_name)));
}

function plainWeightOf({ kind }: NameWord): number {
	if (kind === "form") return FORM_WEIGHT;
	if (kind === "symbol") return 0;
	return kind === "link" ? LINK_WEIGHT : PROPER_WEIGHT;
}

type NameWord = {
	readonly word: string;
	/** `form` is a legal form such as SRL, `link` a word such as DE, `joined` was written as single letters, `symbol` as & or +. */
	readonly kind: WordKind | "form";
};

/** The canonical words of a name, its legal form last. Initials count without the Y between them: `J & M` is `JM`. */
export function toNameWords(name: string): NameWord[] {
	const { words, kinds, form } = canonicalWords(name);
	const named = words.map((word, i): NameWord => {
		const kind = kinds[i] ?? "proper";
		if (FORMS.has(word)) return { word, kind: "form" };
		return { word: kind === "joined" ? word.replaceAll("Y", "") : word, kind };
	});
	return form === undefined ? named : [...named, { word: form, kind: "form" }];
}
