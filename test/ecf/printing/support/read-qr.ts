/** Reads the QR in a picture, by a decoder that knows nothing of the encoder. */
import jsQr from "jsqr";
import type { Raster } from "../../../../src/ecf/printing/logo";

export function readQr({ width, height, samples, pixels }: Raster): string | undefined {
	const rgba = new Uint8ClampedArray(width * height * 4);
	for (let i = 0; i < width * height; i++) rgba.fill(pixels[i * samples] ?? 0, i * 4, i * 4 + 4);
	return jsQr(rgba, width, height, { inversionAttempts: "dontInvert" })?.data;
}
