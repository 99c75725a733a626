import { expect, test } from "bun:test";
import { join } from "node:path";
import { listProjectFiles, readText } from "../../scripts/check/project-files";

const root = join(import.meta.dir, "../..");
const texts = new Map(
	listProjectFiles(root).flatMap((path) => {
		const text = readText(root, path);
		return text === undefined ? [] : [[path, text] as const];
	}),
);
const sources = [...texts].filter(([path]) => /^src\/.*\.ts$/.test(path));
const code = [...texts].filter(([path]) => /^(src|scripts|bench|test)\/.*\.ts$/.test(path));

test("no source file bypasses the type checker", () => {
	const found = sources.flatMap(([path, text]) => [
		...findLines(path, withoutComments(text), /\bas any\b|:\s*any\b|<any\b|\bany\[\]/),
		...findLines(path, text, /@ts-(?:ignore|nocheck|expect-error)|biome-ignore lint\/suspicious\/noExplicitAny/),
	]);
	expect(found).toEqual([]);
});

test("no catch block is empty", () => {
	const found = code.flatMap(([path, text]) => (/\bcatch\s*(\([^)]*\)\s*)?\{\s*\}/.test(text) ? [path] : []));
	expect(found).toEqual([]);
});

test("every source file states its purpose near its top", () => {
	// Without the imports, a comment stands within the first dozen lines.
	const silent = sources.filter(([, text]) => {
		const body = text.replace(/^(?:import|export)\b[^;]*?\bfrom "[^"]*";\n|^import "[^"]*";\n/gm, "");
		const opening = `${text.split("\n", 3).join("\n")}\n${body.trimStart().split("\n", 12).join("\n")}`;
		return !/^\s*(?:\/\*\*|\/\/) *\S*/m.test(opening);
	});
	expect(silent.map(([path]) => path)).toEqual([]);
});

test("no two kinds of work share the number of an advisory lock", () => {
	const numbers = sources.flatMap(([, text]) =>
		[...text.matchAll(/\b7_?301_?\d{3}\b/g)].map(([n]) => n.replaceAll("_", "")),
	);
	expect(numbers.length).toBeGreaterThan(3);
	expect(numbers.sort()).toEqual([...new Set(numbers)].sort());
});

test("no test is disabled and none runs alone", () => {
	const tests = code.filter(([path]) => path.endsWith(".test.ts"));
	// `skipIf` is allowed: an independent program may be missing on a developer's machine.
	const switched = new RegExp(`\\b(?:test|it|describe)\\.(?:${["only", "skip", "todo"].join("|")})\\(`);
	expect(tests.flatMap(([path, text]) => findLines(path, text, switched))).toEqual([]);
});

test("a test without its independent program is skipped, not passed", () => {
	const finders = "(?:find(?:Judge|Browser)|has(?:S3Programs|Schemas)|Bun\\.which)\\(";
	const found = code.flatMap(([path, text]) => {
		if (!path.endsWith(".test.ts")) return [];
		const judges = [...text.matchAll(new RegExp(`^const (\\w+) = .*\\b${finders}`, "gm"))].map(([, name]) => name);
		// A line without indentation runs before the tests are registered, in time for `skipIf`.
		const late = findLines(path, text, new RegExp(`^\\s.*\\b${finders}`));
		const asked = new RegExp(`\\bif \\([^)]*\\b(?:${judges.join("|")})\\b.*\\) (?:return|continue|expect|await|\\{$)`);
		return judges.length === 0 ? late : [...late, ...findLines(path, text, asked)];
	});
	expect(found).toEqual([]);
});

test("nothing refers to documents or folders outside the project", () => {
	const checked = [...texts].filter(([path]) =>
		/\.(ts|md|sql|toml|jsonc)$|^Dockerfile$|^\.ci\/|^package\.json$/.test(path),
	);
	const paper = /(?<![\w+/=-])D(?:[1-9]|[1-4]\d)(?![\w+/=-])|\bdecisions\.md\b|\bcontract\.md\b|\breliability\.md\b/;
	const outside = /\.\.\/shared\b/;
	expect(
		checked.flatMap(([path, text]) => (path.startsWith("test/house/") ? [] : findLines(path, text, paper))),
	).toEqual([]);
	// Only the support of the tests may look for tools beside the repository.
	expect(
		checked.flatMap(([path, text]) => (path.startsWith("test/support/") ? [] : findLines(path, text, outside))),
	).toEqual([]);
});

/** Empties comment lines and cuts trailing // comments; enough for a search, not for a compiler. */
function withoutComments(text: string): string {
	return text
		.split("\n")
		.map((line) => (/^\s*(?:\/?\*|\/\/)/.test(line) ? "" : line.replace(/\s\/\/ .*$/, "")))
		.join("\n");
}

function findLines(path: string, text: string, form: RegExp): string[] {
	return text.split("\n").flatMap((line, index) => (form.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []));
}
