/**
 * A company's logo on white, no larger than paper can show.
 *
 * The runtime's codecs read its pixels, with a limit on their number. An upload that they cannot read is refused; a stored logo that they cannot
 * read is left out, because a receipt without a logo is still a receipt.
 */
import { inflateSync } from "node:zlib";

export type Logo = { readonly width: number; readonly height: number; readonly rgb: Uint8Array };

const PIXELS_MAX = 2_000 * 2_000;

/** Fits the logo into a box of pixels. Returns undefined if the bytes are not a picture. */
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

/** True if a print would show these bytes. */
export async function isPicture(bytes: Uint8Array): Promise<boolean> {
	return (await prepareLogo(bytes, 1, 1)) !== undefined;
}

/** Any error code of the runtime's codecs, and errors of our reader about their output. */
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

export type Raster = {
	readonly width: number;
	readonly height: number;
	/** Samples of a pixel: 1 grey, 2 grey and alpha, 3 colours, 4 colours and alpha. */
	readonly samples: number;
	/** Row by row, without padding. */
	readonly pixels: Uint8Array;
};

const SIGNATURE_BYTES = 8;
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 };

/** Throws a RangeError for another kind of PNG and for a broken one. Inflates no more than its header announces. */
export function readPng(bytes: Uint8Array): Raster {
	const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const data: Buffer[] = [];
	let head: { width: number; height: number; samples: number } | undefined;
	for (let at = SIGNATURE_BYTES; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
		const kind = file.toString("latin1", at + 4, at + 8);
		const body = file.subarray(at + 8, at + 8 + file.readUInt32BE(at));
		if (kind === "IHDR") head = readHead(body);
		if (kind === "IDAT") data.push(body);
	}
	if (!head) throw new RangeError("expected a PNG with a head");
	const rowBytes = head.width * head.samples;
	const wanted = (rowBytes + 1) * head.height;
	const filtered = inflateSync(Buffer.concat(data), { maxOutputLength: wanted });
	if (filtered.length !== wanted) throw new RangeError("expected a PNG with all its rows");
	return { ...head, pixels: unfilter(filtered, rowBytes, head.height, head.samples) };
}

function readHead(body: Buffer): { width: number; height: number; samples: number } {
	const samples = SAMPLES[body[9] ?? -1];
	if (body[8] !== 8 || samples === undefined || body[12] !== 0) {
		throw new RangeError("expected a PNG of 8 bits a sample, without palette, not interlaced");
	}
	return { width: body.readUInt32BE(0), height: body.readUInt32BE(4), samples };
}

function unfilter(filtered: Uint8Array, rowBytes: number, height: number, step: number): Uint8Array {
	const pixels = new Uint8Array(rowBytes * height);
	for (let y = 0; y < height; y++) {
		const from = y * (rowBytes + 1);
		const to = y * rowBytes;
		const filter = filtered[from];
		for (let x = 0; x < rowBytes; x++) {
			const left = x >= step ? (pixels[to + x - step] ?? 0) : 0;
			const up = y > 0 ? (pixels[to + x - rowBytes] ?? 0) : 0;
			const corner = x >= step && y > 0 ? (pixels[to + x - rowBytes - step] ?? 0) : 0;
			pixels[to + x] = (filtered[from + 1 + x] ?? 0) + predict(filter, left, up, corner);
		}
	}
	return pixels;
}

function predict(filter: number | undefined, left: number, up: number, corner: number): number {
	if (filter === 1) return left;
	if (filter === 2) return up;
	if (filter === 3) return (left + up) >> 1;
	if (filter !== 4) return 0;
	const estimate = left + up - corner;
	const [toLeft, toUp, toCorner] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
	return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
}
