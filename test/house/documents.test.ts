/** Documents: their size, their wording, and whether what they name exists. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
	checkSize,
	checkWording,
	findMissingPaths,
	outlineOf,
	readFrontMatter,
	readPaths,
	readSentences,
} from "../../scripts/check/documents";
import { listProjectFiles } from "../../scripts/check/project-files";
import { WINGS } from "../../scripts/check/wings";
import { BANNED_WORDS } from "../../scripts/check/words";
import { listDescribedSettings, listReadSettings, writeSettingsPage } from "../../scripts/settings-page";
import { ADMIN } from "../../src/cli";
import { EXTRA_EVENTS, SPECIFIED_EVENTS } from "../../src/events/catalogue";
import { SCOPES } from "../../src/platform/operation";

const root = join(import.meta.dir, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const documents = listProjectFiles(root).filter((path) => path.endsWith(".md") && existsSync(join(root, path)));
const pages = documents.filter((path) => path.startsWith("data/docs/"));
const wingPages = documents.filter((path) => /^src\/[^/]+\/README\.md$/.test(path));
const prose = ["README.md", "DESIGN.md", ...wingPages, ...pages.filter((path) => path.startsWith("data/docs/en/"))];

test("no document is larger or smaller than its kind may be", () => {
	expect(documents.flatMap((path) => checkSize(path, statSync(join(root, path)).size) ?? [])).toEqual([]);
});

test("every wing has a page, and no other folder of src has one", () => {
	expect([...wingPages].sort()).toEqual(WINGS.map((wing) => `src/${wing}/README.md`).sort());
});

test("every path that a document names exists", () => {
	const named = [...prose, "bench/README.md", "bench/tried.md"].flatMap((path) =>
		findMissingPaths(root, path, read(path)),
	);
	expect(named).toEqual([]);
});

test("documents use plain words and short sentences", () => {
	const sources = documents.filter((path) => /\/SOURCE\.md$|^bench\/|^CHANGELOG\.md$/.test(path));
	expect([...prose, ...sources].flatMap((path) => checkWording(path, read(path)))).toEqual([]);
});

test("every page for users has front matter, and no two of a section share a place", () => {
	const heads = pages.map((path) => ({ folder: path.split("/")[2], ...readFrontMatter(path, read(path)) }));
	expect(heads.length).toBeGreaterThan(15);
	const places = heads.map(({ folder, section, order }) => `${folder} ${section} ${order}`);
	expect(places.filter((place, n) => places.indexOf(place) !== n)).toEqual([]);
});

test("each page is in Spanish too, with the headings, tables and examples of English", () => {
	const spanish = pages.filter((path) => path.startsWith("data/docs/es/"));
	const unwritten = pages.filter((path) => !spanish.includes(path.replace("/en/", "/es/")));
	expect(unwritten).toEqual([]);
	const differing = spanish.filter((path) => {
		const english = path.replace("/es/", "/en/");
		return !documents.includes(english) || !Bun.deepEquals(outlineOf(read(path)), outlineOf(read(english)));
	});
	expect(spanish.length).toBeGreaterThan(15);
	expect(differing).toEqual([]);
	expect(spanish.flatMap((path) => findMissingPaths(root, path, read(path)))).toEqual([]);
});

/** Events that webhooks can subscribe to but that the page for receivers leaves out: a test event, and one without an emitter. */
const UNDOCUMENTED_EVENTS = ["webhook.test"];

test("the pages for users name every scope, event and operator's command", () => {
	const page = (name: string) => read(`data/docs/en/${name}.md`);
	const commands = Object.keys(ADMIN.commands);
	expect(commands.length).toBeGreaterThan(15);
	expect(commands.filter((name) => !page("operation").includes(`\`${name}`))).toEqual([]);
	expect(SCOPES.filter((name) => !page("authentication").includes(`\`${name}\``))).toEqual([]);
	const events = [...SPECIFIED_EVENTS, ...EXTRA_EVENTS].filter((name) => !UNDOCUMENTED_EVENTS.includes(name));
	expect(events.filter((name) => !page("webhooks").includes(`\`${name}\``))).toEqual([]);
});

