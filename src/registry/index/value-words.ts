/** A value by the words that it has. */
import type { WordRange } from "./dictionary";
import type { FieldIndex } from "./open";

/** Whether the value at a position holds a word of the range. */
export function holdsWord({ words, wordStarts }: FieldIndex, position: number, { from, to }: WordRange): boolean {
	const stop = wordStarts[position + 1] ?? 0;
	for (let i = wordStarts[position] ?? 0; i < stop; i++) {
		const word = words[i] ?? 0;
		if (word >= from && word < to) return true;
	}
	return false;
}
