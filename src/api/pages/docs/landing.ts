/** `GET /`: a page for readers that says what this service is and where to begin; a redirect to the documentation for programs. */
import { Type } from "@sinclair/typebox";
import { type Operation, PUBLIC, queryParameter } from "../../../platform/operation";
import { chooseLanguage, LANGUAGES, type Language } from "../../../platform/problem";
import { type Environment, isSandbox } from "../../../platform/values";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage } from "../../html";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, represent } from "../../representation";
import { isLanguage } from "./guides";
import { type DocsDeps, keepRepresentations, renderCards, renderHero, renderTools } from "./site";

/** For clients that do not follow redirects. Source: RFC 9110, 15.4.3. */
const MOVED = '<!doctype html>\n<title>Documentation</title>\n<a href="/docs">Documentation</a>\n';

const WORDS = {
	en: {
		title: "Electronic invoices, by API",
		registryTitle: "The taxpayer registry, by API",
		...{ service: "This service", begin: "Begin here", environment: "Environment", address: "Address" },
		...{ key: "Demo key", client: "Demo client", company: "Demo company", console: "Open the console" },
		tryIt: "Try it",
		...{ lost: "Lost a company's secret?", renew: "Renew its credentials in the console" },
	},
	es: {
		title: "Comprobantes electrónicos, por API",
		registryTitle: "El registro de contribuyentes, por API",
		...{ service: "Este servicio", begin: "Empiece aquí", environment: "Ambiente", address: "Dirección" },
		...{ key: "Clave de demostración", client: "Cliente de demostración", company: "Empresa de demostración" },
		...{ console: "Abrir la consola", tryIt: "Pruébelo" },
		...{ lost: "¿Perdió el secreto de una empresa?", renew: "Renueve sus credenciales en la consola" },
	},
} as const satisfies Readonly<Record<Language, Readonly<Record<string, string>>>>;

const ENVIRONMENTS: Readonly<Record<Environment, Readonly<Record<Language, string>>>> = {
	production: {
		en: "production: documents have fiscal effect",
		es: "producción: los comprobantes tienen efecto fiscal",
	},
	staging: {
		en: "staging: for certification with the authority",
		es: "staging: para la certificación con la autoridad",
	},
	sandbox: {
		en: "sandbox: no fiscal effect; a simulator stands in for the authority",
		es: "ambiente de pruebas: sin efecto fiscal; un simulador responde por la autoridad",
	},
	"public-sandbox": {
		en: "public sandbox: no fiscal effect; shared, and deleted after a day",
		es: "ambiente público de pruebas: sin efecto fiscal; compartido, y se borra al cabo de un día",
	},
};

/** One a section, in the order of work; a process shows those that it has. */
const BEGINNINGS = [
	"first-invoice",
	"notes",
	"webhooks",
	"receiving",
	"reports",
	"look-up",
	"search-and-match",
	"evidence",
	"go-live",
];

/** Each language's page is rendered at the first request and kept. */
export function landingOperation(deps: DocsDeps): Operation {
	const keep = keepRepresentations();
	const page = (language: Language) =>
		keep(language, () =>
			represent(renderLanding(deps, language), {
				...PAGE_HEADERS,
				...{ vary: "Accept, Accept-Language", "content-language": language },
			}),
		);
	return {
		id: "getRoot",
		sdk: null,
		method: "GET",
		path: "/",
		tag: DOCUMENTATION_TAG,
		summary: "Show what this service is",
		description:
			"For visitors who enter the host's name alone: a page if `Accept` names `text/html`, else a redirect to the documentation.",
		credentials: PUBLIC,
		parameters: [
			queryParameter(
				"lang",
				"Language of the page; without it by `Accept-Language`.",
				Type.Union(LANGUAGES.map((language) => Type.Literal(language))),
			),
			CONDITIONAL,
		],
		answers: {
			200: { description: "The page.", mediaType: "text/html", headers: CACHE_HEADERS },
			302: { description: "To `/docs`.", mediaType: "text/html", headers: { Location: "`/docs`" } },
			304: { description: "Not modified.", headers: CACHE_HEADERS },
		},
		problems: [],
		handle: async (call) => {
			const { headers } = call.request;
			if (!(headers.get("accept") ?? "").includes("text/html")) {
				return new Response(MOVED, { status: 302, headers: { ...PAGE_HEADERS, location: "/docs", vary: "Accept" } });
			}
			const asked = call.url.searchParams.get("lang");
			const language = isLanguage(asked) ? asked : chooseLanguage(headers.get("accept-language"), deps.docsLanguage);
			return answerRepresentation(call, await page(language));
		},
	};
}

function renderLanding(deps: DocsDeps, language: Language): Html {
	const { guides, isRegistryAlone, operations } = deps;
	const words = WORDS[language];
	const title = isRegistryAlone ? words.registryTitle : words.title;
	const hasConsole = operations().some(({ path }) => path === "/console");
	const isOpen = deps.environment === "public-sandbox";
	const action = { href: isOpen ? "/console/try" : "/console", text: isOpen ? words.tryIt : words.console };
	const beginnings = BEGINNINGS.flatMap((name) => guides.find(language, name) ?? []);
	return toPage({
		...{ language, title: `Sello: ${title}` },
		summary: ENVIRONMENTS[deps.environment][language],
		translation: `/?lang=${language === "es" ? "en" : "es"}`,
		body: `${renderHero(deps, title, language, hasConsole ? action : undefined)}
<section><h2>${words.service}</h2>${renderFacts(deps, language, hasConsole)}</section>
${renderCards(words.begin, beginnings, language)}
${renderTools(deps, language)}`,
	});
}

/** Where the reader is, and in the sandboxes the credentials that all may use. */
function renderFacts(
	{ baseUrl, environment, guides, isRegistryAlone }: DocsDeps,
	language: Language,
	hasConsole: boolean,
): Html {
	const words = WORDS[language];
	const { api_key: key, client_id: id, client_secret: secret, company_rnc: rnc } = guides.variables;
	const rows = [
		[words.environment, escapeHtml(ENVIRONMENTS[environment][language])],
		[words.address, `<code>${escapeHtml(baseUrl)}</code>`],
		...(isSandbox(environment) ? [[words.key, `<code>${key}</code>`]] : []),
		...(isSandbox(environment) && !isRegistryAlone
			? [
					[words.client, `<code>${id}</code>, <code>${secret}</code>`],
					[words.company, `RNC <code>${rnc}</code>`],
				]
			: []),
		...(environment === "sandbox" && hasConsole ? [[words.lost, `<a href="/console/keys">${words.renew}</a>`]] : []),
	].map(([name, value]) => `<tr><th scope="row">${name}</th><td>${value}</td></tr>`);
	return `<table class="facts">${rows.join("")}</table>`;
}
