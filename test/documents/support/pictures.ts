/** Pictures of pages: drawn by another program, made small enough to be kept. */
import { type Raster, readPng } from "../../../src/documents/logo/read-png";
import { drawPages } from "./poppler";

/** Sharp enough for a decoder to read the QR. */
const DPI = 200;
const KEPT_DPI = 64;
/** Enough greys to see whether a letter is there. */
const GREYS = 6;

export type Drawn = { readonly page: Raster; readonly small: Uint8Array };

export async function drawDocument(pdf: Uint8Array): Promise<Drawn[]> {
	const files = await drawPages(pdf, DPI);
	return Promise.all(
		files.map(async (file) => {
			const page = readPng(file);
			const width = Math.round((page.width * KEPT_DPI) / DPI);
			const options = { palette: true, colors: GREYS, compressionLevel: 9 };
			return { page, small: await new Bun.Image(file).resize(width).png(options).bytes() };
		}),
	);
}

/** A kept picture, which has a palette. */
export const readSmall = async (file: Uint8Array): Promise<Raster> => readPng(await new Bun.Image(file).png().bytes());

/** The lower part of a page, where its QR stands: a decoder takes long for a whole one. */
export function lowerPart({ width, height, samples, pixels }: Raster, share: number): Raster {
	const rows = Math.round(height * share);
	return { width, height: rows, samples, pixels: pixels.subarray((height - rows) * width * samples) };
}
