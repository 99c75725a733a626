/** The guides: pages of `data/docs` in both languages, and what of them a process shows. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DEMO_CLIENT_ID, DEMO_CLIENT_SECRET, DEMO_KEY, DEMO_RNC } from "../../../identity/auth";
import { LANGUAGES, type Language } from "../../../platform/problem";
import { type Environment, isSandbox } from "../../../platform/values";
import { escapeHtml, type Html } from "../../html";
import { fillVariables, type Variables } from "./code";
import { FENCE, type Rendered, renderMarkdown } from "./markdown";

const FOLDER = join(import.meta.dir, "../../../../data/docs");

/** In the order of the navigation, by their English names in the front matter. */
const SECTIONS: Readonly<Record<string, string>> = {
	Start: "Empezar",
	Issue: "Emitir",
	Receive: "Recibir",
	Events: "Eventos",
	Company: "Empresa",
	Month: "Mes",
	Registry: "Registro",
	Proof: "Prueba",
	Build: "Programar",
	Operate: "Operar",
	Integrate: "Integrar",
};

export type Guide = {
	readonly name: string;
	/** Language of the text: English where there is no Spanish page yet. */
	readonly written: Language;
	readonly title: string;
	readonly summary: string;
	/** English name of its section. */
	readonly section: string;
	/** Markdown without front matter, with variables as written. */
	readonly text: string;
};

export type GuidesOptions = {
	readonly baseUrl: string;
	readonly environment: Environment;
	/** Whether the process serves the registry and nothing else. */
	readonly isRegistryAlone: boolean;
};

export type Guides = {
	readonly list: (language: Language) => readonly Guide[];
	readonly find: (language: Language, name: string) => Guide | undefined;
	readonly variables: Variables;
	readonly render: (guide: Guide, language: Language) => Rendered;
	/** The Markdown twin, with the variables' values. */
	readonly toMarkdown: (guide: Guide) => string;
	/** Links to all guides, by section; `current` is the name of the guide in view. */
	readonly toNavigation: (language: Language, current?: string) => Html;
	/** Guides by section, in order, with the section's name in the language. */
	readonly bySection: (language: Language) => readonly { readonly name: string; readonly guides: readonly Guide[] }[];
};

/** Reads the pages once, at the first use. */
export function createGuides(deps: GuidesOptions): Guides {
	const variables = variablesOf(deps);
	let pages: Readonly<Record<Language, readonly Guide[]>> | undefined;
	const list = (language: Language) => {
		pages ??= readGuides(deps);
		return pages[language];
	};
	const find = (language: Language, name: string) => list(language).find((guide) => guide.name === name);
	const bySection = (language: Language) =>
		[...Map.groupBy(list(language), ({ section }) => section)].map(([section, guides]) => ({
			name: language === "es" ? (SECTIONS[section] ?? section) : section,
			guides,
		}));
	return {
		...{ list, find, variables, bySection },
		render: (guide, language) =>
			renderMarkdown(guide.text, {
				...{ language: guide.written, variables },
				toHref: (target) => {
					const page = /^(?:\.\.\/(?:en|es)\/)?([a-z0-9-]+)\.md(#.*)?$/.exec(target);
					if (!page) return target;
					const [, name = "", anchor = ""] = page;
					return find(language, name) ? `/docs/${language}/${name}${anchor}` : undefined;
				},
			}),
		toMarkdown: ({ text }) => fillVariables(text, variables),
		toNavigation: (language, current) =>
			bySection(language)
				.map(({ name, guides }) => {
					const isOpen = guides.some((guide) => guide.name === current);
					const links = guides.map((guide) => toLink(guide, language, guide.name === current));
					return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(name)}</summary><ul>${links.join("")}</ul></details>`;
				})
				.join("\n"),
	};
}

function toLink({ name, title, written }: Guide, language: Language, isCurrent: boolean): Html {
	const lang = written === language ? "" : ` lang="${written}"`;
	return `<li><a href="/docs/${language}/${name}"${lang}${isCurrent ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a></li>`;
}

/** The demo's credentials in the sandboxes, where they are public; elsewhere the names of environment variables. */
function variablesOf({ baseUrl, environment }: GuidesOptions): Variables {
	return isSandbox(environment)
		? {
				...{ base_url: baseUrl, api_key: DEMO_KEY, company_rnc: DEMO_RNC },
				...{ client_id: DEMO_CLIENT_ID, client_secret: DEMO_CLIENT_SECRET },
			}
		: {
				...{ base_url: baseUrl, api_key: "$SELLO_API_KEY", company_rnc: "$SELLO_COMPANY_RNC" },
				...{ client_id: "$SELLO_CLIENT_ID", client_secret: "$SELLO_CLIENT_SECRET" },
			};
}

/** Pages of the English folder, in Spanish where there is such a page. */
function readGuides({ environment, isRegistryAlone }: GuidesOptions): Record<Language, readonly Guide[]> {
	const order = Object.keys(SECTIONS);
	const english = readFolder("en").filter(({ roles, section }) => {
		return !isRegistryAlone || (roles === "" ? section === "Registry" : roles.includes("registry"));
	});
	const spanish = new Map(readFolder("es").map((page) => [page.name, page]));
	const sorted = english.sort((a, b) => order.indexOf(a.section) - order.indexOf(b.section) || a.order - b.order);
	const expand = ({ text, ...page }: Page): Guide => ({
		...page,
		text: isSandbox(environment) ? text : text.replace(FENCE, expandInQuotes),
	});
	return {
		en: sorted.map(expand),
		es: sorted.map((page) => expand({ ...page, ...spanish.get(page.name), section: page.section })),
	};
}

type Page = Guide & { readonly order: number; readonly roles: string };

function readFolder(language: Language): Page[] {
	return readdirSync(join(FOLDER, language))
		.filter((file) => file.endsWith(".md"))
		.map((file): Page => {
			const [, head = "", text = ""] =
				/^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(readFileSync(join(FOLDER, language, file), "utf8")) ?? [];
			const member = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(head)?.[1] ?? "";
			const [title, summary, section] = [member("title"), member("summary"), member("section")];
			const name = file.replace(/\.md$/, "");
			return {
				name,
				written: language,
				title,
				summary,
				section,
				text,
				order: Number(member("order")),
				roles: member("roles"),
			};
		});
}

/** A shell expands no variable within single quotes: they end before it and begin again behind it. `$(` begins quotes of its own. */
export function expandInQuotes(fence: string): string {
	if (!/^```(?:bash|sh)\b/.test(fence)) return fence;
	const quotes = [""];
	return fence.replace(/\\.|\$\(|[)'"]|\{\{\w+\}\}/gs, (part) => {
		const quote = quotes.at(-1);
		if (part === "$(" && quote !== "'") quotes.push("");
		else if (part === ")" && quote === "" && quotes.length > 1) quotes.pop();
		else if (part === quote) quotes[quotes.length - 1] = "";
		else if ((part === "'" || part === '"') && quote === "") quotes[quotes.length - 1] = part;
		return quote === "'" && part.startsWith("{{") ? `'"${part}"'` : part;
	});
}

export function isLanguage(text: string | null | undefined): text is Language {
	return LANGUAGES.some((language) => language === text);
}
