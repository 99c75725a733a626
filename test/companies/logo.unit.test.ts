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

/** A PNG whose header claims these dimensions, with the given number of bytes as pixels. */
function png(width: number, height: number, pixels: Uint8Array = deflateSync(Buffer.alloc(64))): Buffer {
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

/** A JPEG up to its frame header, after an application segment and a table. */
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

function refusal(text: string): string {
	try {
		readLogo(text);
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		expect(error.slug).toBe("logo-invalid");
		expect(error.faults.map(({ pointer, code }) => [pointer, code])).toEqual([["/pdfLogo", "logo-invalid"]]);
		return error.detail;
	}
	return "accepted";
}

describe("a logo", () => {
	test("is a PNG or a JPEG, recognised by its bytes", () => {
		for (const [bytes, contentType] of [
			[png(1, 1), "image/png"],
			[png(2_000, 2_000), "image/png"],
			[jpeg(1, 1), "image/jpeg"],
			[jpeg(2_000, 2_000), "image/jpeg"],
			[jpeg(640, 480, 0xc2), "image/jpeg"],
		] as const) {
			const sha256 = createHash("sha256").update(bytes).digest("hex");
			const logo = read(bytes);
			expect([logo.contentType, logo.sha256]).toEqual([contentType, sha256]);
			expect(Buffer.from(logo.bytes).equals(bytes)).toBe(true);
		}
	});

	test("may have a data address prefix, line breaks and spaces, and name the wrong type", () => {
		const text = png(10, 10).toString("base64");
		const lines = text.replace(/.{40}/g, "$&\r\n");
		for (const form of [`data:image/png;base64,${text}`, `data:image/jpeg;base64,${text}`, lines, ` ${text}\n`]) {
			expect(readLogo(form).contentType).toBe("image/png");
		}
	});

	test("has at most 256 KiB, inclusive", () => {
		const frame = png(10, 10, new Uint8Array()).length;
		expect(read(png(10, 10, new Uint8Array(256 * KIBIBYTE - frame))).bytes.length).toBe(256 * KIBIBYTE);
		expect(refusal(png(10, 10, new Uint8Array(256 * KIBIBYTE - frame + 1)).toString("base64"))).toContain(
			"262145 bytes",
		);
	});

	test("measures at most 2000 by 2000 pixels, whatever its header claims", () => {
		for (const [width, height] of [
			[2_001, 1],
			[1, 2_001],
			[50_000, 50_000],
			[0xffffffff, 0xffffffff],
			[0, 10],
			[10, 0],
		] as const) {
			expect(refusal(png(width, height).toString("base64"))).toContain(`${width} by ${height} pixels`);
		}
		for (const [width, height] of [
			[2_001, 1],
			[65_535, 65_535],
			[0, 1],
		] as const) {
			expect(refusal(jpeg(width, height).toString("base64"))).toContain(`${width} by ${height} pixels`);
		}
	});
});

describe("what is no logo", () => {
	test("is refused by its bytes: SVG, GIF, WebP, PDF, HTML, and a PNG in name only", () => {
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
			expect(refusal(bytes.toString("base64"))).toBe("It is neither a PNG nor a JPEG.");
		}
	});

	test("is refused by its text when that is no base64", () => {
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
			expect([text, refusal(text)]).toEqual([text, "It is not base64."]);
		}
	});

	test("is refused at once, however long a run of spaces it has", () => {
		expect(refusal(`A${" ".repeat(400_000)}!`)).toBe("It is not base64.");
		expect(refusal(`${"A".repeat(400_000)}!`)).toBe("It is not base64.");
	});

	test("built of endless empty segments is walked once and refused", () => {
		const bytes = Buffer.alloc(256 * KIBIBYTE, Buffer.from([0xff, 0xe0, 0x00, 0x02]));
		bytes.set([0xff, 0xd8]);
		expect(refusal(bytes.toString("base64"))).toBe("It is neither a PNG nor a JPEG.");
	});
});
