/**
 * How alike two names are, from 0 to 1.
 *
 *   words    folded; `S.R.L.` counts as one word; order does not count
 *   weight   1 to 2, the rarer the heavier; 0.5 for links such as DE, 0.2 for legal forms such as SRL
 *   alike    two words: 1 when equal, else 1 - (edit distance of spellings + of sounds) / (2 × letters of the longer one),
 *            and nothing below 0.75
 *   score    each word is paired with at most one of the other name, the most alike pairs first;
 *            Σ alike × (weight + weight) over the pairs ÷ Σ weight over all words of both names
 *
 * So 1 means the same words, a word that only one name has costs its weight, and a misspelling little. Rounded to 4 places.
 */
import { editDistances } from "../search/fuzzy/edit-distance";
import { soundOf } from "../search/fuzzy/sound";
import type { Vocabulary } from "../search/fuzzy/vocabulary";
import { type NameWord, toNameWords } from "./name-words";

export type WeightedWord = NameWord & { readonly weight: number };

const LINK_WEIGHT = 0.5;
const FORM_WEIGHT = 0.2;
const ALIKE_MIN = 0.75;
const LETTERS_MIN = 3;

/** The words of a name with their weights. A word that is not in the vocabulary weighs what the one it seems to mean does. */
export function weighName(vocabulary: Vocabulary, name: string): WeightedWord[] {
	return toNameWords(name).map((word) => ({ ...word, weight: weightOf(vocabulary, word) }));
}

/** The same, a word a step: one that is misspelt takes a millisecond or two. */
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
	const rows = vocabulary.rowsOf(word) || (vocabulary.suggest(word, 1)[0]?.rows ?? 0);
	const most = Math.max(vocabulary.rowsMost, rows, 1);
	return 2 - Math.log1p(rows) / Math.log1p(most);
}

/** How alike two words are: 0, or 0.75 to 1. */
export function wordLikeness(a: string, b: string): number {
	if (a === b) return 1;
	const longer = Math.max(a.length, b.length);
	if (Math.min(a.length, b.length) < LETTERS_MIN || /[0-9]/.test(a + b)) return 0;
	const max = Math.floor((1 - ALIKE_MIN) * 2 * longer);
	if (Math.abs(a.length - b.length) > max) return 0;
	const spelling = editDistances(a, b, max).whole;
	if (spelling > max) return 0;
	const distance = spelling + editDistances(soundOf(a), soundOf(b), max).whole;
	return distance > max ? 0 : 1 - distance / (2 * longer);
}

/** The score of two names whose words have been weighed. `likeness` may remember what it was asked. */
export function scoreNames(
	a: readonly WeightedWord[],
	b: readonly WeightedWord[],
	likeness: (a: string, b: string) => number = wordLikeness,
): number {
	const pairs: { i: number; j: number; alike: number; weight: number }[] = [];
	for (const [i, one] of a.entries()) {
		for (const [j, other] of b.entries()) {
			const alike = likeness(one.word, other.word);
			if (alike > 0) pairs.push({ i, j, alike, weight: one.weight + other.weight });
		}
	}
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
	const total = [...a, ...b].reduce((sum, word) => sum + word.weight, 0);
	return total === 0 ? 0 : Math.round((matched / total) * 10_000) / 10_000;
}
