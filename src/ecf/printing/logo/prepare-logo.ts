/**
 * A company's logo on white, no larger than paper can show.
 *
 * A logo is looked at when it is uploaded, by its head alone; here its pixels are read for the first time. The runtime's codecs do that with a bound
 * on the pixels; what they cannot read is left out of the document, for a receipt without a logo is still a receipt.
 */
import { type Raster, readPng } from "./read-png";

export type Logo = { readonly width: number; readonly height: number; readonly rgb: Uint8Array };

const PIXELS_MAX = 2_000 * 2_000;

/** Fits the logo into a box of pixels. Answers undefined for bytes that are no picture. */
export async function prepareLogo(
	bytes: Uint8Array,
	widthMaxPx: number,
	heightMaxPx: number,
): Promise<Logo | undefined> {
	if (bytes.length === 0) return undefined;
	const fit = { fit: "inside", withoutEnlargement: true } as const;
	try {
		const image = new Bun.Image(bytes, { maxPixels: PIXELS_MAX }).resize(widthMaxPx, heightMaxPx, fit);
		return flatten(readPng(await image.png().bytes()));
	} catch (error) {
		if (isNoPicture(error)) return undefined;
		throw error;
	}
}

/** Any code of the runtime's codecs, and what our reader says of a form that they should not have written. */
function isNoPicture(error: unknown): boolean {
	if (error instanceof RangeError) return true;
	return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_IMAGE_");
}

function flatten({ width, height, samples, pixels }: Raster): Logo {
	const rgb = new Uint8Array(width * height * 3);
	const hasColours = samples >= 3;
	for (let i = 0; i < width * height; i++) {
		const at = i * samples;
		const alpha = samples % 2 === 0 ? (pixels[at + samples - 1] ?? 0) / 255 : 1;
		for (let c = 0; c < 3; c++) {
			const sample = pixels[at + (hasColours ? c : 0)] ?? 0;
			rgb[i * 3 + c] = Math.round(255 + (sample - 255) * alpha);
		}
	}
	return { width, height, rgb };
}
