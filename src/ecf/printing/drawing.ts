/**
 * A laid-out document: pages of marks at fixed places. The layout decides everything; the writers of pages measure nothing.
 *
 * Units: points from the page's upper left corner. A text stands on its baseline.
 */
import encodeQr from "qr";
import type { FontMetrics } from "./fonts";

export type Weight = "regular" | "bold";
export type Fonts = Readonly<Record<Weight, FontMetrics>>;

export type Mark =
	| {
			readonly kind: "text";
			readonly x: number;
			readonly y: number;
			readonly text: string;
			readonly sizePt: number;
			readonly weight: Weight;
	  }
	| {
			readonly kind: "rule";
			readonly x: number;
			readonly y: number;
			readonly width: number;
			readonly thickness: number;
			readonly isLight?: true;
	  }
	| { readonly kind: "shade"; readonly x: number; readonly y: number; readonly width: number; readonly height: number }
	| { readonly kind: "frame"; readonly x: number; readonly y: number; readonly width: number; readonly height: number }
	| { readonly kind: "logo"; readonly x: number; readonly y: number; readonly width: number; readonly height: number }
	| { readonly kind: "qr"; readonly x: number; readonly y: number; readonly side: number };

export type Page = { readonly width: number; readonly height: number; readonly marks: readonly Mark[] };

export type Align = "left" | "center" | "right";
export type TextStyle = { readonly sizePt: number; readonly weight?: Weight; readonly align?: Align };

const POINTS_PER_MM = 72 / 25.4;
export const mm = (millimetres: number): number => millimetres * POINTS_PER_MM;

/** One line of text in a column that begins at `x` and has this width; `y` is its baseline. */
export function lineOfText(fonts: Fonts, text: string, x: number, y: number, width: number, style: TextStyle): Mark {
	const { sizePt, weight = "regular", align = "left" } = style;
	const free = align === "left" ? 0 : width - fonts[weight].widthOf(text, sizePt);
	return { kind: "text", x: x + (align === "center" ? free / 2 : free), y, text, sizePt, weight };
}

export function moveDown(marks: readonly Mark[], by: number): Mark[] {
	return marks.map((mark) => ({ ...mark, y: mark.y + by }));
}

export function fitBox(
	picture: { readonly width: number; readonly height: number },
	widthMax: number,
	heightMax: number,
): { readonly width: number; readonly height: number } {
	const scale = Math.min(widthMax / picture.width, heightMax / picture.height);
	return { width: picture.width * scale, height: picture.height * scale };
}

/**
 * Distributes blocks over pages in order. A block that is higher than a page gets one of its own; callers cut blocks first. There is at least one
 * page, and the last may be empty if the totals alone fill it.
 */
export function paginate<Block extends { readonly height: number }>(
	blocks: readonly Block[],
	roomPt: number,
	roomOnLastPt: number,
): Block[][] {
	const pages: Block[][] = [];
	let left = blocks.reduce((sum, block) => sum + block.height, 0);
	let at = 0;
	while (left > roomOnLastPt && at < blocks.length) {
		const page: Block[] = [];
		let height = 0;
		for (let block = blocks[at]; block && (page.length === 0 || height + block.height <= roomPt); block = blocks[at]) {
			page.push(block);
			height += block.height;
			at++;
		}
		// The totals do not get a page of their own while a block can move with them.
		const last = page.length > 1 && at === blocks.length ? page.pop() : undefined;
		if (last) {
			height -= last.height;
			at--;
		}
		pages.push(page);
		left -= height;
	}
	return [...pages, blocks.slice(at)];
}

/** `measure` must be additive over characters; each character is measured a bounded number of times. */
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

/** Pieces of a long word; each has at least one character, however narrow the line. */
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

const QR_LEVEL = "medium";

/** Rows of modules, true for dark, without the quiet zone. */
export type QrMatrix = readonly (readonly boolean[])[];

export function toQrMatrix(text: string): QrMatrix {
	// The package always adds a border.
	const framed = encodeQr(text, "raw", { ecc: QR_LEVEL, encoding: "byte", border: 1 });
	return framed.slice(1, -1).map((row) => row.slice(1, -1));
}

/** Joins neighbouring dark modules of a row: fewer shapes, and no seams between them. */
export function toRuns(matrix: QrMatrix): { readonly x: number; readonly y: number; readonly length: number }[] {
	return matrix.flatMap((row, y) => {
		const runs: { x: number; y: number; length: number }[] = [];
		for (let x = 0; x < row.length; x++) {
			const last = runs.at(-1);
			if (!row[x]) continue;
			if (last && last.x + last.length === x) last.length++;
			else runs.push({ x, y, length: 1 });
		}
		return runs;
	});
}
