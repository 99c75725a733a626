/** The reference: a page for each operation, and the list of all. `.md` behind the address gives the same as Markdown. */
import { type Operation, PUBLIC, pathParameter } from "../../../platform/operation";
import { type Language, Problem } from "../../../platform/problem";
import { type Environment, isSandbox } from "../../../platform/values";
import {
	DOCUMENTATION_TAG,
	escapeHtml,
	type Heading,
	type Html,
	PAGE_HEADERS,
	toAnchor,
	toPage,
	toProse,
} from "../../html";
import { type CodeSample, describe, type OpenApiDocument } from "../../openapi";
import { answerRepresentation, CONDITIONAL, represent } from "../../representation";
import { fillVariables, highlight, renderSamples } from "./code";
import { expandInQuotes, isLanguage } from "./guides";
import { renderMarkdown } from "./markdown";
import { toReferenceMarkdown } from "./reference-markdown";
import { type Member, type ReferenceEntry, toReferenceEntry } from "./reference-model";
import {
	type DocsDeps,
	keepRepresentations,
	languageParameter,
	MARKDOWN_HEADERS,
	PAGE_ANSWERS,
	PAGE_OR_MARKDOWN,
	PROBLEM_PAGE,
	renderProblemPage,
} from "./site";

const WORDS = {
	en: {
		...{ title: "API reference", summary: "Every operation with its parameters, body, answers, problems and samples." },
		...{ samples: "Samples", parameters: "Parameters", body: "Body", answers: "Answers", problems: "Problems" },
		...{
			name: "Name",
			place: "Place",
			meaning: "Meaning",
			needed: "required",
			required: "required",
			optional: "optional",
			members: "Members",
		},
		...{
			key: "API key",
			bearer: "Access token",
			none: "none",
			credentials: "Credentials",
			scope: "Scope",
			limit: "Limit",
		},
		...{
			method: "Client libraries",
			examples: "Examples",
			example: "Example",
			headers: "Headers",
			bytes: "bytes at most",
		},
		...{
			status: "Status",
			problem: "Problem",
			cause: "Cause and fix",
			deprecated: "Deprecated.",
			run: "Run",
			address: "Address",
		},
		runNote: "Runs with the sandbox's demo credentials, or with yours. Change the values first.",
		explorer: "All operations on one page",
	},
	es: {
		...{
			title: "Referencia de la API",
			summary: "Cada operación con sus parámetros, cuerpo, respuestas, problemas y ejemplos.",
		},
		...{
			samples: "Ejemplos de código",
			parameters: "Parámetros",
			body: "Cuerpo",
			answers: "Respuestas",
			problems: "Problemas",
		},
		...{
			name: "Nombre",
			place: "Lugar",
			meaning: "Significado",
			needed: "se exige",
			required: "obligatorio",
			optional: "opcional",
			members: "Miembros",
		},
		...{
			key: "Clave de API",
			bearer: "Token de acceso",
			none: "ninguna",
			credentials: "Credenciales",
			scope: "Alcance",
			limit: "Límite",
		},
		...{
			method: "Bibliotecas",
			examples: "Ejemplos",
			example: "Ejemplo",
			headers: "Encabezados",
			bytes: "bytes como máximo",
		},
		...{
			status: "Estado",
			problem: "Problema",
			cause: "Causa y solución",
			deprecated: "En desuso.",
			run: "Ejecutar",
			address: "Dirección",
		},
		runNote:
			"Se ejecuta con las credenciales de demostración del ambiente de pruebas, o con las suyas. Cambie antes los valores.",
		explorer: "Todas las operaciones en una página",
	},
} as const satisfies Readonly<Record<Language, Readonly<Record<string, string>>>>;

