/** The public operations that explain the authority's codes. */
import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import {
	type Call,
	checkSchema,
	headerParameter,
	matchesEtag,
	type Operation,
	type Parameter,
	PUBLIC,
	pathParameter,
} from "../../platform/operation";
import { chooseLanguage, type Language, msg, Problem } from "../../platform/problem";
import { type Explanation, explainAll, explainCode } from "./dictionary";

const ExplanationSchema = Type.Object(
	{
		code: Type.String({ description: "As the authority writes it." }),
		known: Type.Boolean({ description: "False for an unknown code; then `code` stands alone." }),
		title: Type.Optional(Type.String()),
		title_es: Type.Optional(Type.String()),
		category: Type.Optional(
			Type.String({ description: "What the code is about: result, sequence, reference, amount …" }),
		),
		sequenceConsumed: Type.Optional(
			Type.Union([Type.Boolean(), Type.Null()], {
				description:
					"Whether the number is usually used up; null if this does not follow from the code. A flag in the answer takes precedence.",
			}),
		),
		retryable: Type.Optional(Type.Boolean({ description: "The same document may be sent again." })),
		cause: Type.Optional(Type.String()),
		fix: Type.Optional(Type.String()),
		fields: Type.Optional(
			Type.Array(Type.String(), { description: "Members of the invoice request, as JSON pointers." }),
		),
		source: Type.Optional(Type.String({ description: "`official` or `observed` in live answers." })),
		docs: Type.Optional(Type.String({ description: "Page of the code." })),
	},
	{ $id: "AuthorityCode" },
);

const ListSchema = Type.Object({
	items: Type.Array(ExplanationSchema),
	count: Type.Integer(),
	partial: Type.Boolean(),
	next: Type.Null(),
});

const language: Parameter = {
	name: "Accept-Language",
	in: "header",
	required: false,
	description: "`es` or `en` (default): language of `title`, `cause` and `fix`.",
	schema: Type.String(),
	example: "es-DO",
};

const code = pathParameter(
	"code",
	"A code as the authority writes it.",
	"614",
	Type.String({
		pattern: "^[0-9A-Za-z._-]{1,20}$",
		faultDetail: msg`A code has 1 to 20 letters, digits, dots, hyphens or underscores.`,
	}),
);

export const conditional = headerParameter(
	"If-None-Match",
	"ETag of an answer that you have. The answer is 304 without a body while it is current.",
);

const answerHeaders = { "content-language": "Language of the texts.", ETag: "Hash of the texts in this language." };
export const notModified = { description: "Your copy is current." };

/** The operations under `/v1/authority/codes`. `baseUrl` has no slash at its end. */
export function authorityRoutes({ baseUrl }: { readonly baseUrl: string }): Operation[] {
	const withDocs = (explanation: Explanation) =>
		explanation.known ? { ...explanation, docs: `${baseUrl}/docs/authority-codes#${explanation.code}` } : explanation;
	const example = withDocs(explainCode("614"));

	return [
		{
			id: "listAuthorityCodes",
			sdk: "authority.listCodes",
			method: "GET",
			path: "/v1/authority/codes",
			tag: "Authority",
			summary: "List the authority's result and rejection codes",
			description:
				"The authority publishes no list. Codes 0 to 4 are official, the others were observed in its answers. Unknown codes are " +
				"passed on as they are.",
			credentials: PUBLIC,
			parameters: [language, conditional],
			answers: {
				200: {
					description: "Every known code.",
					schema: ListSchema,
					example: { items: [example], count: 1, partial: false, next: null },
					headers: answerHeaders,
				},
				304: notModified,
			},
			problems: [],
			handle: (call) => {
				const chosen = languageOf(call);
				const items = explainAll(chosen).map(withDocs);
				return answer(call, { items, count: items.length, partial: false, next: null }, chosen);
			},
		},
		{
			id: "getAuthorityCode",
			sdk: "authority.getCode",
			method: "GET",
			path: "/v1/authority/codes/{code}",
			tag: "Authority",
			summary: "Explain one code of the authority",
			description: "The meaning of a code, its causes and what to do. An unknown code is answered with `known: false`.",
			credentials: PUBLIC,
			parameters: [code, language, conditional],
			answers: {
				200: {
					description: "The explanation.",
					schema: ExplanationSchema,
					example,
					headers: answerHeaders,
				},
				304: notModified,
			},
			problems: ["validation-error"],
			handle: (call) => {
				const chosen = languageOf(call);
				return answer(call, withDocs(explainCode(codeOf(call), chosen)), chosen);
			},
		},
	];
}

function codeOf(call: Call): string {
	const value = call.params.code ?? "";
	const faults = checkSchema(code.schema, value).map((fault) => ({ ...fault, pointer: "#/path/code" }));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return value;
}

function languageOf(call: Call) {
	return chooseLanguage(call.request.headers.get("accept-language"));
}

function answer(call: Call, body: unknown, chosen: Language): Response {
	return answerWithEtag(call, body, { "content-language": chosen, vary: "Accept-Language" });
}

/** A table that changes only with a new version of the service. */
export function answerWithEtag(call: Call, body: unknown, byLanguage: Readonly<Record<string, string>> = {}): Response {
	const text = JSON.stringify(body);
	const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
	const headers = { etag, ...byLanguage, "cache-control": "public, max-age=3600" };
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	return new Response(text, { headers: { ...headers, "content-type": "application/json; charset=utf-8" } });
}
