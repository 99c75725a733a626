import { expect, test } from "bun:test";
import { createParser, parseSource } from "../../../src/registry/ingest/parse";
import { createNames, type NameChunk } from "../../../src/registry/snapshot/names";
import { entries, toLine } from "../build";

/** More than what the format is recognised by. */
const lines = entries(140_000).map((one, i) =>
	i % 1_000 === 7 ? toLine(one).replace(" NUMERO", "\r\nNUMERO") : toLine(one),
);
const text = lines.join("\r\n").replace("NUMERO 10 ", "NÚMERO 10 ");

function parse(bytes: Uint8Array, ends: readonly number[]) {
	const chunks: NameChunk[] = [];
	const parser = createParser(bytes, { takeNames: (chunk) => chunks.push(chunk) });
	for (const end of ends) parser.readTo(end);
	return { parsed: parser.finish(), chunks };
}

test.each<BufferEncoding>(["latin1", "utf8"])("a source reads alike whole and while it comes in, in %s", (encoding) => {
	const bytes = Buffer.from(text, encoding);
	const ends = Array.from({ length: 40 }, (_, i) => Math.floor((bytes.length * (i + 1)) / 41));
	const chunks: NameChunk[] = [];
	const whole = parseSource(bytes, { takeNames: (chunk) => chunks.push(chunk) });
	expect(whole.rows).toBe(140_000);
	expect(parse(bytes, ends)).toEqual({ parsed: whole, chunks });
});

test("what has not come yet is not looked at", () => {
	const bytes = Buffer.from(text, "latin1");
	const half = Math.floor(bytes.length * 0.9);
	const coming = Buffer.alloc(bytes.length);
	bytes.copy(coming, 0, 0, half);
	const names = createNames();
	const parser = createParser(coming, { takeNames: names.take });
	parser.readTo(half);
	bytes.copy(coming, half, half);
	expect(parser.finish().refusedCount).toBe(parseSource(bytes, { takeNames: createNames().take }).refusedCount);
});
