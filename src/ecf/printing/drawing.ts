/**
 * A document laid out: pages of marks in their places, ready to be written. Layout decides everything; whoever writes the pages measures nothing.
 *
 * Units: points, from the page's upper left corner. A text stands on its baseline.
 */
import type { FontMetrics } from "./text/read-font";

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

/** The same marks further down. */
export function moveDown(marks: readonly Mark[], by: number): Mark[] {
	return marks.map((mark) => ({ ...mark, y: mark.y + by }));
}

/** Largest size of a picture within a box. */
export function fitBox(
	picture: { readonly width: number; readonly height: number },
	widthMax: number,
	heightMax: number,
): { readonly width: number; readonly height: number } {
	const scale = Math.min(widthMax / picture.width, heightMax / picture.height);
	return { width: picture.width * scale, height: picture.height * scale };
}
