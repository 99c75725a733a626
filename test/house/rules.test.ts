/** The rules that keep the code base easy to enter, each with a test that it finds a planted violation. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listProjectFiles, readText } from "../../scripts/check/project-files";
import {
	countLines,
	findImpliedDeps,
	findLongTestNames,
	median,
	readDepsTypes,
	readLogCalls,
} from "../../scripts/check/source-rules";
import { findBannedWords } from "../../scripts/check/words";
import { LOG_EVENT_PAGES, writeLogEvents } from "../../scripts/log-events";

const root = join(import.meta.dir, "../..");
const texts = listProjectFiles(root).flatMap((path) => {
	const text = /\.(ts|js|html|css)$/.test(path) ? readText(root, path) : undefined;
	return text === undefined ? [] : [[path, text] as const];
});
const code = texts.filter(([path]) => /^(src|scripts|bench|test)\//.test(path));
const sources = code.filter(([path]) => /^src\/.*\.ts$/.test(path));
const tests = code.filter(([path]) => path.endsWith(".test.ts"));

/** The list of banned words and the tests of the rules have to name what is banned. */
const NAMES_THE_BANNED = ["scripts/check/words.ts", "test/house/rules.test.ts"];

/** Keys of stored rate buckets, which a rolling update must share with the version before. */
const STORED: Readonly<Record<string, string>> = { "src/identity/rate-limits/policy.ts": "nobody" };

test("no banned word stands in code, tests, scripts or benches", () => {
	const found = code.flatMap(([path, text]) =>
		NAMES_THE_BANNED.includes(path)
			? []
			: findBannedWords(text)
					.filter(({ word }) => STORED[path] !== word)
					.map(({ line, word }) => `${path}:${line}: ${word}`),
	);
	expect(found).toEqual([]);
});

test("every log line names its event", () => {
	const found = sources.flatMap(([path, text]) =>
		readLogCalls(text).flatMap(({ line, event }) => (event === undefined ? [`${path}:${line}`] : [])),
	);
	expect(found).toEqual([]);
});

test("every event of a log line is listed for operators", () => {
	for (const language of ["en", "es"] as const) {
		const page = readFileSync(join(root, LOG_EVENT_PAGES[language]), "utf8");
		expect(page).toBe(writeLogEvents(root, language));
	}
});

test("dependencies are written out, one type a folder", () => {
	const implied = sources.flatMap(([path, text]) => findImpliedDeps(text).map((one) => `${path}: ${one}`));
	expect(implied).toEqual([]);
	const faces = new Set(sources.flatMap(([path]) => (path.endsWith("/index.ts") ? [path.slice(0, -9)] : [])));
	const folderOf = (path: string): string => {
		const parts = path.split("/");
		while (parts.length > 2 && !faces.has(parts.slice(0, -1).join("/"))) parts.pop();
		return parts.slice(0, -1).join("/");
	};
	const types = sources.flatMap(([path, text]) =>
		readDepsTypes(text).map((name) => ({ folder: folderOf(path), name })),
	);
	const several = [...Map.groupBy(types, ({ folder }) => folder)].flatMap(([folder, all]) =>
		all.length > 1 ? [`${folder}/: ${all.map(({ name }) => name).join(", ")}`] : [],
	);
	expect(several).toEqual([]);
});

test("no file of src has more than 600 lines", () => {
	// An entry of the event catalogue is a file of its own, however short. What is generated for client libraries and the console is long.
	const sized = sources.filter(([path]) => !/^src\/(?:events\/catalogue|sdk|console\/web)\//.test(path));
	const sizes = sized.map(([path, text]) => ({ path, lines: countLines(text) }));
	const middle = median(sizes.map(({ lines }) => lines));
	console.log(
		`src: ${sizes.length} files, median ${middle} lines, ${sizes.reduce((sum, { lines }) => sum + lines, 0)} in all`,
	);
	expect(sizes.filter(({ lines }) => lines > 600)).toEqual([]);
});

test("the name of a test has at most 80 characters", () => {
	const found = tests.flatMap(([path, text]) => findLongTestNames(text).map((name) => `${path}: ${name}`));
	expect(found).toEqual([]);
});

test("a banned word is found in identifiers, prose and constants", () => {
	const words = (text: string) => findBannedWords(text).map(({ word }) => word);
	expect(words("function tellDefect(desk: Desk) {}")).toEqual(["tell", "desk", "desk"]);
	expect(words("// Nobody is\n// told.")).toEqual(["nobody", "told"]);
	expect(words("const BELL_MS = 1; retell(); desktop; contingency_told; bells")).toEqual(["bell"]);
});

test("a log line without an event, or with another form of one, is found", () => {
	const events = (text: string) => readLogCalls(text).map(({ event }) => event);
	expect(events('log.warn("text");')).toEqual([undefined]);
	expect(events('log.info({ err, event: "late.member" }, "text");')).toEqual([undefined]);
	expect(events('log?.error({ event: "Webhook failed", err }, "text");')).toEqual([undefined]);
	expect(events('log.error(\n\t{ event: "webhook.delivery_failed", err },\n\t"text",\n);')).toEqual([
		"webhook.delivery_failed",
	]);
});

test("dependencies that are taken from elsewhere are found", () => {
	expect(findImpliedDeps("type A = Parameters<typeof f>[0];")).toHaveLength(1);
	expect(findImpliedDeps("export type ADeps = BDeps & { readonly x: X };")).not.toEqual([]);
	expect(findImpliedDeps('export type ADeps = Pick<BDeps, "sql">;')).toHaveLength(1);
	expect(findImpliedDeps("export type ADeps = {\n\treadonly x: X;\n};")).toEqual([]);
	expect(readDepsTypes("export type ADeps = {};\ntype BDeps = {};")).toEqual(["ADeps"]);
});

test("a long name of a test is found, whatever its quotes and modifiers", () => {
	const long = "x".repeat(81);
	expect(findLongTestNames(`test("${long}", () => {});`)).toEqual([long]);
	expect(findLongTestNames(`test.skipIf(!judge)(\n\t\`${long}\`, () => {});`)).toEqual([long]);
	expect(findLongTestNames(`test("short", () => { expect("${long}"); });`)).toEqual([]);
});
