/** The guides as pages, as Markdown, and what a reader gets who asks for a page that does not exist. */
import { Type } from "@sinclair/typebox";
import type { Explanation } from "../../../authority/codes";
import { memoize } from "../../../platform/concurrency";
import { type Operation, PUBLIC, pathParameter } from "../../../platform/operation";
import {
	catalogue,
	chooseLanguage,
	LANGUAGES,
	type Language,
	Problem,
	translate,
	writeMessage,
} from "../../../platform/problem";
import type { Environment } from "../../../platform/values";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage } from "../../html";
import type { OpenApiDocument } from "../../openapi";
import {
	answerRepresentation,
	CACHE_HEADERS,
	CONDITIONAL,
	prefersJson,
	type Representation,
	represent,
} from "../../representation";
import { renderSamples } from "./code";
import { type Guide, type Guides, isLanguage } from "./guides";

/** Explanations in each language, in the same order. */
export type ExplainedCodes = Readonly<Record<Language, readonly Explanation[]>>;

export type DocsDeps = {
	readonly baseUrl: string;
	readonly guides: Guides;
	/** For readers whose browser prefers neither language. */
	readonly docsLanguage: Language;
	/** Whether the process serves the registry and nothing else. */
	readonly isRegistryAlone: boolean;
	/** Absent in processes that serve no invoices. */
	readonly codes: ExplainedCodes | undefined;
	readonly environment: Environment;
	/** The OpenAPI document in a language. */
	readonly documentIn: (language: Language) => Promise<OpenApiDocument>;
	/** All operations of the process; read at the first request. */
	readonly operations: () => readonly Operation[];
};

export const MARKDOWN_HEADERS = { "content-type": "text/markdown; charset=utf-8" };

const WORDS = {
	en: {
		title: "Sello documentation",
		lead: "Issue electronic invoices (e-CF) and look up taxpayers of the Dominican Republic. Everything here works in the sandbox, without an account.",
		registryLead:
			"Look up taxpayers of the Dominican Republic, follow their changes, and prove what the registry held.",
		first: "Issue the first invoice",
		lookUp: "Look up a taxpayer",
		untranslated: "This page exists in English only.",
		...{
			previous: "Previous",
			next: "Next",
			pages: "Further pages",
			tools: "Tools",
			search: "Search",
			noPage: "Page not found",
			...{ request: "Request", explanation: "Cause and fix" },
		},
		noPageText: "There is no page at this address. Search for what you need, or begin with the list of guides.",
	},
	es: {
		title: "Documentación de Sello",
		lead: "Emita comprobantes electrónicos (e-CF) y consulte contribuyentes de la República Dominicana. Todo funciona en el ambiente de pruebas, sin una cuenta.",
		registryLead:
			"Consulte contribuyentes de la República Dominicana, siga sus cambios y demuestre qué contenía el registro.",
		first: "Emitir el primer comprobante",
		lookUp: "Consultar un contribuyente",
		untranslated: "Esta página existe solo en inglés.",
		...{
			previous: "Anterior",
			next: "Siguiente",
			pages: "Otras páginas",
			tools: "Herramientas",
			search: "Buscar",
			noPage: "Página no encontrada",
			...{ request: "Solicitud", explanation: "Causa y solución" },
		},
		noPageText: "No hay una página en esta dirección. Busque lo que necesita o empiece por la lista de guías.",
	},
} as const satisfies Readonly<Record<Language, Readonly<Record<string, string>>>>;

export const languageParameter = () =>
	pathParameter("lang", "Language of the page.", "es", Type.Union(LANGUAGES.map((language) => Type.Literal(language))));

/** A problem to those who ask for `text/html`. */
export const PROBLEM_PAGE = { description: "For readers, a page that says so.", mediaType: "text/html" } as const;

/** What all pages declare. */
export const PAGE_ANSWERS: Operation["answers"] = {
	200: { description: "The page.", mediaType: "text/html", headers: CACHE_HEADERS },
	304: { description: "Not modified.", headers: CACHE_HEADERS },
};

