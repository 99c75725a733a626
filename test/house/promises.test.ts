/** The table in DESIGN.md that names what shows each endpoint, error and limit: a row without a file, or with one that is gone, shows nothing. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const [, section = ""] = /^## What shows it\n([\s\S]*?)^## /m.exec(readFileSync(join(root, "DESIGN.md"), "utf8")) ?? [];
const rows = section
	.split("\n")
	.filter((line) => /^\| (?!-|endpoint \||error \||limit \|)/.test(line) && !line.startsWith("|---"));
const filesOf = (text: string) =>
	[...text.matchAll(/`((?:test|scripts|bench)\/[^`]+)`/g)].map((match) => match[1] ?? "");

test("every row names a file that shows it", () => {
	expect(rows.length).toBeGreaterThan(30);
	expect(rows.filter((row) => filesOf(row).length === 0)).toEqual([]);
});

test("every file that is named is there", () => {
	expect(filesOf(section).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
