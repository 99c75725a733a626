/** Documents for programs that read: an index of the documentation, and all guides of a language as one text. Source: llmstxt.org. */
import { Type } from "@sinclair/typebox";
import { type Operation, PUBLIC, queryParameter } from "../../../platform/operation";
import { LANGUAGES, msg, Problem } from "../../../platform/problem";
import { DOCUMENTATION_TAG } from "../../html";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, represent } from "../../representation";
import { isLanguage } from "./guides";
import { type DocsDeps, keepRepresentations, listGuides } from "./site";

const HEADERS = { "content-type": "text/markdown; charset=utf-8" };

export function llmsOperations(deps: DocsDeps): Operation[] {
	const keep = keepRepresentations();
	const common = {
		...({ method: "GET", tag: DOCUMENTATION_TAG, credentials: PUBLIC } as const),
		answers: {
			200: { description: "The text.", mediaType: "text/markdown", headers: CACHE_HEADERS },
			304: { description: "Not modified.", headers: CACHE_HEADERS },
		},
	};
	return [
		{
			...common,
			id: "getLlms",
			sdk: null,
			path: "/llms.txt",
			summary: "Get the index for language models",
			description: "Markdown of at most 12 KB: credentials, the guides, the reference and the problems.",
			parameters: [CONDITIONAL],
			problems: [],
			handle: async (call) => answerRepresentation(call, await keep("", () => represent(renderIndex(deps), HEADERS))),
		},
		{
			...common,
			id: "getLlmsFull",
			sdk: null,
			path: "/llms-full.txt",
			summary: "Get all guides as one text",
			description: "Markdown of at most 600 KB.",
			parameters: [
				queryParameter(
					"lang",
					"Language of the guides; without it English.",
					Type.Union(LANGUAGES.map((language) => Type.Literal(language))),
				),
				CONDITIONAL,
			],
			problems: ["validation-error"],
			handle: async (call) => {
				const language = call.url.searchParams.get("lang") ?? "en";
				if (!isLanguage(language)) {
					const detail = msg`Send one of ${LANGUAGES.join(", ")}.`;
					throw new Problem("validation-error", { faults: [{ pointer: "#/query/lang", code: "enum", detail }] });
				}
				const made = () => {
					const texts = deps.guides.list(language).map((guide) => deps.guides.toMarkdown(guide).trim());
					return represent(`${texts.join("\n\n---\n\n")}\n`, HEADERS);
				};
				return answerRepresentation(call, await keep(language, made));
			},
		},
	];
}

function renderIndex({ baseUrl, guides, operations }: DocsDeps): string {
	const has = (path: string) => operations().some((operation) => operation.path === path);
	const { api_key: key, client_id: id, client_secret: secret } = guides.variables;
	const more: readonly (readonly [string, string])[] = [
		[
			"/docs/en/api",
			"the reference: a page for each operation, as Markdown by its `operationId`: `/docs/en/api/postInvoice.md`",
		],
		["/openapi.json", "every operation as OpenAPI 3.1"],
		["/errors", "every problem with cause and fix; JSON for `Accept: application/json`"],
		["/docs/en/codes", "the authority's codes"],
		["/v1/changelog", "what changed, as JSON"],
		["/llms-full.txt?lang=en", "all guides as one text; `lang=es` for Spanish"],
		["/docs/en/search?q=WORDS", "search; JSON for `Accept: application/json`"],
		["/mcp", "Model Context Protocol: tools that read, and that prepare invoices for a person's approval"],
	];
	const shown = more.filter(
		([path]) => path.startsWith("/docs/en/s") || path.startsWith("/llms") || has(path.replace("/en/", "/{lang}/")),
	);
	return `# Sello

> Electronic invoicing (e-CF) and a taxpayer registry for the Dominican Republic, as an HTTP API at ${baseUrl}.

- Credentials: header \`x-api-key: ${key}\`. For a company's documents also \`authorization: Bearer TOKEN\`, from \`POST /v1/auth/token\` with \`client_id=${id}\` and \`client_secret=${secret}\`.
- Amounts are text, such as \`"590.00"\`. Send an \`Idempotency-Key\` with each write and repeat it in every attempt.
- A refusal is a problem document: \`type\` ends with a stable name and is the address of its page.
- The sandbox issues without fiscal effect. Spanish pages: \`/docs/es/\` in place of \`/docs/en/\`.

${listGuides(guides, "en").replace(/^# .*\n\n/, "")}
## More

${shown.map(([path, words]) => `- [${path}](${path}): ${words}`).join("\n")}
`;
}
