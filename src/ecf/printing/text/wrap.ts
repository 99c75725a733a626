/** Breaks a text into lines: between words where that can be done, inside of a word that is wider than a line, at the text's own line breaks. */

/** `measure` is additive over letters; each letter of the text is measured a bounded number of times. */
export function wrap(text: string, widthMax: number, measure: (text: string) => number): string[] {
	const lines: string[] = [];
	const space = measure(" ");
	for (const paragraph of text.split("\n")) {
		let line = "";
		let width = 0;
		for (const word of paragraph.split(/\s+/)) {
			if (word === "") continue;
			const wide = measure(word);
			if (line !== "" && width + space + wide <= widthMax) {
				line += ` ${word}`;
				width += space + wide;
				continue;
			}
			if (line !== "") lines.push(line);
			if (wide <= widthMax) [line, width] = [word, wide];
			else {
				const pieces = cut(word, widthMax, measure);
				line = pieces.pop() ?? "";
				lines.push(...pieces);
				width = measure(line);
			}
		}
		if (line !== "") lines.push(line);
	}
	return lines;
}

/** Pieces of a long word; each has one letter at least, however narrow the line. */
function cut(word: string, widthMax: number, measure: (text: string) => number): string[] {
	const pieces: string[] = [];
	let piece = "";
	let width = 0;
	for (const letter of word) {
		const wide = measure(letter);
		if (piece !== "" && width + wide > widthMax) {
			pieces.push(piece);
			[piece, width] = ["", 0];
		}
		piece += letter;
		width += wide;
	}
	return piece === "" ? pieces : [...pieces, piece];
}
