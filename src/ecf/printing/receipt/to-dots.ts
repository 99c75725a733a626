/** A picture in black and white dots, its greys made of both (Floyd and Steinberg's error diffusion). */
import type { Logo } from "../logo/prepare-logo";

/** Rows of whole bytes, the first dot in the highest bit, 1 for black. */
export type Dots = { readonly rowBytes: number; readonly rows: number; readonly bits: Uint8Array };

export function toDots({ width, height, rgb }: Logo): Dots {
	const rowBytes = Math.ceil(width / 8);
	const bits = new Uint8Array(rowBytes * height);
	const greys = Float64Array.from({ length: width * height }, (_, i) => {
		const [red = 0, green = 0, blue = 0] = rgb.subarray(i * 3, i * 3 + 3);
		return 0.299 * red + 0.587 * green + 0.114 * blue;
	});
	const spread = (x: number, y: number, error: number) => {
		if (x >= 0 && x < width && y < height) greys[y * width + x] = (greys[y * width + x] ?? 0) + error;
	};
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const grey = greys[y * width + x] ?? 0;
			const isBlack = grey < 128;
			const error = (grey - (isBlack ? 0 : 255)) / 16;
			const at = y * rowBytes + (x >> 3);
			if (isBlack) bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7));
			spread(x + 1, y, error * 7);
			spread(x - 1, y + 1, error * 3);
			spread(x, y + 1, error * 5);
			spread(x + 1, y + 1, error);
		}
	}
	return { rowBytes, rows: height, bits };
}
