import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { readLogo } from "../../src/companies/logo";
import { Problem } from "../../src/platform/problem";

const KIBIBYTE = 1_024;

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

const PIXELS_BYTES_MAX = 6_001 * 2_000;

/** A black PNG; its header may claim more pixels than it has. */
function png(width: number, height: number, level?: number): Buffer {
	const pixels = deflateSync(Buffer.alloc(Math.min((width * 3 + 1) * height, PIXELS_BYTES_MAX)), { level });
	const chunk = (type: string, data: Uint8Array) => {
		const body = Buffer.concat([Buffer.from(type), data]);
		return Buffer.concat([uint32(data.length), body, uint32(Bun.hash.crc32(body))]);
	};
	return Buffer.concat([
		Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
		chunk("IHDR", Buffer.concat([uint32(width), uint32(height), Buffer.from([8, 2, 0, 0, 0])])),
		chunk("IDAT", pixels),
		chunk("IEND", new Uint8Array()),
	]);
}

const realJpeg = async (width: number, height: number, progressive = false) =>
	Buffer.from(await new Bun.Image(png(width, height)).jpeg({ progressive }).bytes());

/** A JPEG without pixels: all up to its frame header, after an application segment and a table. */
function jpeg(width: number, height: number, frame = 0xc0): Buffer {
	const segment = (marker: number, data: number[]) => [
		0xff,
		marker,
		(data.length + 2) >> 8,
		(data.length + 2) & 0xff,
		...data,
	];
	return Buffer.from([
		...[0xff, 0xd8],
		...segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
		...segment(0xc4, Array<number>(20).fill(1)),
		...segment(frame, [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0]),
		...segment(0xda, [1, 1, 0, 0, 63, 0]),
		...[0xff, 0xd9],
	]);
}

const read = (bytes: Buffer) => readLogo(bytes.toString("base64"));

async function refusal(text: string): Promise<string> {
	try {
		await readLogo(text);
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		expect(error.slug).toBe("logo-invalid");
		expect(error.faults.map(({ pointer, code }) => [pointer, code])).toEqual([["/pdfLogo", "logo-invalid"]]);
		return String(error.detail);
	}
	return "accepted";
}

describe("a logo", () => {
	test("is a PNG or a JPEG, recognised by its bytes", async () => {
		for (const [bytes, contentType] of [
			[png(1, 1), "image/png"],
			[png(2_000, 2_000), "image/png"],
			[await realJpeg(1, 1), "image/jpeg"],
			[await realJpeg(2_000, 2_000), "image/jpeg"],
			[await realJpeg(640, 480, true), "image/jpeg"],
		] as const) {
			const sha256 = createHash("sha256").update(bytes).digest("hex");
			const logo = await read(bytes);
			expect([logo.contentType, logo.sha256]).toEqual([contentType, sha256]);
			expect(Buffer.from(logo.bytes).equals(bytes)).toBe(true);
		}
	});

	test("may have a data address prefix, line breaks and spaces, and name the wrong type", async () => {
		const text = png(10, 10).toString("base64");
		const lines = text.replace(/.{40}/g, "$&\r\n");
		for (const form of [`data:image/png;base64,${text}`, `data:image/jpeg;base64,${text}`, lines, ` ${text}\n`]) {
			expect((await readLogo(form)).contentType).toBe("image/png");
		}
	});

	test("has at most 256 KiB, inclusive", async () => {
		const padded = (bytes: number) => Buffer.concat([png(10, 10), Buffer.alloc(bytes)]).subarray(0, bytes);
		expect((await read(padded(256 * KIBIBYTE))).bytes.length).toBe(256 * KIBIBYTE);
		expect(await refusal(padded(256 * KIBIBYTE + 1).toString("base64"))).toContain("262145 bytes");
	});

	test("measures at most 2000 by 2000 pixels, whatever its header claims", async () => {
		for (const [width, height] of [
			[2_001, 1],
			[1, 2_001],
			[50_000, 50_000],
			[0xffffffff, 0xffffffff],
			[0, 10],
			[10, 0],
		] as const) {
			expect(await refusal(png(width, height).toString("base64"))).toContain(`${width} by ${height} pixels`);
		}
		for (const [width, height] of [
			[2_001, 1],
			[65_535, 65_535],
			[0, 1],
		] as const) {
			expect(await refusal(jpeg(width, height).toString("base64"))).toContain(`${width} by ${height} pixels`);
		}
	});
});

describe("what is no logo", () => {
	test("is refused by its pixels: cut off, damaged or absent behind a good header", async () => {
		const [sound, photo] = [png(40, 40, 0), await realJpeg(40, 40)];
		for (const bytes of [
			sound.subarray(0, sound.length >> 1),
			Buffer.from(sound).fill(0x5a, 60, 200),
			sound.subarray(0, 33),
			png(40, 40).fill(0, 41, 50),
			photo.subarray(0, photo.length - 10),
			jpeg(10, 10),
		]) {
			expect(await refusal(bytes.toString("base64"))).toBe("Its pixels cannot be decoded: the file is damaged.");
		}
	});

	test("is refused by its bytes: SVG, GIF, WebP, PDF, HTML, and a PNG in name only", async () => {
		for (const bytes of [
			Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
			Buffer.from(`GIF89a${"x".repeat(40)}`),
			Buffer.from(`RIFF1234WEBP${"x".repeat(40)}`),
			Buffer.from(`%PDF-1.7${"x".repeat(40)}`),
			Buffer.from("<html></html>"),
			Buffer.alloc(100),
			png(10, 10).subarray(0, 32),
			png(10, 10).subarray(1),
			Buffer.concat([png(10, 10).subarray(0, 8), Buffer.alloc(40)]),
			jpeg(10, 10).subarray(0, 30),
			Buffer.from([0xff, 0xd8, ...Array<number>(40).fill(0)]),
			Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, ...Array<number>(40).fill(0)]),
		]) {
			expect(await refusal(bytes.toString("base64"))).toBe("It is neither a PNG nor a JPEG.");
		}
	});

	test("is refused by its text when that is no base64", async () => {
		const svg = `data:image/svg+xml;base64,${Buffer.from("<svg/>").toString("base64")}`;
		for (const text of [
			"",
			"=",
			"====",
			"not base64!",
			svg,
			"data:image/png;base64,",
			"https://example.com/logo.png",
			"ab=cd",
		]) {
			expect([text, await refusal(text)]).toEqual([text, "It is not base64."]);
		}
	});

	test("is refused at once, however long a run of spaces it has", async () => {
		expect(await refusal(`A${" ".repeat(400_000)}!`)).toBe("It is not base64.");
		expect(await refusal(`${"A".repeat(400_000)}!`)).toBe("It is not base64.");
	});

	test("built of endless empty segments is walked once and refused", async () => {
		const bytes = Buffer.alloc(256 * KIBIBYTE, Buffer.from([0xff, 0xe0, 0x00, 0x02]));
		bytes.set([0xff, 0xd8]);
		expect(await refusal(bytes.toString("base64"))).toBe("It is neither a PNG nor a JPEG.");
	});
});
