/** Queries of the registry benches, derived from the data: always the same for the same data. */

import { digitsOf } from "../src/registry/index/document-key";
import { entryAt } from "../src/registry/index/entries";
import type { Snapshot } from "../src/registry/index/open";
import { normaliseText } from "../src/registry/words/normalise";

/** Integers from 0 to below `n`. Mulberry32. */
export function makeRandom(seed: number): (n: number) => number {
	let state = seed >>> 0;
	return (n) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = Math.imul(state ^ (state >>> 15), state | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
	};
}

/**
 * Folded texts as a user types them, half of them unfinished: a first word, the first two, a word and the beginning of another, the whole
 * name.
 */
export function makeQueries(snapshot: Snapshot, count: number, seed = 3): string[] {
	const random = makeRandom(seed);
	const texts: string[] = [];
	while (texts.length < count) {
		const words = normaliseText(entryAt(snapshot, random(snapshot.entryCount)).name).split(" ");
		const [first = "", second = "", third = ""] = words;
		const forms = [
			first.slice(0, 3 + random(5)),
			`${first} ${second.slice(0, 1 + random(4))}`,
			`${second} ${first}`,
			`${third.slice(0, 4)} ${first.slice(0, 4)}`,
			words.join(" "),
		];
		const text = (forms[texts.length % forms.length] ?? "").trim();
		if (text.length >= 3) texts.push(text);
	}
	return texts;
}

/** Numbers in the snapshot. */
export function makeNumbers(snapshot: Snapshot, count: number): string[] {
	const random = makeRandom(7);
	return Array.from({ length: count }, () => digitsOf(snapshot.keys[random(snapshot.entryCount)] ?? 0));
}
