/**
 * The interface in Spanish. `data/i18n/openapi-es.json` holds each summary and description by its English text; those of problems are in
 * `data/i18n/es.json`. Names stay as they are: operations, members, tags, slugs and values are the same in both languages.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Language, translate } from "../../platform/problem";
import type { OpenApiDocument } from "./document";
import { isProblemSlug } from "./problem-examples";
import { problemExamples } from "./problems";

let spanish: Readonly<Record<string, string>> | undefined;

/** Read at the first use. */
function readTexts(): Readonly<Record<string, string>> {
	spanish ??= JSON.parse(readFileSync(join(import.meta.dir, "../../../data/i18n/openapi-es.json"), "utf8"));
	return spanish ?? {};
}

/** A summary, a description or the name of a tag; as it is if it has no text in that language. */
export function describe(text: string, language: Language): string {
	if (language === "en") return text;
	return mapPieces(text, (piece) => readTexts()[piece] ?? translate(piece, language));
}

/** What is looked up separately: the answers that share a status are paragraphs, problems have their slug in front, and tables have cells. */
export function listPieces(text: string): string[] {
	const pieces: string[] = [];
	mapPieces(text, (piece) => {
		pieces.push(piece);
		return piece;
	});
	return pieces;
}

const WITH_NAME = /^`([a-z0-9-]+)`: (.+)$/s;

function mapPieces(text: string, change: (piece: string) => string): string {
	const toLine = (line: string) => line.split(" | ").map(change).join(" | ");
	const toParagraph = (paragraph: string): string => {
		if (paragraph.startsWith("| ")) {
			return paragraph.replace(/^\| (.+) \|$/gm, (_, cells: string) => `| ${toLine(cells)} |`);
		}
		const [, name = "", cause = ""] = WITH_NAME.exec(paragraph) ?? [];
		return isProblemSlug(name) ? `\`${name}\`: ${change(cause)}` : change(paragraph);
	};
	return text.split("\n\n").map(toParagraph).join("\n\n");
}

/** Values that are the same in all languages. */
const KEPT = new Set(["example", "default", "const", "enum", "value"]);
/** Keywords whose members have names of their own, which may be equal to a keyword's. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "schemas", "paths", "webhooks", "responses"]);
for (const name of ["headers", "parameters", "examples", "content", "securitySchemes"]) MAPS.add(name);

/** A document with each summary and description changed. */
export function mapTexts<T>(document: T, change: (text: string) => string): T {
	const visit = (value: unknown, isMap: boolean): unknown => {
		if (Array.isArray(value)) return value.map((one) => visit(one, false));
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(
			Object.entries(value).map(([key, inner]) => [key, isMap ? visit(inner, false) : visitKeyword(key, inner)]),
		);
	};
	const visitKeyword = (key: string, inner: unknown): unknown => {
		if (KEPT.has(key) || (key === "examples" && Array.isArray(inner))) return inner;
		const isText = (key === "summary" || key === "description") && typeof inner === "string";
		return isText ? change(inner) : visit(inner, MAPS.has(key));
	};
	return visit(document, false) as T;
}

/** The English document in that language. */
export function toLanguage(document: OpenApiDocument, language: Language, baseUrl: string): OpenApiDocument {
	if (language === "en") return document;
	const { components } = document;
	const examples = problemExamples(Object.keys(components.examples).filter(isProblemSlug), baseUrl, language);
	return mapTexts({ ...document, components: { ...components, examples } }, (text) => describe(text, language));
}
