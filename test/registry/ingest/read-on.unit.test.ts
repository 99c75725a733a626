import { expect, test } from "bun:test";
import type { NameChunk } from "../../../src/registry/ingest/build/names";
import { createParser, parseSource } from "../../../src/registry/ingest/source/parse";
import { entries, toLine } from "../build";

/** More than format detection needs. */
const lines = entries(140_000).map((one, i) =>
	i % 1_000 === 7 ? toLine(one).replace(" NUMERO", "\r\nNUMERO") : toLine(one),
);
const text = lines.join("\r\n").replace("NUMERO 10 ", "NÚMERO 10 ");

/** Parses pieces, each of which is overwritten after it was taken. */
function parse(bytes: Uint8Array, ends: readonly number[]) {
	const chunks: NameChunk[] = [];
	const parser = createParser(bytes.length, { takeNames: (chunk) => chunks.push(chunk) });
	let start = 0;
	for (const end of [...ends, bytes.length]) {
		const piece = Uint8Array.from(bytes.subarray(start, end));
		parser.take(piece);
		piece.fill(0x7c);
		start = end;
	}
	return { parsed: parser.finish(), chunks };
}

function parseWhole(bytes: Uint8Array) {
	const chunks: NameChunk[] = [];
	return { parsed: parseSource(bytes, { takeNames: (chunk) => chunks.push(chunk) }), chunks };
}

test.each<BufferEncoding>(["latin1", "utf8"])("a source reads alike whole and while it comes in, in %s", (encoding) => {
	const bytes = Buffer.from(text, encoding);
	const ends = Array.from({ length: 40 }, (_, i) => Math.floor((bytes.length * (i + 1)) / 41));
	const whole = parseWhole(bytes);
	expect(whole.parsed.rows).toBe(140_000);
	expect(parse(bytes, ends)).toEqual(whole);
});

test("a source parses alike in pieces shorter than its lines, without a final line end", () => {
	const half = Buffer.from(text.slice(0, Math.floor(text.length * 0.9)), "latin1");
	const ends = [10_000_000];
	for (let i = 0; i < 2_000; i++) ends.push((ends.at(-1) ?? 0) + (i % 90));
	expect(parse(half, ends)).toEqual(parseWhole(half));
});
