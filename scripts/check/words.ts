/** Words that the project does not use: not in identifiers, comments, messages, tests or documents. */

/** Whole words, also as parts of identifiers in camelCase and kebab-case. `snake_case` names of the database stay as they are. */
export const BANNED_WORDS: readonly string[] = [
	...["told", "tell", "tells", "tellers", "heed", "hasten", "bell", "desk", "closers"],
	...["whoever", "nobody", "somebody", "lest", "thereby"],
];

const banned = new Set(BANNED_WORDS);

/** Every banned word of a text with the number of its line, in the order of the text. */
export function findBannedWords(text: string): { readonly line: number; readonly word: string }[] {
	return text.split("\n").flatMap((content, index) =>
		[...content.matchAll(/[\p{L}\p{N}_$]+/gu)]
			.flatMap(([token]) => splitIdentifier(token))
			.filter((word) => banned.has(word))
			.map((word) => ({ line: index + 1, word })),
	);
}

/** `tellDefect` → tell, defect; a name in snake_case stays whole, but for a constant's. */
function splitIdentifier(token: string): string[] {
	const isConstant = /^[A-Z0-9_]+$/.test(token);
	const parts = isConstant ? token.split("_") : token.split(/(?<=[a-z0-9])(?=[A-Z])/);
	return parts.map((part) => part.toLowerCase());
}
