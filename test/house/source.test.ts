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

test("no source file looks away from the types", () => {
	const found = sources.flatMap(([path, text]) => [
		...findLines(path, withoutComments(text), /\bas any\b|:\s*any\b|<any\b|\bany\[\]/),
		...findLines(path, text, /@ts-(?:ignore|nocheck|expect-error)|biome-ignore lint\/suspicious\/noExplicitAny/),
	]);
	expect(found).toEqual([]);
});

test("no error is caught and forgotten", () => {
	const found = code.flatMap(([path, text]) => (/\bcatch\s*(\([^)]*\)\s*)?\{\s*\}/.test(text) ? [path] : []));
	expect(found).toEqual([]);
});

test("every source file tells near its top what it is for", () => {
	// Imports aside: a reader meets a sentence within a dozen lines, before the code begins or at what it begins with.
	const silent = sources.filter(([, text]) => {
		const body = text.replace(/^(?:import|export)\b[^;]*?\bfrom "[^"]*";\n|^import "[^"]*";\n/gm, "");
		const opening = `${text.split("\n", 3).join("\n")}\n${body.trimStart().split("\n", 12).join("\n")}`;
		return !/^\s*(?:\/\*\*|\/\/) *\S*/m.test(opening);
	});
	expect(silent.map(([path]) => path)).toEqual([]);
});

test("no two kinds of work share the number of an advisory lock, or one would keep the other from running", () => {
	const numbers = sources.flatMap(([, text]) =>
		[...text.matchAll(/\b7_?301_?\d{3}\b/g)].map(([n]) => n.replaceAll("_", "")),
	);
	expect(numbers.length).toBeGreaterThan(3);
	expect(numbers.sort()).toEqual([...new Set(numbers)].sort());
});

test("no test is switched off and none runs alone", () => {
	const tests = code.filter(([path]) => path.endsWith(".test.ts"));
	// `skipIf` stays allowed: a judge from outside may be missing on a developer's machine.
	const switched = new RegExp(`\\b(?:test|it|describe)\\.(?:${["only", "skip", "todo"].join("|")})\\(`);
	expect(tests.flatMap(([path, text]) => findLines(path, text, switched))).toEqual([]);
});

test("what needs a judge that is not here is skipped, for a test that only returns would count as passed", () => {
	const finders = "(?:find(?:Judge|Browser)|has(?:S3Programs|Schemas)|Bun\\.which)\\(";
	const found = code.flatMap(([path, text]) => {
		if (!path.endsWith(".test.ts")) return [];
		const judges = [...text.matchAll(new RegExp(`^const (\\w+) = .*\\b${finders}`, "gm"))].map(([, name]) => name);
		// At the start of a line stands what runs before the tests are told, in time for `skipIf`.
		const late = findLines(path, text, new RegExp(`^\\s.*\\b${finders}`));
		const asked = new RegExp(`\\bif \\([^)]*\\b(?:${judges.join("|")})\\b.*\\) (?:return|continue|expect|await|\\{$)`);
		return judges.length === 0 ? late : [...late, ...findLines(path, text, asked)];
	});
	expect(found).toEqual([]);
});

test("the project stands alone: nothing refers to papers or folders that it does not have", () => {
	const told = [...texts].filter(([path]) =>
		/\.(ts|md|sql|toml|jsonc)$|^Dockerfile$|^\.ci\/|^package\.json$/.test(path),
	);
	const paper = /(?<![\w+/=-])D(?:[1-9]|[1-4]\d)(?![\w+/=-])|\bdecisions\.md\b|\bcontract\.md\b|\breliability\.md\b/;
	const outside = /\.\.\/shared\b/;
	expect(told.flatMap(([path, text]) => (path.startsWith("test/house/") ? [] : findLines(path, text, paper)))).toEqual(
		[],
	);
	// The judges' test support alone may look for tools beside the repository.
	expect(
		told.flatMap(([path, text]) => (path.startsWith("test/support/") ? [] : findLines(path, text, outside))),
	).toEqual([]);
});

/** Lines that are comments become empty, and what follows // on a line goes; enough for a search, not for a compiler. */
function withoutComments(text: string): string {
	return text
		.split("\n")
		.map((line) => (/^\s*(?:\/?\*|\/\/)/.test(line) ? "" : line.replace(/\s\/\/ .*$/, "")))
		.join("\n");
}

function findLines(path: string, text: string, form: RegExp): string[] {
	return text.split("\n").flatMap((line, index) => (form.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []));
}
