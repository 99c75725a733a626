import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/** The profiles, the format's tables, the table of provinces and the independent simulator name types as data; client libraries and the browser import nothing of it. */
const EXEMPT =
	/^src\/(ecf\/types\.ts|ecf\/format\/|ecf\/mapping\/codes\.ts|simulator\/|sdk\/|console\/web\/pages\/issue\/row\.ts)/;
const TYPE = `["'](?:31|32|33|34|41|44)["']`;
const USES: Readonly<Record<string, RegExp>> = {
	comparison: new RegExp(`[=!]==?\\s*${TYPE}|${TYPE}\\s*[=!]==?`),
	case: new RegExp(`\\bcase ${TYPE}:`),
	list: new RegExp(`(?:=|Set\\()\\s*\\[\\s*${TYPE}|includes\\(${TYPE}\\)`),
	table: /^\s*["']?(?:31|32|33|34|41|44)["']?:\s/m,
};

function findUses(text: string): string[] {
	const code = text.replace(/^\s*(\*|\/\/|\/\*).*$/gm, "");
	return Object.entries(USES).flatMap(([kind, form]) => (form.test(code) ? [kind] : []));
}

test("only the profiles decide by the type of an e-CF", () => {
	const paths = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: root }), "scripts/random/random-invoice.ts"];
	expect(paths.length).toBeGreaterThan(500);
	const found = paths
		.filter((path) => !EXEMPT.test(path))
		.flatMap((path) => findUses(readFileSync(join(root, path), "utf8")).map((kind) => `${path}: ${kind}`));
	expect(found).toEqual([]);
});

test("a planted comparison, case, list or table of types is found", () => {
	expect(findUses('const isNote = type === "33" || type === "34";')).toEqual(["comparison"]);
	expect(findUses("if ('41' != type) return;")).toEqual(["comparison"]);
	expect(findUses('\t\tcase "44":\n')).toEqual(["case"]);
	expect(findUses('const EXCHANGED: readonly string[] = ["31", "33"];')).toEqual(["list"]);
	expect(findUses('new Set(["31"])')).toEqual(["list"]);
	expect(findUses('const TITLES = {\n\t"31": "a",\n};')).toEqual(["table"]);
	expect(findUses('\t// type === "33"\n\tconst example = { type: "31" };')).toEqual([]);
});
