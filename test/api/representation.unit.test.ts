import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { represent } from "../../src/api/representation";
import type { Coding } from "../../src/platform/operation";

const HTML = { "content-type": "text/html; charset=utf-8" };
const textOf = (n: number) => `${n} ${"ñandú ".repeat(150_000)}`;
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const ORDERS: readonly (readonly (Coding | undefined)[])[] = [
	[undefined, "gzip", "zstd", undefined],
	["gzip", undefined, "zstd", "gzip"],
	["zstd", "gzip", undefined],
];

test("a text is the same in every coding, in whichever order they are asked for", async () => {
	const text = textOf(1);
	for (const codings of ORDERS) {
		const { bytesIn } = represent(text, HTML);
		for (const coding of codings) {
			const bytes = await bytesIn(coding);
			const plain = coding === "gzip" ? gunzipSync(bytes) : coding === "zstd" ? zstdDecompressSync(bytes) : bytes;
			expect(decode(plain) === text).toBe(true);
		}
	}
});

test("callers who ask at the same time for different codings get the same text", async () => {
	const text = textOf(2);
	const { bytesIn } = represent(text, HTML);
	const [plain, zipped, packed, again] = await Promise.all([
		bytesIn(undefined),
		bytesIn("gzip"),
		bytesIn("zstd"),
		bytesIn("gzip"),
	]);
	expect([plain, gunzipSync(zipped), zstdDecompressSync(packed)].map((bytes) => decode(bytes) === text)).toEqual([
		true,
		true,
		true,
	]);
	expect(again).toBe(zipped);
});

test("a text that was sent is kept compressed alone", async () => {
	const readMiB = () => {
		Bun.gc(true);
		return heapStats().extraMemorySize / 2 ** 20;
	};
	const before = readMiB();
	const kept = Array.from({ length: 30 }, (_, n) => represent(textOf(n), HTML));
	for (const [n, one] of kept.entries()) await one.bytesIn(([undefined, "gzip", "zstd"] as const)[n % 3]);
	const grown = readMiB() - before;
	expect(kept.length).toBe(30);
	console.log(`30 texts of 1 MiB: ${grown.toFixed(1)} MiB`);
	expect(grown).toBeLessThan(10);
});
