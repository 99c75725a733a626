/** Words and their abbreviations. Source: data/registry/abbreviations.txt, from the country's usual spellings. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dir, "../../../data/registry/abbreviations.txt");

/** Each class: the word in full, then its abbreviations. Folded. */
export const ABBREVIATION_CLASSES: readonly (readonly string[])[] = readFileSync(FILE, "utf8")
	.split("\n")
	.filter((line) => line !== "" && !line.startsWith("#"))
	.map((line) => line.split(" "));

const spellings = new Map<string, Set<string>>();
for (const members of ABBREVIATION_CLASSES) {
	for (const member of members) {
		const others = spellings.get(member) ?? new Set();
		spellings.set(member, others);
		for (const other of members) if (other !== member) others.add(other);
	}
}

const noneOther: readonly string[] = [];

/** Under which further words a word is indexed. Those that the word itself starts with find it as prefixes. */
const listed = new Map<string, readonly string[]>();
for (const [word, others] of spellings) {
	const unlike = [...others].filter((other) => !word.startsWith(other));
	listed.set(
		word,
		unlike.filter((other) => !unlike.some((longer) => longer !== other && longer.startsWith(other))),
	);
}

export function otherSpellings(word: string): readonly string[] {
	return listed.get(word) ?? noneOther;
}

/** Whether one word is an abbreviation of the other, or both are of a third. */
export function isSameAbbreviated(a: string, b: string): boolean {
	return spellings.get(a)?.has(b) ?? false;
}
