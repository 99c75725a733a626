/**
 * Widths of a TrueType font's glyphs, and which characters it has.
 *
 *     table directory ─▶ head (units per em) · hhea (how many widths) · hmtx (widths by glyph) · cmap, format 4
 *   (glyph by letter)
 *
 * Layout needs nothing else: the fonts have neither kerning nor ligatures, so the width of a text is the sum of its characters.
 * Source: the OpenType specification, those four tables.
 */
export type FontMetrics = {
	readonly has: (codePoint: number) => boolean;
	readonly widthOf: (text: string, sizePt: number) => number;
};

/** Throws an Error if the file is not such a font. */
export function readFont(bytes: Uint8Array): FontMetrics {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const tables = readDirectory(view);
	const at = (tag: string) => {
		const offset = tables.get(tag);
		if (offset === undefined) throw new Error(`the font has no table ${tag}`);
		return offset;
	};
	const unitsPerEm = view.getUint16(at("head") + 18);
	const widths = readWidths(view, at("hmtx"), view.getUint16(at("hhea") + 34));
	const glyphs = readGlyphs(view, at("cmap"));
	const advances = new Map(
		[...glyphs].map(([codePoint, glyph]) => [codePoint, (widths[glyph] ?? widths.at(-1) ?? 0) / unitsPerEm]),
	);
	const missing = (widths[0] ?? 0) / unitsPerEm;
	return {
		has: (codePoint) => advances.has(codePoint),
		widthOf(text, sizePt) {
			let sum = 0;
			for (let i = 0; i < text.length; i++) {
				const codePoint = text.codePointAt(i) ?? 0;
				if (codePoint > 0xffff) i++;
				sum += advances.get(codePoint) ?? missing;
			}
			return sum * sizePt;
		},
	};
}

const DIRECTORY_AT = 12;
const ENTRY_BYTES = 16;

function readDirectory(view: DataView): Map<string, number> {
	const count = view.getUint16(4);
	return new Map(
		Array.from({ length: count }, (_, i) => {
			const entry = DIRECTORY_AT + i * ENTRY_BYTES;
			const tag = String.fromCharCode(...[0, 1, 2, 3].map((n) => view.getUint8(entry + n)));
			return [tag, view.getUint32(entry + 8)];
		}),
	);
}

function readWidths(view: DataView, at: number, count: number): number[] {
	return Array.from({ length: count }, (_, glyph) => view.getUint16(at + glyph * 4));
}

/** From the first subtable in format 4: everything up to U+FFFF. */
function readGlyphs(view: DataView, at: number): Map<number, number> {
	const glyphs = new Map<number, number>();
	for (let i = 0; i < view.getUint16(at + 2); i++) {
		const table = at + view.getUint32(at + 4 + i * 8 + 4);
		if (view.getUint16(table) !== 4) continue;
		const bytes = view.getUint16(table + 6);
		const ends = table + 14;
		const starts = ends + bytes + 2;
		for (let segment = 0; segment < bytes; segment += 2)
			readSegment(view, starts + segment, ends + segment, bytes, glyphs);
		return glyphs;
	}
	throw new Error("the font maps no letters in format 4");
}

function readSegment(view: DataView, startAt: number, endAt: number, bytes: number, glyphs: Map<number, number>): void {
	const delta = view.getUint16(startAt + bytes);
	const rangeAt = startAt + 2 * bytes;
	const range = view.getUint16(rangeAt);
	const [start, end] = [view.getUint16(startAt), view.getUint16(endAt)];
	for (let codePoint = start; codePoint <= end && codePoint < 0xffff; codePoint++) {
		const found = range === 0 ? codePoint : view.getUint16(rangeAt + range + (codePoint - start) * 2);
		const glyph = range === 0 || found !== 0 ? (found + delta) & 0xffff : 0;
		if (glyph !== 0) glyphs.set(codePoint, glyph);
	}
}

const BOX = "\u25A1";

/** `has` states which code points can be printed. White space of any kind becomes plain spaces; line breaks stay. */
export function fitLetters(text: string, has: (codePoint: number) => boolean): string {
	if (/^[ -~]*$/.test(text)) return text;
	let fitted = "";
	for (const letter of text.normalize("NFC")) fitted += fitLetter(letter, has);
	return fitted;
}

function fitLetter(letter: string, has: (codePoint: number) => boolean): string {
	if (letter === "\n") return "\n";
	if (/^[\s\u00AD]$/u.test(letter)) return letter === "\u00AD" ? "" : " ";
	if (/^[\p{Cf}\p{Cc}]$/u.test(letter)) return "";
	if (has(letter.codePointAt(0) ?? 0)) return letter;
	const simpler = [...letter.normalize("NFKD")].filter((part) => has(part.codePointAt(0) ?? 0)).join("");
	if (simpler !== "") return simpler;
	return /^\p{M}$/u.test(letter) ? "" : BOX;
}