/** `GET /docs/{lang}/api` and `GET /docs/{lang}/api/{operationId}`. Pages are rendered at the first request and kept. */
export function referenceOperations(deps: DocsDeps): Operation[] {
	const keep = keepRepresentations();
	const common = {
		...({ method: "GET", tag: DOCUMENTATION_TAG, credentials: PUBLIC, sdk: null } as const),
		renderProblem: (problem: Problem, request: Request, requestId: string) =>
			renderProblemPage(deps, problem, request, requestId),
	};
	return [
		{
			...common,
			id: "listDocsOperations",
			path: "/docs/{lang}/api",
			summary: "Show the reference",
			description: "All operations of this process by area, each with a link to its page.",
			parameters: [languageParameter(), CONDITIONAL],
			answers: { ...PAGE_ANSWERS, 404: PROBLEM_PAGE },
			problems: ["not-found"],
			handle: async (call) => {
				const { lang: language } = call.params;
				if (!isLanguage(language)) throw new Problem("not-found");
				const made = async () => represent(renderList(deps, await deps.documentIn(language), language), PAGE_HEADERS);
				return answerRepresentation(call, await keep(language, made));
			},
		},
		{
			...common,
			id: "getDocsOperation",
			path: "/docs/{lang}/api/{operationId}",
			summary: "Show an operation",
			description:
				"Credentials, parameters, body, answers, problems and samples. Add `.md` to the address for Markdown.",
			parameters: [
				languageParameter(),
				pathParameter("operationId", "As in `/openapi.json`.", "postInvoice"),
				CONDITIONAL,
			],
			answers: PAGE_OR_MARKDOWN,
			problems: ["not-found"],
			handle: async (call) => {
				const { lang: language, operationId: page = "" } = call.params;
				const operation = deps.operations().find(({ id }) => id === page.replace(/\.md$/, ""));
				if (!isLanguage(language) || !operation) throw new Problem("not-found");
				const made = async () => {
					const found = toReferenceEntry(operation, await deps.documentIn(language), language);
					const entry = { ...found, samples: listShownSamples(found.samples, deps.environment) };
					return page.endsWith(".md")
						? represent(
								toReferenceMarkdown(entry, listFacts(entry, language), WORDS[language], deps.guides.variables),
								MARKDOWN_HEADERS,
							)
						: represent(renderEntry(deps, entry, language), PAGE_HEADERS);
				};
				return answerRepresentation(call, await keep(`${language}/${page}`, made));
			},
		},
	];
}

/** Samples as they are shown: outside the sandboxes, values are variables of the shell, which it does not expand in single quotes. */
export function listShownSamples(samples: readonly CodeSample[], environment: Environment): CodeSample[] {
	return samples.map((sample) =>
		sample.tab !== "curl" || isSandbox(environment)
			? sample
			: { ...sample, code: expandInQuotes(`\`\`\`bash\n${sample.code}`).slice(8) },
	);
}

function toNavigation({ operations }: DocsDeps, language: Language, current?: Operation): Html {
	return [...Map.groupBy(operations(), ({ tag }) => tag)]
		.map(([tag, group]) => {
			const links = group.map(({ id, summary }) => {
				const mark = id === current?.id ? ' aria-current="page"' : "";
				return `<li><a href="/docs/${language}/api/${id}"${mark}>${toProse(describe(summary, language))}</a></li>`;
			});
			const name = escapeHtml(describe(tag, language));
			return `<details${tag === current?.tag ? " open" : ""}><summary>${name}</summary><ul>${links.join("")}</ul></details>`;
		})
		.join("\n");
}

function renderList(deps: DocsDeps, { info, tags }: OpenApiDocument, language: Language): Html {
	const words = WORDS[language];
	const intro = renderMarkdown(info.description, { language, variables: {}, toHref: (target) => target });
	const groups = Map.groupBy(deps.operations(), ({ tag }) => tag);
	const headings: Heading[] = [];
	const sections = tags.map(({ name, description = "" }) => {
		const text = escapeHtml(describe(name, language));
		const id = toAnchor(name);
		headings.push({ level: 2, id, text });
		const rows = (groups.get(name) ?? []).map((operation) => {
			const link = `<a href="/docs/${language}/api/${operation.id}">${toProse(describe(operation.summary, language))}</a>`;
			return `<tr><td>${link}</td><td>${renderAddress(operation)}</td></tr>`;
		});
		return `<section><h2 id="${id}">${text}</h2>
<p>${toProse(description)}</p>
<div class="scroll" tabindex="0" role="group" aria-label="${text}"><table>${rows.join("")}</table></div></section>`;
	});
	return toPage({
		...{ language, title: `${words.title} · Sello`, summary: words.summary, area: "reference", headings },
		translation: `/docs/${language === "es" ? "en" : "es"}/api`,
		navigation: toNavigation(deps, language),
		body: `<article><h1>${words.title}</h1>
<p class="lead">${words.summary}</p>
<p><a href="/docs/explorer">${words.explorer}</a> · <a href="/openapi.json">openapi.json</a></p>
${intro.html}
${sections.join("\n")}</article>`,
	});
}

const renderAddress = ({ method, path }: Operation) =>
	`<code class="address"><b>${method}</b> ${escapeHtml(path).replace(/([/:])/g, "$1<wbr>")}</code>`;