export const PAGE_OR_MARKDOWN: Operation["answers"] = {
	...PAGE_ANSWERS,
	200: {
		...{ description: "The page, or its Markdown.", mediaType: "text/html", alsoMediaTypes: ["text/markdown"] },
		headers: CACHE_HEADERS,
	},
	404: PROBLEM_PAGE,
};

/** `/docs`, `/docs/{lang}` and `/docs/{lang}/{page}`. Pages are rendered at the first request and kept. */
export function siteOperations(deps: DocsDeps): Operation[] {
	const keep = keepRepresentations();
	const home = (language: Language, more: Record<string, string> = {}) =>
		keep(`${language} ${more.vary ?? ""}`, () => represent(renderHome(deps, language), { ...PAGE_HEADERS, ...more }));
	const common = {
		...({ method: "GET", tag: DOCUMENTATION_TAG, credentials: PUBLIC } as const),
		renderProblem: (problem: Problem, request: Request, requestId: string) =>
			renderProblemPage(deps, problem, request, requestId),
	};
	return [
		{
			...common,
			id: "getDocs",
			sdk: null,
			path: "/docs",
			summary: "Show the documentation",
			description:
				"The list of guides, in the language that `Accept-Language` prefers. The page loads nothing from other hosts and is readable without scripts.",
			parameters: [CONDITIONAL],
			answers: PAGE_ANSWERS,
			problems: [],
			handle: async (call) => {
				const language = chooseLanguage(call.request.headers.get("accept-language"), deps.docsLanguage);
				const headers = {
					vary: "Accept-Language",
					"content-language": language,
					"content-location": `/docs/${language}`,
				};
				return answerRepresentation(call, await home(language, headers));
			},
		},
		{
			...common,
			id: "getDocsHome",
			sdk: null,
			path: "/docs/{lang}",
			summary: "Show the list of guides",
			description: "Add `.md` to the address for Markdown.",
			parameters: [languageParameter(), CONDITIONAL],
			answers: PAGE_OR_MARKDOWN,
			problems: ["not-found"],
			handle: async (call) => {
				const [, language, twin] = /^(\w+?)(\.md)?$/.exec(call.params.lang ?? "") ?? [];
				if (!isLanguage(language)) throw new Problem("not-found");
				const markdown = () => represent(listGuides(deps.guides, language), MARKDOWN_HEADERS);
				return answerRepresentation(call, await (twin ? keep(`${language}.md`, markdown) : home(language)));
			},
		},
		{
			...common,
			id: "getDocsPage",
			sdk: null,
			path: "/docs/{lang}/{page}",
			summary: "Show a guide",
			description:
				"Add `.md` to the address for Markdown. The examples contain the demo's credentials in the sandboxes, elsewhere names of environment variables.",
			parameters: [
				languageParameter(),
				pathParameter("page", "Name of the guide, as in its address.", "first-invoice"),
				CONDITIONAL,
			],
			answers: PAGE_OR_MARKDOWN,
			problems: ["not-found"],
			handle: async (call) => {
				const { lang: language, page = "" } = call.params;
				const guide = isLanguage(language) && deps.guides.find(language, page.replace(/\.md$/, ""));
				if (!isLanguage(language) || !guide) throw new Problem("not-found");
				const made = page.endsWith(".md")
					? () => represent(deps.guides.toMarkdown(guide), MARKDOWN_HEADERS)
					: () => represent(renderGuide(deps.guides, guide, language), PAGE_HEADERS);
				return answerRepresentation(call, await keep(`${language}/${page}`, made));
			},
		},
	];
}

/** Makes each representation at its first request. */
export function keepRepresentations() {
	const kept = new Map<string, () => Promise<Representation>>();
	return (name: string, make: () => Representation | Promise<Representation>): Promise<Representation> => {
		const found = kept.get(name) ?? memoize(async () => make());
		kept.set(name, found);
		return found();
	};
}

