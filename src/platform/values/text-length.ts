/**
 * Lengths in characters, as JSON Schema and the authority's XML schemas count them: code points. A text never has more of them than UTF-16 units, and
 * never less than half as many, so hardly any has to be counted.
 */

/** True when a text has more characters than that. */
export function isLongerThan(text: string, characters: number): boolean {
	return text.length > characters && (text.length > 2 * characters || countCharacters(text) > characters);
}

/** True when a text has fewer characters than that. */
export function isShorterThan(text: string, characters: number): boolean {
	return text.length < characters || (text.length < 2 * characters && countCharacters(text) < characters);
}

function countCharacters(text: string): number {
	let characters = 0;
	for (const _ of text) characters++;
	return characters;
}
