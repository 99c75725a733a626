/** Whether two pictures of a page show the same, however the letters' edges are smoothed. */
import type { Raster } from "../../../../src/ecf/printing/logo";

const BLOCK = 3;
/** Greys by which the mean of a block of 3 by 3 dots may differ. */
const DIFFERENCE_MAX = 24;
/** Blocks that may differ by more: other smoothing, and another palette, touch some. */
const BLOCKS_MAX = 6;

/** What is different, in words; empty for the same picture. */
export function findDifference(drawn: Raster, kept: Raster): string {
	if (Math.abs(drawn.width - kept.width) > 1 || Math.abs(drawn.height - kept.height) > 1) {
		return `measures ${drawn.width} by ${drawn.height} instead of ${kept.width} by ${kept.height}`;
	}
	let blocks = 0;
	let different = 0;
	for (let y = 0; y + BLOCK <= Math.min(drawn.height, kept.height); y += BLOCK) {
		for (let x = 0; x + BLOCK <= Math.min(drawn.width, kept.width); x += BLOCK) {
			blocks++;
			if (Math.abs(meanOf(drawn, x, y) - meanOf(kept, x, y)) > DIFFERENCE_MAX) different++;
		}
	}
	return different > BLOCKS_MAX ? `${different} of ${blocks} blocks are different` : "";
}

function meanOf({ pixels, width, samples }: Raster, left: number, top: number): number {
	let sum = 0;
	for (let y = top; y < top + BLOCK; y++) {
		for (let x = left; x < left + BLOCK; x++) sum += pixels[(y * width + x) * samples] ?? 0;
	}
	return sum / BLOCK ** 2;
}