function renderGuide(guides: Guides, guide: Guide, language: Language): Html {
	const words = WORDS[language];
	const { name, written, title, summary, section } = guide;
	const { html, headings } = guides.render(guide, language);
	const sectionName = guides.bySection(language).find((one) => one.guides.includes(guide))?.name ?? section;
	const lang = written === language ? "" : ` lang="${written}"`;
	const note = written === language ? "" : `<div class="note" role="note"><p>${words.untranslated}</p></div>\n`;
	const other = language === "es" ? "en" : "es";
	return toPage({
		...{ language, summary, headings, area: "guides" },
		title: `${title} · Sello`,
		translation: `/docs/${other}/${name}`,
		markdown: `/docs/${language}/${name}.md`,
		navigation: guides.toNavigation(language, name),
		body: `<article>
<p class="crumb">${escapeHtml(sectionName)}</p>
${note}<div${lang}>${html.replace("</h1>\n", `</h1>\n<p class="lead">${escapeHtml(summary)}</p>\n`)}</div>
</article>
${renderNeighbours(guides.list(language), guide, language)}`,
	});
}

function renderNeighbours(list: readonly Guide[], guide: Guide, language: Language): Html {
	const at = list.indexOf(guide);
	const link = (to: Guide | undefined, word: string, rel: string) =>
		to
			? `<a rel="${rel}" href="/docs/${language}/${to.name}"><span>${word}</span> ${escapeHtml(to.title)}</a>`
			: "<span></span>";
	const words = WORDS[language];
	return `<nav class="neighbours" aria-label="${words.pages}">${link(list[at - 1], words.previous, "prev")}${link(list[at + 1], words.next, "next")}</nav>`;
}

const TRY = `curl -s {{base_url}}/v1/authority/document/990000001 \\
  -H "x-api-key: {{api_key}}"`;

/** Pages besides the guides, where the process has them. */
const TOOLS: readonly { readonly path: string; readonly en: string; readonly es: string }[] = [
	{ path: "/docs/{lang}/api", en: "API reference", es: "Referencia de la API" },
	{ path: "/docs/explorer", en: "All operations on one page", es: "Todas las operaciones en una página" },
	{ path: "/docs/{lang}/codes", en: "The authority's codes", es: "Códigos de la autoridad" },
	{ path: "/sdk", en: "Client libraries for download", es: "Bibliotecas de cliente para descargar" },
	{ path: "/docs/webhooks", en: "Webhook receivers in six languages", es: "Receptores de webhooks en seis lenguajes" },
	{ path: "/docs/verify", en: "Verify evidence files in the browser", es: "Verificar evidencias en el navegador" },
	{ path: "/inbox", en: "The sandbox's inbox", es: "La bandeja del ambiente de pruebas" },
	{ path: "/status", en: "Status of the service", es: "Estado del servicio" },
	{ path: "/consulta", en: "Search taxpayers without a key", es: "Buscar contribuyentes sin clave" },
];

function renderHome(deps: DocsDeps, language: Language): Html {
	const { guides, isRegistryAlone } = deps;
	const words = WORDS[language];
	const sections = guides.bySection(language).map(({ name, guides: list }) => renderCards(name, list, language));
	return toPage({
		...{ language, title: words.title, area: "guides" },
		summary: isRegistryAlone ? words.registryLead : words.lead,
		translation: `/docs/${language === "es" ? "en" : "es"}`,
		markdown: `/docs/${language}.md`,
		body: `${renderHero(deps, words.title, language)}
${sections.join("\n")}
${renderTools(deps, language)}`,
	});
}

/** The beginning of a page that leads to others: what this is, where to begin, and a command that works in the sandboxes. */
export function renderHero(
	{ guides, isRegistryAlone }: DocsDeps,
	title: string,
	language: Language,
	/** Before the others. */
	action?: { readonly href: string; readonly text: string },
): Html {
	const words = WORDS[language];
	const actions = [
		...(action ? [action] : []),
		...(isRegistryAlone ? [] : [{ href: `/docs/${language}/first-invoice`, text: words.first }]),
		{ href: `/docs/${language}/look-up`, text: words.lookUp },
	].map(({ href, text }, n) => `<a class="button${n === 0 ? "" : " plain"}" href="${href}">${text}</a>`);
	return `<div class="hero"><div><h1>${title}</h1>
<p class="lead">${isRegistryAlone ? words.registryLead : words.lead}</p>
<p class="actions">${actions.join("")}</p></div>
${renderSamples([{ language: "bash", code: TRY }], guides.variables, language)}</div>`;
}

