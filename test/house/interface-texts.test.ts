/** Every text of the interface exists in Spanish. A missing one is added to `data/i18n/openapi-es.json`, in the order of the English texts. */
import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenApi, listPieces, mapTexts } from "../../src/api/openapi";
import { inboxOperations } from "../../src/api/pages/invoicing";
import { BASE_URL, declaredOperations, operationsOfSandboxes } from "../api/support/declared-operations";

const read = (name: string): Record<string, string> =>
	JSON.parse(readFileSync(join(import.meta.dir, "../../data/i18n", name), "utf8"));
const spanish = read("openapi-es.json");
const ofProblems = read("es.json");

/** Names of tags, and the pieces of all summaries and descriptions. */
const texts = new Set<string>();
beforeAll(async () => {
	const operations = [
		...declaredOperations(),
		...operationsOfSandboxes(),
		...inboxOperations({ environment: "public-sandbox" }),
	];
	const document = await createOpenApi(operations, { baseUrl: BASE_URL });
	for (const { name } of document.tags) texts.add(name);
	mapTexts(document, (text) => {
		for (const piece of listPieces(text)) texts.add(piece);
		return text;
	});
});

const hasWords = (text: string) => /\p{L}/u.test(text.replace(/`[^`]*`/g, ""));
const code = (text: string) => (text.match(/`[^`]+`/g) ?? []).sort().join();

test("every text of the interface has a Spanish one", () => {
	const missing = [...texts].filter((text) => hasWords(text) && !spanish[text]?.trim() && !ofProblems[text]);
	expect(missing.sort()).toEqual([]);
	expect(texts.size).toBeGreaterThan(1500);
});

test("no Spanish text of the interface is without its English one, or there twice", () => {
	const unused = Object.keys(spanish).filter((text) => !texts.has(text) || !hasWords(text) || text in ofProblems);
	expect(unused).toEqual([]);
	expect(Object.keys(spanish)).toEqual(Object.keys(spanish).sort());
});

test("a Spanish text has the same code and line breaks as the English one", () => {
	const wrong = Object.entries(spanish).filter(([english, text]) => code(english) !== code(text));
	expect(wrong.map(([english]) => english)).toEqual([]);
	const blank = Object.values(spanish).filter((text) => text !== text.trim() || text.includes("\n\n"));
	expect(blank).toEqual([]);
});

test("texts of the interface say usted, and keep to the glossary", () => {
	const wrong = /\b(?:DGII|tú|tu|tus|te|vos|alcances?|dueños?|seguimiento)\b/iu;
	expect(Object.values(spanish).filter((text) => wrong.test(text))).toEqual([]);
});
