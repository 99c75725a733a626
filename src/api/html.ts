/** The frame of our HTML pages: header with search, navigation, headings of the page, footer. They load nothing from other hosts. */

import type { Language } from "../platform/problem";

export const DOCUMENTATION_TAG = "Documentation";

/** An HTML fragment in which all text is escaped. */
export type Html = string;

/** Headers of a page. It may load only our own files and send forms only here; `data:` is for the icons in Swagger UI's style sheet. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy":
		"default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
};

/** A heading of a page; `text` is escaped. */
export type Heading = { readonly level: number; readonly id: string; readonly text: Html };

type Page = {
	/** Default: English. */
	readonly language?: Language;
	readonly title: string;
	/** For search engines and previews. */
	readonly summary?: string;
	/** The same page in the other language. */
	readonly translation?: string;
	/** The same page as Markdown. */
	readonly markdown?: string;
	/** Links of the part that the page belongs to; without them the page is one column. */
	readonly navigation?: Html;
	/** Listed beside the page, from two on. */
	readonly headings?: readonly Heading[];
	/** Which entry of the header the page belongs to. */
	readonly area?: Area;
	/** What the search field contains. */
	readonly query?: string;
	/** Before the text, over the whole width. */
	readonly top?: Html;
	readonly body: Html;
	/** Before our own style sheet. */
	readonly styles?: readonly string[];
	readonly scripts?: readonly string[];
	/** Feeds of the page, for feed readers. */
	readonly feeds?: readonly { readonly type: string; readonly href: string }[];
};

const AREAS = ["guides", "reference", "problems", "changelog"] as const;
type Area = (typeof AREAS)[number];

/** Words of the frame. */
const WORDS = {
	en: {
		...{ guides: "Guides", reference: "API", problems: "Problems", changelog: "Changelog", main: "Main" },
		...{ search: "Search the documentation", find: "Search", skip: "Skip to the text", menu: "Contents" },
		...{ onPage: "On this page", other: "Español", documentation: "Sello documentation" },
		...{ asMarkdown: "This page as Markdown", index: "Index for programs", interface: "OpenAPI" },
	},
	es: {
		...{ guides: "Guías", reference: "API", problems: "Problemas", changelog: "Cambios", main: "Principal" },
		...{ search: "Buscar en la documentación", find: "Buscar", skip: "Ir al texto", menu: "Contenido" },
		...{ onPage: "En esta página", other: "English", documentation: "Documentación de Sello" },
		...{ asMarkdown: "Esta página en Markdown", index: "Índice para programas", interface: "OpenAPI" },
	},
} as const satisfies Readonly<Record<Language, Readonly<Record<string, string>>>>;

/** A whole page. */
export function toPage(page: Page): Html {
	const { language = "en", summary, translation, markdown, navigation, headings = [] } = page;
	const words = WORDS[language];
	const shown = headings.filter(({ level }) => level === 2 || level === 3);
	const toc = shown.length > 1 ? shown.map(toTocItem).join("") : undefined;
	const styles = [...(page.styles ?? []), "/docs/assets/docs.css"];
	const other = language === "es" ? "en" : "es";
	const alternate = (rel: string) =>
		translation === undefined ? "" : `<link rel="alternate" hreflang="${rel}" href="${escapeHtml(translation)}">`;
	return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)}</title>
${summary === undefined ? "" : `<meta name="description" content="${escapeHtml(summary)}">`}
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
${alternate(other)}
${markdown === undefined ? "" : `<link rel="alternate" type="text/markdown" href="${escapeHtml(markdown)}">`}
${(page.feeds ?? []).map(({ type, href }) => `<link rel="alternate" type="${type}" href="${href}">`).join("\n")}
${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("\n")}
<script src="/docs/assets/docs.js"></script>
${(page.scripts ?? []).map((src) => `<script src="${src}" defer></script>`).join("\n")}
</head>
<body>
<a class="skip" href="#content">${words.skip}</a>
<header class="bar">
<a class="brand" href="/docs/${language}" aria-label="${words.documentation}">Sello</a>
<form role="search" action="/docs/${language}/search"><input type="search" name="q" required minlength="2" maxlength="80" autocomplete="off" placeholder="${words.find}" aria-label="${words.search}" value="${escapeHtml(page.query ?? "")}"></form>
<nav class="areas" aria-label="${words.main}">${AREAS.map((area) => toAreaLink(area, language, page.area)).join("")}</nav>
<span class="tools">${translation === undefined ? "" : `<a href="${escapeHtml(translation)}" lang="${other}" hreflang="${other}" data-language="${other}">${words.other}</a>`}</span>
</header>
${page.top ?? ""}
<div class="frame${navigation === undefined ? " wide" : ""}">
${navigation === undefined ? "" : `<div class="side"><input type="checkbox" id="menu"><label for="menu">${words.menu}</label>\n<nav aria-label="${words.menu}">\n${navigation}\n</nav></div>`}
<main id="content" tabindex="-1">
${toc === undefined ? "" : `<details class="toc-fold"><summary>${words.onPage}</summary><ul>${toc}</ul></details>`}
${page.body}
</main>
${toc === undefined ? "" : `<nav class="toc" aria-label="${words.onPage}"><p>${words.onPage}</p><ul>${toc}</ul></nav>`}
</div>
<footer>${markdown === undefined ? "" : `<a href="${escapeHtml(markdown)}" data-markdown>${words.asMarkdown}</a>`}<a href="/llms.txt">${words.index}</a><a href="/openapi.json">${words.interface}</a></footer>
</body>
</html>
`;
}

function toAreaLink(area: Area, language: Language, current: Area | undefined): Html {
	const hrefs = {
		guides: `/docs/${language}`,
		reference: `/docs/${language}/api`,
		problems: "/errors",
		changelog: "/changelog",
	};
	return `<a href="${hrefs[area]}"${area === current ? ' aria-current="true"' : ""}>${WORDS[language][area]}</a>`;
}

function toTocItem({ level, id, text }: Heading): Html {
	return `<li class="h${level}"><a href="#${id}">${text}</a></li>`;
}

export function escapeHtml(text: string): Html {
	return text
		.replace(/&/g, "&amp;")
		.replace(/</g, "&lt;")
		.replace(/>/g, "&gt;")
		.replace(/"/g, "&quot;")
		.replace(/'/g, "&#39;");
}

/** Escapes a sentence and turns `backticks` into code elements. */
export function toProse(text: string): Html {
	return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** The anchor of a heading: its words in small letters without accents. */
export function toAnchor(heading: string): string {
	return heading
		.normalize("NFD")
		.replace(/\p{M}/gu, "")
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/^-|-$/g, "");
}