const renderText = (text: string) =>
	text
		.split("\n\n")
		.filter((paragraph) => paragraph !== "")
		.map((paragraph) => `<p>${toProse(paragraph)}</p>`)
		.join("\n");

function renderEntry(deps: DocsDeps, entry: ReferenceEntry, language: Language): Html {
	const { operation, summary, description, samples, parameters, body, answers } = entry;
	const words = WORDS[language];
	const { variables } = deps.guides;
	const parts: readonly (readonly [title: string, html: Html])[] = [
		[words.samples, renderSamples(samples, variables, language) + renderRun(deps, entry, language)],
		...(parameters.length > 0 ? [[words.parameters, renderMembers(parameters, language)] as const] : []),
		...(body ? [[words.body, renderBody(body, language)] as const] : []),
		[words.answers, answers.map((answer) => renderAnswer(answer, language)).join("\n")],
		[words.problems, renderProblems(entry, language)],
	];
	const headings = parts.map(([title]): Heading => ({ level: 2, id: toAnchor(title), text: title }));
	return toPage({
		...{ language, title: `${summary} · Sello`, summary, area: "reference", headings },
		translation: `/docs/${language === "es" ? "en" : "es"}/api/${operation.id}`,
		markdown: `/docs/${language}/api/${operation.id}.md`,
		navigation: toNavigation(deps, language, operation),
		...(isRunnable(deps, operation) ? { scripts: ["/docs/assets/reference.js"] } : {}),
		body: `<article>
<p class="crumb">${escapeHtml(describe(operation.tag, language))}</p>
<h1>${toProse(summary)}</h1>
<p class="lead">${renderAddress(operation)}</p>
${operation.deprecation ? `<div class="note warning" role="note"><p>${words.deprecated}</p></div>` : ""}
${renderText(description)}
${renderFacts(deps, entry, language)}
${parts.map(([title, html]) => `<h2 id="${toAnchor(title)}">${title}</h2>\n${html}`).join("\n")}
</article>`,
	});
}

/** What a caller needs, by name. */
function listFacts(
	{ operation, credentials, limit }: ReferenceEntry,
	language: Language,
): (readonly [string, string])[] {
	const words = WORDS[language];
	const needs = (["key", "bearer"] as const).flatMap((name) =>
		credentials[name] === "ignored"
			? []
			: [`${words[name]} (${credentials[name] === "required" ? words.needed : words.optional})`],
	);
	return [
		[words.credentials, needs.join(", ") || words.none],
		...(operation.scope ? [[words.scope, `\`${operation.scope}\``] as const] : []),
		...(limit ? [[words.limit, `\`${limit}\``] as const] : []),
		...(operation.sdk ? [[words.method, `\`${operation.sdk}\``] as const] : []),
	];
}

function renderFacts({ guides }: DocsDeps, entry: ReferenceEntry, language: Language): Html {
	const hasLimits = guides.find(language, "limits") !== undefined;
	const rows = listFacts(entry, language).map(([name, text]) => {
		const value = toProse(text);
		const linked =
			hasLimits && name === WORDS[language].limit ? `<a href="/docs/${language}/limits">${value}</a>` : value;
		return `<tr><th scope="row">${name}</th><td>${linked}</td></tr>`;
	});
	return `<table class="facts">${rows.join("")}</table>`;
}

function renderMembers(members: readonly (Member & { readonly in?: string })[], language: Language): Html {
	const words = WORDS[language];
	const items = members.map((member) => {
		const { name, type, isRequired, description, limits, members: inner } = member;
		const facts = [member.in, type, ...limits]
			.filter((one) => one !== undefined)
			.map(escapeHtml)
			.join(", ");
		const nested =
			inner.length > 0
				? `<details><summary>${words.members} (${inner.length})</summary>${renderMembers(inner, language)}</details>`
				: "";
		return `<li><p><code>${escapeHtml(name)}</code> <small>${facts}${isRequired ? `, <b>${words.required}</b>` : ""}</small></p>${renderText(description)}${nested}</li>`;
	});
	return `<ul class="members">${items.join("\n")}</ul>`;
}

type Body = NonNullable<ReferenceEntry["body"]>;

