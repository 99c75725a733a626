/** Pictures of pages: drawn by another program in greys, made small enough to be kept. */
import type { Raster } from "../../../../src/ecf/printing/logo";
import { makePng } from "./logo";
import { drawPages } from "./poppler";

/** Sharp enough for a decoder to read the QR. */
export const DPI = 192;
/** Dots that become one in a kept picture: 64 to the inch. */
const SHRINK = 3;
/** Greys of a kept picture: enough to see whether a letter is there. */
const STEP = 17;

export type Drawn = { readonly page: Raster; readonly small: Raster };

export async function drawDocument(pdf: Uint8Array): Promise<Drawn[]> {
	return (await drawPages(pdf, DPI)).map((file) => {
		const page = readGreys(file);
		return { page, small: shrink(page) };
	});
}

/** A small picture as a file to keep. */
export const toFile = ({ width, height, pixels }: Raster): Uint8Array =>
	makePng(width, height, 1, (x, y) => [pixels[y * width + x] ?? 0]);

/** The lower part of a page, where its QR stands, as wide as the widest roll: a decoder takes long for a whole page. */
export function lowerPart({ width, height, pixels }: Raster): Raster {
	const [rows, columns] = [Math.round(height * 0.4), Math.min(width, Math.ceil((DPI * 80) / 25.4))];
	const part = Array.from({ length: rows }, (_, row) => {
		const at = (height - rows + row) * width;
		return pixels.subarray(at, at + columns);
	});
	return { width: columns, height: rows, samples: 1, pixels: Buffer.concat(part) };
}

/** A PGM file: `P5`, width, height, 255, then a byte a dot. */
function readGreys(file: Uint8Array): Raster {
	const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(Buffer.from(file.subarray(0, 40)).toString("latin1"));
	if (!head) throw new Error("expected a picture in greys");
	return { width: Number(head[1]), height: Number(head[2]), samples: 1, pixels: file.subarray(head[0].length) };
}

function shrink({ width, height, pixels }: Raster): Raster {
	const [columns, rows] = [Math.floor(width / SHRINK), Math.floor(height / SHRINK)];
	const small = new Uint8Array(columns * rows);
	for (let y = 0; y < rows; y++) {
		for (let x = 0; x < columns; x++) {
			let sum = 0;
			for (let dy = 0; dy < SHRINK; dy++) {
				for (let dx = 0; dx < SHRINK; dx++) sum += pixels[(y * SHRINK + dy) * width + x * SHRINK + dx] ?? 0;
			}
			small[y * columns + x] = Math.round(sum / SHRINK ** 2 / STEP) * STEP;
		}
	}
	return { width: columns, height: rows, samples: 1, pixels: small };
}
