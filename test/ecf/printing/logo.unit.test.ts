/** Logos as they come, good and broken: a document is printed with every one of them. */
import { describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { prepareLogo, readPng } from "../../../src/ecf/printing/logo";
import { toDots } from "../../../src/ecf/printing/receipt/write-escpos";
import { chunk, LOGO, makePng } from "./support/logo";
import { jobOf, print } from "./support/papers";

const pixelAt = ({ width, rgb }: { width: number; rgb: Uint8Array }, x: number, y: number) => [
	...rgb.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
];

test("colours stay, what is transparent becomes white, and a large one becomes small", async () => {
	const logo = await prepareLogo(LOGO, 400, 400);
	if (!logo) throw new Error("the logo was refused");
	expect([logo.width, logo.height]).toEqual([200, 80]);
	expect([pixelAt(logo, 40, 40), pixelAt(logo, 140, 40), pixelAt(logo, 0, 0)]).toEqual([
		[20, 60, 140],
		[200, 60, 20],
		[255, 255, 255],
	]);
	const small = await prepareLogo(LOGO, 50, 50);
	expect([small?.width, small?.height]).toEqual([50, 20]);
});

test("a JPEG is read as well", async () => {
	const jpeg = await new Bun.Image(makePng(40, 30, 3, () => [200, 200, 200])).jpeg().bytes();
	const logo = await prepareLogo(jpeg, 400, 400);
	expect(logo && pixelAt(logo, 5, 5).every((sample) => Math.abs(sample - 200) < 4)).toBe(true);
});

describe("a broken logo", () => {
	const cut = LOGO.subarray(0, LOGO.length - 40);
	const bomb = makeBomb();
	test.each([
		["no picture", Buffer.from("<svg onload='x'/>")],
		["nothing", new Uint8Array()],
		["a PNG whose end is missing", cut],
		["a PNG that announces more pixels than a logo may have", bomb],
	])("that is %s is left out, on every paper", async (_, logo) => {
		expect(await prepareLogo(logo, 400, 400)).toBeUndefined();
		for (const format of ["a4", "thermal_58", "escpos"] as const) {
			const without = await print(jobOf("31-minimal", { format }));
			expect(Buffer.compare(await print(jobOf("31-minimal", { format, logo })), without)).toBe(0);
		}
	});
});

function makeBomb(): Uint8Array {
	const head = Buffer.from([0, 0, 0x40, 0, 0, 0, 0x40, 0, 8, 2, 0, 0, 0]);
	const data = deflateSync(Buffer.alloc(1_000_000));
	return Buffer.concat([LOGO.subarray(0, 8), chunk("IHDR", head), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

test("a PNG inflates to no more than its head announces", () => {
	const png = makePng(2, 2, 3, () => [1, 2, 3]);
	expect([...readPng(png).pixels]).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
	const swollen = Buffer.concat([png.subarray(0, 33), chunk("IDAT", deflateSync(Buffer.alloc(100_000)))]);
	expect(() => readPng(swollen)).toThrow(RangeError);
});

test("grey becomes as many black dots as it is dark", () => {
	const logo = { width: 64, height: 64, rgb: new Uint8Array(64 * 64 * 3).fill(64) };
	const black = toDots(logo).bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0);
	expect(black / 64 ** 2).toBeCloseTo(0.75, 1);
});
