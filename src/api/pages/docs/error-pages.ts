/** A page for every problem, at the problem's `type`: cause, fix and an example, as HTML or JSON. */
import { type Static, Type } from "@sinclair/typebox";
import {
	type Call,
	json,
	type Operation,
	ProblemSchema,
	PUBLIC,
	pathParameter,
	queryParameter,
} from "../../../platform/operation";
import {
	catalogue,
	chooseLanguage,
	LANGUAGES,
	type Language,
	msg,
	Problem,
	type ProblemSlug,
	translate,
} from "../../../platform/problem";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage, toProse } from "../../html";
import { exampleProblem, isProblemSlug, PROBLEM_SLUGS } from "../../openapi";
import { prefersJson } from "../../representation";
import { isLanguage } from "./guides";

const summary = {
	slug: Type.String({ description: "Last part of `type`." }),
	type: Type.String({ format: "uri" }),
	status: Type.Integer(),
	title: Type.String(),
};
const ProblemSummary = Type.Object(summary, { $id: "ProblemSummary" });
const ProblemPage = Type.Object(
	{
		...summary,
		cause: Type.String({ description: "What happened." }),
		fix: Type.String({ description: "What the caller can do." }),
		example: ProblemSchema,
	},
	{ $id: "ProblemPage" },
);
type ProblemSummary = Static<typeof ProblemSummary>;
type ProblemPage = Omit<Static<typeof ProblemPage>, "example"> & { example: Record<string, unknown> };

const ProblemList = Type.Object(
	{
		items: Type.Array(ProblemSummary),
		count: Type.Integer(),
		partial: Type.Literal(false),
		next: Type.Null(),
	},
	{ $id: "ProblemList" },
);

/** Words of the pages besides the catalogue's. */
const WORDS: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
	en: {
		problems: "Problems",
		status: "Status",
		slug: "Slug",
		title: "Title",
		cause: "Cause",
		fix: "Fix",
		example: "Example",
	},
	es: {
		problems: "Problemas",
		status: "Estado",
		slug: "Nombre",
		title: "Título",
		cause: "Causa",
		fix: "Solución",
		example: "Ejemplo",
	},
};

const toHeaders = (language: Language) => ({
	vary: "Accept, Accept-Language",
	"cache-control": "public, max-age=300",
	"content-language": language,
});
const LANGUAGE = queryParameter(
	"lang",
	"Language of the texts, in place of `Accept-Language`.",
	Type.Union(LANGUAGES.map((language) => Type.Literal(language))),
);
const answerHeaders = { "Content-Language": "Language of the texts, by `Accept-Language`; English by default." };

/** `GET /errors` and `GET /errors/{slug}`; both public, both HTML unless JSON is preferred. */
export function errorPageOperations({ baseUrl }: { readonly baseUrl: string }): Operation[] {
	const list = (language: Language) => PROBLEM_SLUGS.map((slug) => toSummary(slug, baseUrl, language));
	return [
		{
			id: "listProblems",
			sdk: "service.listProblems",
			method: "GET",
			path: "/errors",
			tag: DOCUMENTATION_TAG,
			summary: "List every problem",
			description: "HTML, or JSON for `Accept: application/json`. In Spanish or English by `Accept-Language`.",
			credentials: PUBLIC,
			parameters: [LANGUAGE],
			answers: {
				200: {
					description: "All problems, by status.",
					mediaType: "text/html",
					schema: ProblemList,
					example: toList([toSummary("validation-error", baseUrl, "en")]),
					headers: answerHeaders,
				},
			},
			problems: [],
			handle: (call) => {
				const language = languageOf(call);
				const items = list(language);
				return prefersJson(call.request)
					? json(200, toList(items), toHeaders(language))
					: toResponse(renderList(items, language), language);
			},
		},
		{
			id: "getProblem",
			sdk: "service.getProblem",
			method: "GET",
			path: "/errors/{slug}",
			tag: DOCUMENTATION_TAG,
			summary: "Explain a problem",
			description:
				"The URL is the problem's `type`. HTML, or JSON for `Accept: application/json`. In Spanish or English by `Accept-Language`.",
			credentials: PUBLIC,
			parameters: [pathParameter("slug", "Last part of the problem's `type`.", "validation-error"), LANGUAGE],
			answers: {
				200: {
					description: "Cause, fix and an example.",
					mediaType: "text/html",
					schema: ProblemPage,
					example: toProblemPage("validation-error", baseUrl, "en"),
					headers: answerHeaders,
				},
			},
			problems: ["not-found"],
			handle: (call) => getProblem(call, baseUrl),
		},
	];
}

function getProblem(call: Call, baseUrl: string): Response {
	const slug = call.params.slug ?? "";
	if (!isProblemSlug(slug)) throw new Problem("not-found", { detail: msg`There is no problem with this slug.` });
	const language = languageOf(call);
	const page = toProblemPage(slug, baseUrl, language);
	return prefersJson(call.request)
		? json(200, page, toHeaders(language))
		: toResponse(renderProblem(page, language), language);
}

function languageOf({ request, url }: Call): Language {
	const asked = url.searchParams.get("lang");
	return isLanguage(asked) ? asked : chooseLanguage(request.headers.get("accept-language"));
}

function toSummary(slug: ProblemSlug, baseUrl: string, language: Language): ProblemSummary {
	const { status, title } = catalogue[slug];
	return { slug, type: `${baseUrl}/errors/${slug}`, status, title: translate(title, language) };
}

function toList(items: readonly ProblemSummary[]) {
	return { items, count: items.length, partial: false, next: null };
}

function toProblemPage(slug: ProblemSlug, baseUrl: string, language: Language): ProblemPage {
	const { cause, fix } = catalogue[slug];
	return {
		...toSummary(slug, baseUrl, language),
		cause: translate(cause, language),
		fix: translate(fix, language),
		example: exampleProblem(slug, baseUrl, language),
	};
}

function toResponse(page: Html, language: Language): Response {
	return new Response(page, { headers: { ...PAGE_HEADERS, ...toHeaders(language) } });
}

function renderList(problems: readonly ProblemSummary[], language: Language): Html {
	const words = WORDS[language];
	const rows = problems.map(
		({ slug, status, title }) =>
			`<tr><td>${status}</td><td><a href="/errors/${slug}?lang=${language}">${slug}</a></td><td>${toProse(title)}</td></tr>`,
	);
	return toPage({
		...{ language, area: "problems" },
		title: `${words.problems} · Sello`,
		translation: `/errors?lang=${language === "es" ? "en" : "es"}`,
		body: `<h1>${words.problems}</h1>\n<table>\n<tr><th>${words.status}</th><th>${words.slug}</th><th>${words.title}</th></tr>\n${rows.join("\n")}\n</table>`,
	});
}

function renderProblem({ slug, status, title, cause, fix, example }: ProblemPage, language: Language): Html {
	const words = WORDS[language];
	return toPage({
		...{ language, area: "problems" },
		title: `${title} · Sello`,
		translation: `/errors/${slug}?lang=${language === "es" ? "en" : "es"}`,
		body: `<h1>${toProse(title)}</h1>
<p><code>${slug}</code>, HTTP ${status}</p>
<h2>${words.cause}</h2>
<p>${toProse(cause)}</p>
<h2>${words.fix}</h2>
<p>${toProse(fix)}</p>
<h2>${words.example}</h2>
<pre tabindex="0">${escapeHtml(JSON.stringify(example, null, 2))}</pre>`,
	});
}
