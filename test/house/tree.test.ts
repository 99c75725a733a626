import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { listProjectFiles, readText } from "../../scripts/check/project-files";
import { inboxOperations } from "../../src/api/pages/invoicing";
import { declaredOperations, operationsOfSandboxes } from "../api/support/declared-operations";

const root = join(import.meta.dir, "../..");
const files = listProjectFiles(root);
const read = (path: string) => readFileSync(join(root, path), "utf8");

const TOP_LEVEL = [
	...["src", "scripts", "bench", "data", "test", ".ci"],
	...[
		"README.md",
		"DESIGN.md",
		"CHANGELOG.md",
		"Dockerfile",
		"package.json",
		"bun.lock",
		"bunfig.toml",
		"tsconfig.json",
	],
	...[".gitignore", ".dockerignore", ".biome.jsonc"],
];

test("the top level holds only the listed files and folders", () => {
	const names = new Set(files.map((path) => path.split("/")[0] ?? ""));
	expect([...names].filter((name) => !TOP_LEVEL.includes(name))).toEqual([]);
});

test("no file or folder has a catch-all name", () => {
	const empty = /^(utils?|helpers?|common|shared|models|services|misc|lib)$/;
	const named = files.filter((path) => path.split("/").some((part) => empty.test(part.split(".")[0] ?? "")));
	expect(named).toEqual([]);
});

test("files and folders of code are in kebab-case", () => {
	const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;
	const code = files.filter((path) => /^(src|scripts|bench|test)\/.*\.ts$/.test(path));
	expect(code.filter((path) => !path.split("/").every((part) => kebab.test(part)))).toEqual([]);
});

test("each folder of test/api is named after an operation or a part of the API", () => {
	// The parts of the API, what all operations share, and the support of the tests.
	const others = ["changelog", "door", "mcp", "openapi", "pages", "server", "support"];
	const inPublic = inboxOperations({ environment: "public-sandbox" });
	const ids = [...declaredOperations(), ...operationsOfSandboxes(), ...inPublic].map(({ id }) => id);
	const known = new Set([...others, ...ids.map((id) => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))]);
	const folders = readdirSync(join(root, "test/api"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
	expect(folders.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
});

test("a test whose name begins with a status lies in the file of that status", () => {
	const misplaced = files.flatMap((path) => {
		const [, status] = /^test\/http\/[^/]+\/(\d{3})\.test\.ts$/.exec(path) ?? [];
		if (status === undefined) return [];
		const named = [...read(path).matchAll(/^\s*test\b[^"\n]*\(\s*"((\d{3}) [^"]*)"/gm)];
		return named.flatMap(([, name, stated]) => (stated === status ? [] : [`${path}: ${name}`]));
	});
	expect(misplaced).toEqual([]);
});

test("schema files and migrations have numbers without gaps and a comment", () => {
	const folder = join(root, "src/platform/database");
	// migrate.ts ignores a migration that it does not recognise.
	const kinds: [string, RegExp, number][] = [
		["schema", /^\d{2}_[a-z_]+\.sql$/, 1],
		["migrations", /^\d{4}_[a-z_]+\.sql$/, 2],
	];
	for (const [kind, pattern, first] of kinds) {
		const names = readdirSync(join(folder, kind)).filter((name) => name !== "README.md");
		expect(names.filter((name) => !pattern.test(name))).toEqual([]);
		expect(names.sort().map((name) => Number(name.split("_")[0]))).toEqual(names.map((_, index) => index + first));
		const texts = names.map((name) => readFileSync(join(folder, kind, name), "utf8"));
		expect(names.filter((_, index) => !/^--\s*\S+ \S/.test(texts[index] ?? ""))).toEqual([]);
		// The owner may lack the right to make one.
		expect(names.filter((_, index) => /create\s+(?:local\s+)?temp(?:orary)?\b/i.test(texts[index] ?? ""))).toEqual([]);
	}
});

test("the README's map lists exactly the folders of src", () => {
	if (!existsSync(join(root, "README.md")))
		throw new Error("README.md is missing; it holds the map of the folders of src");
	const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
	expect(readMap(read("README.md")).sort()).toEqual(folders.map((entry) => entry.name).sort());
});

test("one version of bun is named everywhere", () => {
	const version = (JSON.parse(read("package.json")) as { engines: { bun: string } }).engines.bun;
	expect(Bun.version).toBe(version);
	for (const path of files) {
		if (path === "CHANGELOG.md") continue;
		const named = [...(readText(root, path) ?? "").matchAll(/\b(?:oven\/bun:|npx --yes bun@)(\d+\.\d+\.\d+)/g)];
		expect({ path, versions: named.map((match) => match[1]).filter((one) => one !== version) }).toEqual({
			path,
			versions: [],
		});
	}
});

test("CI runs the test command of the README", () => {
	const command = "run check";
	expect(read(".ci/run")).toContain(`"\${bun[@]}" ${command}`);
	expect(existsSync(join(root, "README.md")) ? read("README.md") : "README.md is missing").toMatch(
		/npx --yes bun@\d+\.\d+\.\d+ run check/,
	);
});

test("every shell script stops at the first error", () => {
	for (const path of files.filter((one) => (readText(root, one) ?? "").startsWith("#!/usr/bin/env bash")))
		expect({ path: basename(path), isStrict: /^set -euo pipefail$/m.test(read(path)) }).toEqual({
			path: basename(path),
			isStrict: true,
		});
});

/**
 * The folders that the README lists: in the section whose heading says "folders", the lines that begin with a name and a
 * slash, in a list, a table or a drawing. Lines of the other top-level folders and of folders inside folders do not count.
 */
function readMap(readme: string): string[] {
	const section = /^#+ .*\bfolders?\b.*$([\s\S]*?)(?=^#+ |(?![\s\S]))/im.exec(readme)?.[1] ?? "";
	const named = [...section.matchAll(/^[\s|*-]*`?(?:src\/)?([a-z][a-z-]*)\/(?![a-z])/gm)].map(
		(match) => match[1] ?? "",
	);
	return [...new Set(named)].filter((name) => !TOP_LEVEL.includes(name));
}
