/** `GET /docs/{lang}/search`: a page with a plain form, or JSON for programs and for the field that searches while the reader types. */
import { type Static, Type } from "@sinclair/typebox";
import { json, type Operation, PUBLIC, queryParameter, readQuery } from "../../../platform/operation";
import { catalogue, type Language, Problem, type ProblemSlug, translate } from "../../../platform/problem";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage } from "../../html";
import { describe, PROBLEM_SLUGS } from "../../openapi";
import { prefersJson } from "../../representation";
import { isLanguage } from "./guides";
import {
	createSearchIndex,
	type Entry,
	type Hit,
	markWords,
	readSynonyms,
	type SearchIndex,
	toEntries,
} from "./search";
import { type DocsDeps, languageParameter, PROBLEM_PAGE, renderProblemPage, renderSearchForm } from "./site";

const HitSchema = Type.Object(
	{
		url: Type.String({ description: "Address on this host, with the section's anchor." }),
		title: Type.String({ description: "Of the page." }),
		heading: Type.String({ description: "Of the section; the title again for the page's beginning." }),
		excerpt: Type.String({ description: "Text around the first word found." }),
	},
	{ $id: "DocsHit" },
);
const HitList = Type.Object(
	{ items: Type.Array(HitSchema), count: Type.Integer(), partial: Type.Literal(false), next: Type.Null() },
	{ $id: "DocsHitList" },
);

const EXAMPLE: Static<typeof HitSchema> = {
	url: "/docs/en/idempotency#the-key",
	title: "Idempotency",
	heading: "The key",
	excerpt: "Send the same Idempotency-Key in every attempt.",
};

const WORDS = {
	en: { title: "Search", none: "Nothing found for", few: "results for", hint: "Try fewer or other words." },
	es: {
		title: "Buscar",
		none: "Sin resultados para",
		few: "resultados para",
		hint: "Pruebe con menos palabras o con otras.",
	},
} as const;

export type DocsSearch = (language: Language, query: string) => Hit[];

/** The index of each language is made at its first search. */
export function createDocsSearch(deps: DocsDeps): DocsSearch {
	const indexes = new Map<Language, SearchIndex>();
	return (language, query) => {
		const index = indexes.get(language) ?? createSearchIndex(listEntries(deps, language), readSynonyms());
		indexes.set(language, index);
		return index.search(query);
	};
}

function listEntries({ guides, codes, operations }: DocsDeps, language: Language): Entry[] {
	const entries = guides.list(language).flatMap((guide) => {
		const { html } = guides.render(guide, language);
		const url = `/docs/${language}/${guide.name}`;
		return toEntries(html, { url, title: guide.title }).map((entry) =>
			entry.url === url ? { ...entry, text: `${guide.summary} ${entry.text}` } : entry,
		);
	});
	const ofOperations = operations().map(({ id, method, path, summary, description = "" }) => ({
		...{ url: `/docs/${language}/api/${id}`, title: describe(summary, language), heading: `${method} ${path}` },
		text: `${describe(description, language)} ${id}`,
		factor: 0.6,
	}));
	const ofProblems = PROBLEM_SLUGS.map((slug: ProblemSlug) => {
		const { title, status, cause, fix } = catalogue[slug];
		const text = [cause, fix].map((one) => translate(one, language)).join(" ");
		return {
			url: `/errors/${slug}`,
			title: translate(title, language),
			heading: `${status} ${slug}`,
			text,
			factor: 0.8,
		};
	});
	const ofCodes = (codes?.[language] ?? []).flatMap((one) =>
		one.known
			? {
					...{ url: `/docs/${language}/codes#${one.code}`, title: one.title },
					heading: `${language === "es" ? "Código" : "Code"} ${one.code}`,
					text: `${one.cause} ${one.fix}`,
				}
			: [],
	);
	return [...entries, ...ofOperations, ...ofProblems, ...ofCodes];
}

export function searchOperation(deps: DocsDeps, search: DocsSearch): Operation {
	return {
		id: "searchDocs",
		sdk: null,
		method: "GET",
		path: "/docs/{lang}/search",
		tag: DOCUMENTATION_TAG,
		summary: "Search the documentation",
		description:
			"Guides, operations, problems and the authority's codes: a page, or JSON for `Accept: application/json`. Accents do not matter, and a word of the glossary finds its other names.",
		credentials: PUBLIC,
		limit: "docs-search",
		parameters: [
			languageParameter(),
			{
				...queryParameter("q", "Words of 2 to 80 characters.", Type.String({ minLength: 2, maxLength: 80 })),
				...{ required: true, example: "credit note" },
			},
		],
		answers: {
			200: {
				...{ description: "Up to 20 sections, the best first.", mediaType: "text/html", schema: HitList },
				example: { items: [EXAMPLE], count: 1, partial: false, next: null },
			},
			...{ 400: PROBLEM_PAGE, 404: PROBLEM_PAGE, 429: PROBLEM_PAGE },
		},
		problems: ["not-found", "validation-error"],
		renderProblem: (problem, request, requestId) => renderProblemPage(deps, problem, request, requestId),
		handle: (call) => {
			const { lang } = call.params;
			if (!isLanguage(lang)) throw new Problem("not-found");
			const { q = "" } = readQuery(call);
			const items = search(lang, q);
			const headers = { vary: "Accept", "cache-control": "public, max-age=300" };
			return prefersJson(call.request)
				? json(200, { items, count: items.length, partial: false, next: null }, headers)
				: new Response(renderHits(deps, lang, q, items), { headers: { ...PAGE_HEADERS, ...headers } });
		},
	};
}

function renderHits({ guides }: DocsDeps, language: Language, query: string, hits: readonly Hit[]): Html {
	const words = WORDS[language];
	const items = hits.map(({ url, title, heading, excerpt }) => {
		const page = heading === title ? "" : `${escapeHtml(title)} · `;
		return `<li><a href="${escapeHtml(url)}">${page}${markWords(heading, query)}</a><p>${markWords(excerpt, query)}</p></li>`;
	});
	const asked = `«${escapeHtml(query)}»`;
	const head = hits.length === 0 ? `${words.none} ${asked}. ${words.hint}` : `${hits.length} ${words.few} ${asked}`;
	return toPage({
		...{ language, query, title: `${words.title} · Sello`, area: "guides" },
		translation: `/docs/${language === "es" ? "en" : "es"}/search?q=${encodeURIComponent(query)}`,
		navigation: guides.toNavigation(language),
		body: `<article><h1>${words.title}</h1>
${renderSearchForm(language, query)}
<p role="status">${head}</p>
<ol class="hits">${items.join("")}</ol></article>`,
	});
}
