import { describe, expect, test } from "bun:test";
import { crc32, deflateRawSync } from "node:zlib";
import { zipSync } from "fflate";
import { isZip } from "../../../../src/registry/ingest/source/unzip";
import { entries, toText, toZip, unzip } from "../../build";

const text = toText(entries(200));

type Parts = {
	name: string;
	localName: string;
	flags: number;
	method: number;
	content: Uint8Array;
	packed: Uint8Array;
	crc: number;
	packedBytes: number;
	unpackedBytes: number;
	count: number;
};

/** A zip with one entry, each part of which a test may forge. */
function forge(parts: Partial<Parts> = {}): Uint8Array {
	const content = parts.content ?? text;
	const packed = parts.packed ?? deflateRawSync(content);
	const name = Buffer.from(parts.name ?? "TMP/RNC.TXT", "latin1");
	const localName = parts.localName === undefined ? name : Buffer.from(parts.localName, "latin1");
	const facts = Buffer.alloc(20);
	facts.writeUInt16LE(parts.flags ?? 0, 0);
	facts.writeUInt16LE(parts.method ?? 8, 2);
	facts.writeUInt32LE(parts.crc ?? crc32(content), 8);
	facts.writeUInt32LE(parts.packedBytes ?? packed.length, 12);
	facts.writeUInt32LE(parts.unpackedBytes ?? content.length, 16);
	const u16 = (n: number) => Buffer.of(n & 0xff, n >> 8);
	const u32 = (n: number) => Buffer.concat([u16(n & 0xffff), u16(n >>> 16)]);
	const local = Buffer.concat([u32(0x04034b50), u16(20), facts, u16(localName.length), u16(0), localName, packed]);
	const rest = Buffer.alloc(14);
	const directory = Buffer.concat([
		u32(0x02014b50),
		u16(20),
		u16(20),
		facts,
		u16(name.length),
		rest.subarray(0, 12),
		u32(0),
		name,
	]);
	const count = u16(parts.count ?? 1);
	const end = Buffer.concat([u32(0x06054b50), u32(0), count, count, u32(directory.length), u32(local.length), u16(0)]);
	return Buffer.concat([local, directory, end]);
}

test("an unmodified generated zip unpacks", async () => {
	expect(Buffer.from(await unzip(forge())).equals(text)).toBe(true);
	expect(Buffer.from(await unzip(forge({ method: 0, packed: text }))).equals(text)).toBe(true);
});

test("the output of a common packer unpacks, including folder entries", async () => {
	for (const name of ["TMP/RNC.TXT", "RNC_Contribuyentes_Actualizado_20_Nov_2026.csv"]) {
		expect(Buffer.from(await unzip(toZip(text, name))).equals(text)).toBe(true);
	}
	const withFolder = zipSync({ "TMP/": new Uint8Array(0), "TMP/RNC.TXT": text });
	expect(Buffer.from(await unzip(withFolder)).equals(text)).toBe(true);
});

test("small files beside the text are ignored", async () => {
	const readme = Buffer.from("LEEME");
	const zip = zipSync({ "LEEME.TXT": readme, "TMP/RNC.TXT": text, "../x": readme, "logo.png": readme });
	expect(Buffer.from(await unzip(zip)).equals(text)).toBe(true);
});

const bomb = Buffer.alloc(64 * 1024 * 1024);

describe("is refused", () => {
	test.each<[string, () => Uint8Array, string]>([
		["two files", () => zipSync({ "A.TXT": text, "B.TXT": text }), "one registry text in the zip, got A.TXT, B.TXT"],
		[
			"a large file beside the text",
			() => zipSync({ "A.TXT": text, "B.PDF": new Uint8Array(1024 * 1024 + 1) }),
			"other files of at most 1 MiB in the zip, got B.PDF",
		],
		[
			"many files beside the text",
			() =>
				zipSync({
					"A.TXT": text,
					...Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`${i}.png`, bomb.subarray(0, 1)])),
				}),
			"at most 20 other files in the zip, got 21",
		],
		["no file", () => zipSync({}), "got no file"],
		["a directory that counts one entry too few", () => forge({ count: 0 }), "longer than it declares"],
		["a directory that counts one entry too many", () => forge({ count: 2 }), "directory is damaged"],
		["a name that climbs", () => forge({ name: "../RNC.TXT" }), "name"],
		["a name that climbs from a folder", () => forge({ name: "TMP/../RNC.TXT" }), "name"],
		["an absolute name", () => forge({ name: "/etc/RNC.TXT" }), "name"],
		["a name with a drive", () => forge({ name: "C:\\RNC.TXT" }), "name"],
		["a name with a backslash", () => forge({ name: "TMP\\RNC.TXT" }), "name"],
		["a name with a NUL", () => forge({ name: "RNC\0.TXT" }), "name"],
		["a name of another kind", () => forge({ name: "TMP/RNC.zip" }), "name"],
		[
			"another name in the local header",
			() => forge({ localName: "TMP/ABC.TXT" }),
			"has two different names for its file",
		],
		["encryption", () => forge({ flags: 1 }), "encrypted"],
		["another packing method", () => forge({ method: 12 }), "compression method 12"],
		["zip64 sizes", () => forge({ unpackedBytes: 0xffffffff }), "zip64"],
		["a wrong checksum", () => forge({ crc: 1 }), "checksum"],
		["a declared size that is too small", () => forge({ unpackedBytes: 100 }), "more than it declares"],
		["a declared size that is too large", () => forge({ unpackedBytes: text.length + 1 }), "shorter than it declares"],
		["a bomb that says so", () => forge({ content: bomb }), "30 times"],
		["a bomb that hides its size", () => forge({ content: bomb, unpackedBytes: 1_000_000 }), "more than it declares"],
		["more than 2 GiB", () => forge({ unpackedBytes: 2 ** 31 + 1, packedBytes: 0x10000000 }), "more than 2 GiB"],
		["packed bytes that are broken", () => forge({ packed: Buffer.alloc(5_000, 0xff) }), "damaged"],
		[
			"something behind the packed bytes",
			() => forge({ packed: Buffer.concat([deflateRawSync(text), Buffer.alloc(50)]) }),
			"more compressed bytes than its file needs",
		],
		["packed bytes beyond the file", () => forge({ packedBytes: 1_000_000 }), "cut off"],
	])("%s", async (_, make, words) => {
		const zip = make();
		expect(isZip(zip)).toBe(true);
		await expect(unzip(zip)).rejects.toThrow(words);
	});

	test.each([1, 10, 50, 99, 99.99])("a zip truncated at %d %", async (percent) => {
		const zip = toZip(text);
		const cut = zip.subarray(0, Math.min(zip.length - 1, Math.floor((zip.length * percent) / 100)));
		await expect(unzip(cut)).rejects.toThrow("cut off");
	});

	test("a zip with any one byte flipped, or it unpacks to the same text", async () => {
		const zip = toZip(toText(entries(5)));
		const whole = Buffer.from(await unzip(zip));
		for (let i = 4; i < zip.length; i++) {
			const broken = Buffer.from(zip);
			broken[i] = (broken[i] ?? 0) ^ 0x41;
			const got = await unzip(broken).catch((error: Error) => error.name);
			if (typeof got === "string") expect(got).toBe("SourceError");
			else expect(Buffer.from(got).equals(whole)).toBe(true);
		}
	});
});
