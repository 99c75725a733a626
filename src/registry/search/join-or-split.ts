/** The spellings of a query with other spaces: `CARIBE TUR` for `CARIBETUR`, and the reverse. */
import type { RegistryView } from "../runs";

/** A shorter part is a syllable, which begins too many words. */
const PART_LETTERS_MIN = 3;

/**
 * The canonical text with two neighbours joined, then with one word split into words that exist; the last one may be the beginning of a
 * word, as everywhere in a search.
 */
export function joinOrSplit({ isWord }: Pick<RegistryView, "isWord">, text: string): string[] {
	const words = text.split(" ");
	const joined = words
		.slice(1)
		.map((word, i) => [...words.slice(0, i), `${words[i]}${word}`, ...words.slice(i + 2)].join(" "));
	const split = words.flatMap((word, i) => {
		const isLast = i === words.length - 1;
		return partsOf(word)
			.filter(([first, second]) => isWord(first) && (isLast || isWord(second)))
			.map((parts) => words.toSpliced(i, 1, ...parts).join(" "));
	});
	return [...joined, ...split];
}

function partsOf(word: string): (readonly [string, string])[] {
	const count = Math.max(0, word.length - 2 * PART_LETTERS_MIN + 1);
	return Array.from({ length: count }, (_, i) => {
		const at = i + PART_LETTERS_MIN;
		return [word.slice(0, at), word.slice(at)] as const;
	});
}
