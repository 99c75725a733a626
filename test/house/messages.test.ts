/** Every text for callers exists in Spanish. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findTemplates, hasWords, listPlaceholders, listTemplates } from "../../scripts/check/messages";
import { listProjectFiles } from "../../scripts/check/project-files";

const root = join(import.meta.dir, "../..");
const spanish = JSON.parse(readFileSync(join(root, "data/i18n/es.json"), "utf8")) as Record<string, string>;
const templates = new Map(listTemplates(root).map((one) => [one.template, one]));
const code = (template: string) => (template.match(/`[^`]+`/g) ?? []).sort();

test("every template has a Spanish text with the same placeholders and the same code", () => {
	const wrong = [...templates.values()].filter(({ template }) => {
		const text = spanish[template];
		if (!hasWords(template)) return text !== undefined;
		if (text === undefined || text.trim() === "") return true;
		const isSame = listPlaceholders(text).join() === listPlaceholders(template).join();
		return !isSame || code(text).join() !== code(template).join();
	});
	expect(wrong.map(({ path, template }) => `${path}: ${template}`)).toEqual([]);
	expect(templates.size).toBeGreaterThan(700);
});

test("no Spanish text is without its template", () => {
	expect(Object.keys(spanish).filter((template) => !templates.has(template))).toEqual([]);
});

test("Spanish texts say usted, and never name the authority by its initials", () => {
	expect(Object.values(spanish).filter((text) => /\b(?:DGII|tú|tu|tus|te|vos)\b/iu.test(text))).toEqual([]);
});

test("messages are made by their tag alone", () => {
	const sources = listProjectFiles(root).filter((path) => /^src\/.*\.ts$/.test(path));
	const made = sources.filter(
		(path) =>
			!path.startsWith("src/platform/problem/") && /\bmsg\(|new Message\(/.test(readFileSync(join(root, path), "utf8")),
	);
	expect(made).toEqual([]);
});

test("templates are found within templates, with the code of their values", () => {
	// `§` stands for a dollar, so that these texts are not taken for templates.
	const dollar = (text: string) => text.replaceAll("§", "$");
	const source = dollar(
		'f(msg`A §{x ? "}" : `b§{c}`} and \\`d\\` §{msg`inner §{{ n: 1 }.n}`}.`); other`no §{msg`last`}`;',
	);
	expect(findTemplates("a.ts", source).map(({ template, values }) => [template, ...values])).toEqual([
		["A {0} and `d` {1}.", ...['x ? "}" : `b§{c}`', "msg`inner §{{ n: 1 }.n}`"].map(dollar)],
		["inner {0}", "{ n: 1 }.n"],
		["last"],
	]);
	expect(["{0}: {1}", "{0} of"].map(hasWords)).toEqual([false, true]);
});