/** Links to guides, each with its summary. */
export function renderCards(heading: string, list: readonly Guide[], language: Language): Html {
	const items = list.map(
		({ name, title, summary, written }) =>
			`<li${written === language ? "" : ` lang="${written}"`}><a href="/docs/${language}/${name}">${escapeHtml(title)}</a><p>${escapeHtml(summary)}</p></li>`,
	);
	return `<section><h2>${escapeHtml(heading)}</h2><ul class="cards">${items.join("")}</ul></section>`;
}

export function renderTools({ operations }: DocsDeps, language: Language): Html {
	const tools = TOOLS.filter(({ path }) => operations().some((operation) => operation.path === path)).map(
		(tool) => `<li><a href="${tool.path.replace("{lang}", language)}">${tool[language]}</a></li>`,
	);
	return `<section><h2>${WORDS[language].tools}</h2><ul class="cards">${tools.join("")}</ul></section>`;
}

/** The guides as Markdown: a line for each. */
export function listGuides(guides: Guides, language: Language): string {
	const sections = guides.bySection(language).map(({ name, guides: list }) => {
		const lines = list.map(
			({ name: page, title, summary }) => `- [${title}](/docs/${language}/${page}.md): ${summary}`,
		);
		return `## ${name}\n\n${lines.join("\n")}\n`;
	});
	return `# ${WORDS[language].title}\n\n${sections.join("\n")}`;
}

/** A problem as a page, for a browser that opens the address; programs get its document. */
export function renderProblemPage(
	{ docsLanguage }: Pick<DocsDeps, "docsLanguage">,
	problem: Problem,
	request: Request,
	requestId: string,
): Response | undefined {
	const { method, url, headers: sent } = request;
	const isReader = method === "GET" && (sent.get("accept") ?? "").includes("text/html") && !prefersJson(request);
	if (!isReader || sent.has("x-api-key") || sent.has("authorization")) return undefined;
	const asked = /^\/docs\/(es|en)\b/.exec(URL.parse(url)?.pathname ?? "")?.[1];
	const language = isLanguage(asked) ? asked : chooseLanguage(sent.get("accept-language"), docsLanguage);
	const words = WORDS[language];
	const isMissing = problem.slug === "not-found";
	const title = isMissing ? words.noPage : translate(catalogue[problem.slug].title, language);
	const details = isMissing
		? [words.noPageText]
		: [problem.detail, ...problem.faults.map(({ detail }) => detail)].map((one) => writeMessage(one, language));
	const page = toPage({
		...{ language, title: `${title} · Sello` },
		body: `<article><h1>${escapeHtml(title)}</h1>
${details.map((detail) => `<p>${escapeHtml(detail)}</p>`).join("\n")}
${isMissing ? "" : `<p><a href="/errors/${problem.slug}">${words.explanation}</a></p>\n`}${renderSearchForm(language, "")}
<p><a href="/docs/${language}">${words.title}</a></p>
<p class="soft">${words.request} <code>${escapeHtml(requestId)}</code></p></article>`,
	});
	const headers = { ...PAGE_HEADERS, "content-language": language, "cache-control": "no-store", ...problem.headers };
	return new Response(page, { status: problem.status, headers });
}

export function renderSearchForm(language: Language, query: string): Html {
	const words = WORDS[language];
	return `<form class="find" action="/docs/${language}/search"><input type="search" name="q" required minlength="2" maxlength="80" aria-label="${words.search}" value="${escapeHtml(query)}"><button class="button">${words.search}</button></form>`;
}