test("every setting has a sentence in both languages, and its page is current", () => {
	const described = listDescribedSettings();
	const sources = listProjectFiles(root).filter((path) => /^src\/.*\.ts$/.test(path));
	const source = sources.map(read).join("\n");
	// The service sets it for its own children.
	expect(listReadSettings(root).filter((name) => !described.includes(name))).toEqual(["REUSE_PORT"]);
	expect(described.filter((name) => !source.includes(name))).toEqual([]);
	expect(new Set(described).size).toBe(described.length);
	expect(described.length).toBeGreaterThan(50);
	for (const language of ["en", "es"] as const) {
		const page = writeSettingsPage(language);
		expect(page).not.toMatch(/\| +\||undefined/);
		expect(read(`data/docs/${language}/settings.md`)).toBe(page);
	}
});

test("a document that is too large or too small is found", () => {
	expect(checkSize("README.md", 10_241)).toContain("10241 bytes");
	expect(checkSize("DESIGN.md", 20_481)).toContain("20481 bytes");
	expect(checkSize("src/ecf/README.md", 8_193)).toContain("8193 bytes");
	expect(checkSize("data/docs/en/settings.md", 3_071)).toContain("allowed are 3072");
	expect(checkSize("data/docs/en/settings.md", 12_289)).toContain("12288");
	expect(checkSize("data/traceability.md", 90_000)).toBeUndefined();
	expect(checkSize("src/ecf/types.ts", 90_000)).toBeUndefined();
});

test("a path that does not exist is found, in backticks and in a link", () => {
	const text =
		"See `src/gone/here.ts:12`, `src/main.ts` and [this](gone.md), not `src/*/README.md` or [that](https://a.b).";
	expect(findMissingPaths(root, "DESIGN.md", text)).toEqual([
		"DESIGN.md names src/gone/here.ts, which does not exist",
		"DESIGN.md names gone.md, which does not exist",
	]);
	expect(readPaths("```sh\ncat `src/gone.ts`\n```")).toEqual([]);
});

test("banned and archaic words are found in prose and tables, not in code", () => {
	const [banned = ""] = BANNED_WORDS;
	const planted = (word: string) => checkWording("a.md", `The caller is ${word} at once.`).join();
	expect(planted(banned)).toContain(`banned words: ${banned}`);
	expect(planted(banned.toUpperCase())).toContain(`banned words: ${banned}`);
	expect(planted("hence")).toContain("archaic words: hence");
	expect(checkWording("a.md", `| name | what ${banned} does |`).join()).toContain(banned);
	expect(checkWording("a.md", `Call \`${banned}\` here.\n\n\`\`\`ts\n${banned}();\n\`\`\`\n`)).toEqual([]);
	const one = `Upon a page ${"word ".repeat(2_000)}.`;
	expect(checkWording("a.md", `${"A short sentence of plain words here. ".repeat(400)}Hence it is allowed.`)).toEqual(
		[],
	);
	expect(checkWording("a.md", one).join()).toContain("words a sentence");
});

test("long sentences are found; code is one word, headings and tables are none", () => {
	const long = `${"word ".repeat(25).trim()}.`;
	expect(checkWording("a.md", long).join()).toContain("25.0 words a sentence");
	expect(checkWording("a.md", `# ${long}\n\n| ${long} |\n\nShort.`)).toEqual([]);
	expect(readSentences("One `a b c d` two. Three\nfour.\n\n- five\n- six seven")).toEqual([
		"One CODE two.",
		"Three four.",
		"five",
		"six seven",
	]);
});

test("an outline has examples to the byte, and of the text only its form", () => {
	const page = "# Uno\n\n```sh\n# not a heading\n```\n\n| a |\n|---|\n\n## Dos\n";
	expect(outlineOf(page)).toEqual(["#", "```sh\n# not a heading\n```", "|", "|", "##"]);
});

test("a page without a member of its front matter is refused", () => {
	expect(() => readFrontMatter("a.md", "---\ntitle: A\norder: one\n---\n")).toThrow(
		"needs section, summary, order as a",
	);
});