function renderBody(body: Body, language: Language): Html {
	const words = WORDS[language];
	const { mediaTypes, limitBytes, members, examples, isRequired } = body;
	const types = mediaTypes.map((one) => `<code>${escapeHtml(one)}</code>`).join(", ");
	const need = isRequired ? words.required : words.optional;
	const bytes = `${limitBytes.toLocaleString("en")} ${words.bytes}`;
	const shown = examples.map(({ name, code }, n) => {
		const language = code.startsWith("{") ? "json" : "";
		const open = n === 0 && examples.length < 3 ? " open" : "";
		return `<details${open}><summary>${words.example}: ${escapeHtml(name)}</summary>${renderBlock(code, language, words.example)}</details>`;
	});
	return `<p>${types}; ${need}; ${bytes}.</p>
${members.length > 0 ? renderMembers(members, language) : ""}
${shown.join("\n")}`;
}

const renderBlock = (code: string, language: string, label: string) =>
	`<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code>${highlight(code, language)}</code></pre></div>`;

function renderAnswer(answer: ReferenceEntry["answers"][number], language: Language): Html {
	const words = WORDS[language];
	const { status, description, mediaTypes, headers, members, example } = answer;
	const types = mediaTypes.map((one) => `<code>${escapeHtml(one)}</code>`).join(", ");
	const listed = headers.map((one) => `<li><code>${escapeHtml(one.name)}</code>: ${toProse(one.description)}</li>`);
	const parts = [
		...(listed.length > 0 ? [`<details><summary>${words.headers}</summary><ul>${listed.join("")}</ul></details>`] : []),
		...(members.length > 0
			? [
					`<details><summary>${words.members} (${members.length})</summary>${renderMembers(members, language)}</details>`,
				]
			: []),
		...(example === undefined
			? []
			: [`<details><summary>${words.example}</summary>${renderBlock(example, "json", words.example)}</details>`]),
	];
	return `<h3>${status}${types === "" ? "" : ` <small>${types}</small>`}</h3>\n${renderText(description)}${parts.join("\n")}`;
}

function renderProblems({ problems }: ReferenceEntry, language: Language): Html {
	const words = WORDS[language];
	const rows = problems.map(
		({ slug, status, cause, fix }) =>
			`<tr><td>${status}</td><td><a href="/errors/${slug}"><code>${slug}</code></a></td><td>${toProse(`${cause} ${fix}`)}</td></tr>`,
	);
	const head = [words.status, words.problem, words.cause].map((one) => `<th scope="col">${one}</th>`).join("");
	return `<div class="scroll" tabindex="0" role="group" aria-label="${words.problems}"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div>`;
}

/** Sandboxes have public credentials; files and signed forms cannot be typed. */
function isRunnable({ environment }: DocsDeps, { path, body }: Operation): boolean {
	const isTyped = body === undefined || /json$|^text\//.test(body.mediaTypes[0] ?? "");
	return isSandbox(environment) && isTyped && !path.startsWith("/fe/") && !path.startsWith("/docs/");
}

/** A form that the page's script sends and shows the answer of; hidden without scripts. */
function renderRun(deps: DocsDeps, { operation, parameters, sampleBody }: ReferenceEntry, language: Language): Html {
	if (!isRunnable(deps, operation)) return "";
	const words = WORDS[language];
	const { credentials } = operation;
	const field = (name: string, place: string, value: string) =>
		`<label>${escapeHtml(name)} <input name="${escapeHtml(name)}" data-in="${place}" value="${escapeHtml(value)}" autocomplete="off"></label>`;
	const given = new Map(
		(operation.parameters ?? []).map((one) => [one.name, one.required ? String(one.example ?? "") : ""]),
	);
	const fields = parameters
		.filter((one) => one.in !== "header")
		.map((one) => field(one.name, one.in, given.get(one.name) ?? ""));
	const type = operation.body?.mediaTypes[0];
	return `<details class="run" hidden><summary>${words.run}</summary>
<form data-method="${operation.method}" data-path="${escapeHtml(operation.path)}" data-key="${credentials.key === "required"}" data-token="${credentials.bearer === "required"}" data-keyed="${(operation.parameters ?? []).some(({ name }) => name === "Idempotency-Key")}"${type === undefined ? "" : ` data-type="${escapeHtml(type)}"`}>
<p>${words.runNote}</p>
${fields.join("\n")}
${sampleBody === undefined ? "" : `<label>${words.body} <textarea name="body" rows="12" spellcheck="false">${escapeHtml(fillVariables(sampleBody, deps.guides.variables))}</textarea></label>`}
<p><button class="button">${words.run}</button></p>
<output></output></form></details>`;
}
