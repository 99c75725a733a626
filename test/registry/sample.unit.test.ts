import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generateRegistry } from "../../scripts/generate-registry";
import { KNOWN_STATUSES } from "../../src/registry/known-values";
import { parseEntries, SAMPLE, temporaryFolder, unzip } from "./build";

test("the sample equals the output of its command and matches SOURCE.md", () => {
	const folder = temporaryFolder();
	const out = join(folder.path, "again.zip");
	generateRegistry({ records: 2_000, seed: 1, out });
	const sample = readFileSync(SAMPLE);
	expect(readFileSync(out).equals(sample)).toBe(true);
	folder.remove();
	const text = readFileSync(join(SAMPLE, "../SOURCE.md"), "utf8");
	expect(text).toContain(createHash("sha256").update(sample).digest("hex"));
});

test("another seed makes other people and keeps the companies of the examples", async () => {
	const folder = temporaryFolder();
	const parsed = await Promise.all(
		[1, 2].map(async (seed) => {
			const out = join(folder.path, `${seed}.zip`);
			generateRegistry({ records: 500, seed, out });
			return parseEntries(await unzip(readFileSync(out)));
		}),
	);
	folder.remove();
	const [first, second] = parsed.map(({ entries }) => new Map(entries.map((e) => [e.rnc, e])));
	const fixed = ["131880681", "101010101", ...Array.from({ length: 20 }, (_, i) => String(990_000_001 + i))];
	for (const digits of fixed) {
		expect(first?.get(digits)?.status).toBe("ACTIVO");
		expect(second?.get(digits)).toEqual(first?.get(digits));
	}
	expect([...(first?.values() ?? [])]).not.toEqual([...(second?.values() ?? [])]);
});

test("the sample has the oddities of the real file", async () => {
	const text = await unzip(readFileSync(SAMPLE));
	const lines = Buffer.from(text).toString("latin1").split("\r\n");
	const some = (form: RegExp) => expect(lines.filter((line) => form.test(line)).length).toBeGreaterThan(0);
	some(/^\d+\|[^|]*\S {2}\S/);
	some(/^\d+\|[^|]* \|/);
	some(/"/);
	some(/\| \| \| \| \|/);
	some(/\|00\/00\/0000\|/);
	some(/^\d{8}\|/);
	some(/Ñ/);
	expect(lines.filter((line) => line !== "" && line.split("|").length < 11).length).toBeGreaterThan(1);
	const parsed = parseEntries(text);
	expect(parsed.entries.length).toBe(2_000);
	expect(new Set(parsed.entries.map((e) => e.status))).toEqual(new Set(KNOWN_STATUSES));
	expect(new Set(parsed.entries.map((e) => e.payment_regime))).toEqual(new Set(["NORMAL", "RST", "PST", "N/D"]));
	expect(parsed.entries.filter((e) => e.rnc.length === 11).length).toBeGreaterThan(500);
	expect(parsed.refused["document-form"]).toBeGreaterThan(0);
	expect(parsed.entries.some((e) => /["]| {2}|^ | $/.test(Object.values(e).join("|")))).toBe(false);
});
