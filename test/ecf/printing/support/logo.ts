/** Logos as companies upload them. */
import { deflateSync } from "node:zlib";

/** A PNG of 8 bits a sample, grey or colours with or without transparency, row by row from a function. */
export function makePng(
	width: number,
	height: number,
	samples: 1 | 3 | 4,
	colourAt: (x: number, y: number) => readonly number[],
): Uint8Array {
	const rows = Buffer.alloc((width * samples + 1) * height);
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++)
			rows.set(colourAt(x, y).slice(0, samples), y * (width * samples + 1) + 1 + x * samples);
	}
	const head = Buffer.alloc(13);
	head.writeUInt32BE(width, 0);
	head.writeUInt32BE(height, 4);
	head.set([8, { 1: 0, 3: 2, 4: 6 }[samples], 0, 0, 0], 8);
	return Buffer.concat([
		Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
		chunk("IHDR", head),
		chunk("IDAT", deflateSync(rows, { level: 9 })),
		chunk("IEND", Buffer.alloc(0)),
	]);
}

export function chunk(kind: string, data: Uint8Array): Buffer {
	const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
	const framed = Buffer.alloc(body.length + 8);
	framed.writeUInt32BE(data.length, 0);
	framed.set(body, 4);
	framed.writeUInt32BE(Bun.hash.crc32(body), body.length + 4);
	return framed;
}

/** A dark disc beside a bar on nothing: what is transparent must be white on paper. */
export const LOGO = makePng(200, 80, 4, (x, y) => {
	if ((x - 40) ** 2 + (y - 40) ** 2 < 36 ** 2) return [20, 60, 140, 255];
	return x > 90 && x < 190 && y > 25 && y < 55 ? [200, 60, 20, 255] : [0, 0, 0, 0];
});
