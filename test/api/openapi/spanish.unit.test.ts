/** The document in Spanish is the English one with other texts. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createOpenApi, describe, listPieces, mapTexts, type OpenApiDocument } from "../../../src/api/openapi";
import { BASE_URL, declaredOperations, type Served, serveDeclared } from "../support/declared-operations";

let served: Served;
beforeAll(() => {
	served = serveDeclared();
});
afterAll(() => served.stop());

const get = (headers: Record<string, string>) => fetch(`${served.url}/openapi.json`, { headers });

test.each<[string | undefined, string]>([
	[undefined, "en"],
	["es", "es"],
	["es-DO;q=.9", "es"],
	["en;q=.5, es", "es"],
	["en, es", "en"],
	["fr", "en"],
	["*", "en"],
])("Accept-Language: %s gets the document in %s", async (asked, language) => {
	const answer = await get(asked === undefined ? { "accept-language": "" } : { "accept-language": asked });
	expect(answer.headers.get("content-language")).toBe(language);
	expect(answer.headers.get("vary")).toBe("Accept-Language, Accept-Encoding");
	const { tags, paths } = (await answer.json()) as OpenApiDocument;
	const summary = language === "es" ? "Obtener este documento" : "Get this document";
	expect(paths["/openapi.json"]?.get?.summary).toBe(summary);
	expect(tags.map(({ name }) => name)).toContain("Invoices");
});

test("each language has its own entity tag, and each tag gets a 304", async () => {
	const tags = await Promise.all(
		["en", "es"].map(async (language) => {
			const headers = { "accept-language": language };
			const etag = (await get(headers)).headers.get("etag") ?? "";
			const again = await get({ ...headers, "if-none-match": etag });
			expect([again.status, again.headers.get("content-language")]).toEqual([304, language]);
			return etag;
		}),
	);
	expect(new Set(tags).size).toBe(2);
	expect((await get({ "accept-language": "es", "if-none-match": tags[0] ?? "" })).status).toBe(200);
});

/** Without summaries, descriptions and the values of problems' examples. */
function withoutTexts({ components, ...document }: OpenApiDocument): unknown {
	const { examples: _, ...others } = components;
	const isText = (key: string, value: unknown) => /^(summary|description)$/.test(key) && typeof value === "string";
	return JSON.parse(
		JSON.stringify({ ...document, components: others }, (key, value) => (isText(key, value) ? undefined : value)),
	);
}

test("names, schemas, values and references are the same in both languages", async () => {
	const operations = declaredOperations();
	const [english, spanish] = await Promise.all(
		(["en", "es"] as const).map((language) => createOpenApi(operations, { baseUrl: BASE_URL, language })),
	);
	if (!english || !spanish) throw new Error("a document is missing");
	expect(withoutTexts(spanish)).toEqual(withoutTexts(english));
	expect(Object.keys(spanish.components.examples)).toEqual(Object.keys(english.components.examples));
	expect(spanish.components.examples["not-found"]?.value).toMatchObject({ status: 404, title: "No encontrado" });
});

test("members that are called like a keyword keep their texts apart from values", () => {
	const schema = (description: string) => ({
		properties: { description: { description }, value: { description }, default: { description } },
		example: { description: "Get this document" },
		default: { summary: "Get this document" },
	});
	expect(mapTexts(schema("Get this document"), (text) => describe(text, "es"))).toEqual(
		schema("Obtener este documento"),
	);
});

test("paragraphs, causes of problems and cells of tables are looked up one by one", () => {
	expect(listPieces("The company.\n\n`not-found`: Gone.\nFor ever.\n\n| Plan | free |\n| 1 | 2 |")).toEqual([
		"The company.",
		"Gone.\nFor ever.",
		...["Plan", "free", "1", "2"],
	]);
	expect(describe("Get this document\n\n`not-found`: Not found\n\n`x`: y\n\n| Plan | 1 |", "es")).toBe(
		"Obtener este documento\n\n`not-found`: No encontrado\n\n`x`: y\n\n| Plan | 1 |",
	);
	expect(describe("Without a text", "es")).toBe("Without a text");
});
