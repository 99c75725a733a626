/** The operations that document the others: OpenAPI, the documentation page with its files, and the pages of problems. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Type } from "@sinclair/typebox";
import { memoize } from "../../../platform/concurrency";
import { type Call, type CredentialNeed, type Operation, PUBLIC, pathParameter } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage, toProse } from "../../html";
import { createOpenApi, problemsOf } from "../../openapi";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, type Representation, represent } from "../../representation";
import { errorPageOperations } from "./error-pages";

export type DocumentDeps = {
	readonly baseUrl: string;
	/** The operations to document; those of this file document themselves too. */
	readonly operations: readonly Operation[];
	/** Further pages, listed before those of the problems. */
	readonly pages: readonly Operation[];
};

const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };

/** For clients that do not follow redirects. Source: RFC 9110, 15.4.3. */
const MOVED = '<!doctype html>\n<title>Documentation</title>\n<a href="/docs">Documentation</a>\n';

/** All are public. Documents are rendered at the first request and kept. */
export function documentOperations(deps: DocumentDeps): Operation[] {
	const own: Operation[] = [
		{
			id: "getRoot",
			method: "GET",
			path: "/",
			tag: DOCUMENTATION_TAG,
			summary: "Go to the documentation",
			credentials: PUBLIC,
			answers: {
				302: { description: "To `/docs`.", mediaType: "text/html", headers: { Location: "`/docs`" } },
			},
			problems: [],
			handle: () => new Response(MOVED, { status: 302, headers: { ...PAGE_HEADERS, location: "/docs" } }),
		},
		{
			id: "getOpenApi",
			method: "GET",
			path: "/openapi.json",
			tag: DOCUMENTATION_TAG,
			summary: "Get this document",
			description: "OpenAPI 3.1 as JSON.",
			credentials: PUBLIC,
			parameters: [CONDITIONAL],
			answers: {
				200: {
					description: "The document.",
					schema: Type.Object({
						openapi: Type.String(),
						info: Type.Object({ title: Type.String(), version: Type.String() }),
						paths: Type.Record(Type.String(), Type.Unknown()),
					}),
					example: { openapi: "3.1.0", info: { title: "Sello", version: "0.1.0-dev" }, paths: {} },
					headers: CACHE_HEADERS,
				},
				304: { description: "Not modified.", headers: CACHE_HEADERS },
			},
			problems: [],
			handle: answerWith(async () => represent(JSON.stringify(await createOpenApi(all, deps)), JSON_HEADERS)),
		},
		{
			id: "getDocs",
			method: "GET",
			path: "/docs",
			tag: DOCUMENTATION_TAG,
			summary: "Show the documentation",
			description: "A page that loads nothing from other hosts and is also readable without scripts.",
			credentials: PUBLIC,
			parameters: [CONDITIONAL],
			answers: {
				200: { description: "The page.", mediaType: "text/html", headers: CACHE_HEADERS },
				304: { description: "Not modified.", headers: CACHE_HEADERS },
			},
			problems: [],
			handle: answerWith(async () => represent(renderDocsPage(all), PAGE_HEADERS)),
		},
		{
			id: "getDocsAsset",
			method: "GET",
			path: "/docs/assets/{file}",
			tag: DOCUMENTATION_TAG,
			summary: "Get a file of the documentation page",
			credentials: PUBLIC,
			parameters: [
				pathParameter(
					"file",
					`One of ${ASSET_NAMES.map((name) => `\`${name}\``).join(", ")}.`,
					"docs.css",
					Type.Union(ASSET_NAMES.map((name) => Type.Literal(name))),
				),
				CONDITIONAL,
			],
			answers: {
				200: { description: "A style sheet, a script or an image.", mediaType: "*/*", headers: CACHE_HEADERS },
				304: { description: "Not modified.", headers: CACHE_HEADERS },
			},
			problems: ["not-found"],
			handle: getAsset,
		},
		...(deps.operations.some(({ id }) => id === "listRegistryDownloads") ? [getNumbersReader()] : []),
		...deps.pages,
		...errorPageOperations(deps),
	];
	const all = [...deps.operations, ...own];
	return own;
}

/** The reader of the registry's file `numbers`, for tills. */
const READER_FILE = join(import.meta.dir, "../../../../data/registry/numbers.js");

function getNumbersReader(): Operation {
	return {
		id: "getNumbersReader",
		method: "GET",
		path: "/docs/numbers.js",
		tag: DOCUMENTATION_TAG,
		summary: "Get the reader of the till's file",
		description:
			"A JavaScript module without dependencies that looks up numbers offline in the registry's file `numbers`. It runs in browsers and servers.",
		credentials: PUBLIC,
		parameters: [CONDITIONAL],
		answers: {
			200: { description: "The module.", mediaType: "text/javascript", headers: CACHE_HEADERS },
			304: { description: "Not modified.", headers: CACHE_HEADERS },
		},
		problems: [],
		handle: answerWith(async () => {
			return represent(await Bun.file(READER_FILE).text(), { "content-type": "text/javascript; charset=utf-8" });
		}),
	};
}

function answerWith(make: () => Promise<Representation>): Operation["handle"] {
	const made = memoize(make);
	return async (call) => answerRepresentation(call, await made());
}

async function getAsset(call: Call): Promise<Response> {
	const asset = await findAsset(call.params.file ?? "");
	if (!asset) throw new Problem("not-found");
	return answerRepresentation(call, asset);
}

/** The documentation page: Swagger UI over `/openapi.json`, and below it every operation as plain HTML for readers without JavaScript. */

/** Only processes that issue send webhooks and archive documents. */
function renderFurther(operations: readonly Operation[]): Html {
	if (!operations.some(({ path }) => path === "/docs/webhooks")) return "";
	const inbox = operations.some(({ path }) => path === "/inbox")
		? ' The demo key sends none here; <a href="/inbox">the inbox</a> shows what they would have carried.'
		: "";
	return `See how to <a href="/docs/webhooks">receive webhooks</a>.${inbox} You can <a href="/docs/verify">verify evidence files</a> of
archived invoices in your browser, without us.`;
}

export function renderDocsPage(operations: readonly Operation[]): Html {
	const tags = [...Map.groupBy(operations, (operation) => operation.tag)];
	return toPage({
		title: "Sello: documentation",
		styles: ["/docs/assets/swagger-ui.css"],
		scripts: ["/docs/assets/swagger-ui-bundle.js", "/docs/assets/start-docs.js"],
		top: '<div id="swagger-ui"></div>',
		body: `<h1 id="operations">All operations</h1>
<p>The same as above in plain form. The machine-readable document is <a href="/openapi.json">openapi.json</a>. Every
problem has <a href="/errors">a page</a> with its cause and fix. ${renderFurther(operations)}</p>
${tags.map(([tag, group]) => `<h2>${escapeHtml(tag)}</h2>\n${group.map(renderOperation).join("\n")}`).join("\n")}`,
	});
}

function renderOperation(operation: Operation): Html {
	const { id, method, path, summary, description } = operation;
	return `<details id="${escapeHtml(id)}">
<summary><code><b>${method}</b> <a href="#${escapeHtml(id)}">${escapeHtml(path)}</a></code> ${toProse(summary)}</summary>
${description ? `<p>${toProse(description)}</p>` : ""}
<p>${renderCredentials(operation)}</p>
${renderParameters(operation)}
${renderAnswers(operation)}
<p>Problems: ${problemsOf(operation)
		.map((slug) => `<a href="/errors/${slug}">${slug}</a>`)
		.join(", ")}</p>
</details>`;
}

function renderCredentials({ credentials, scope }: Operation): Html {
	const words: Readonly<Record<CredentialNeed, string | undefined>> = {
		required: "required",
		optional: "optional",
		ignored: undefined,
	};
	const needs = [
		["API key", words[credentials.key]],
		["Bearer token", words[credentials.bearer]],
	].flatMap(([name, need]) => (need ? `${name} ${need}` : []));
	const text = needs.length > 0 ? needs.join(", ") : "No credentials";
	return `${text}${scope ? `; scope <code>${escapeHtml(scope)}</code>` : ""}.`;
}

function renderParameters({ parameters = [], body }: Operation): Html {
	const rows = parameters.map(
		(one) =>
			`<tr><td><code>${escapeHtml(one.name)}</code></td><td>${one.in}${one.required ? ", required" : ""}</td><td>${toProse(one.description)}</td></tr>`,
	);
	const table = rows.length > 0 ? `<table>\n${rows.join("\n")}\n</table>` : "";
	if (!body) return table;
	const example = typeof body.example === "string" ? body.example : JSON.stringify(body.example, null, 2);
	return `${table}
<p>Body: <code>${escapeHtml(body.mediaTypes.join(", "))}</code>, at most ${body.limitBytes} bytes.</p>
<pre>${escapeHtml(example)}</pre>`;
}

function renderAnswers({ answers }: Operation): Html {
	const items = Object.entries(answers).map(
		([status, { description }]) => `<li><b>${status}</b> ${toProse(description)}</li>`,
	);
	return `<ul>${items.join("")}</ul>`;
}

/** The files that our pages load: Swagger UI from its package, and ours. No other file is reachable. */
const CSS = "text/css; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const PNG = "image/png";

const ofPackage = (name: string) => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
const ofOurs = (name: string) => join(import.meta.dir, "assets", name);

const asset = (path: string, type: string) =>
	memoize(async () => represent(await Bun.file(path).bytes(), { "content-type": type }));

const assets: ReadonlyMap<string, () => Promise<Representation>> = new Map([
	["swagger-ui.css", asset(ofPackage("swagger-ui.css"), CSS)],
	["swagger-ui-bundle.js", asset(ofPackage("swagger-ui-bundle.js"), SCRIPT)],
	["favicon-32x32.png", asset(ofPackage("favicon-32x32.png"), PNG)],
	["docs.css", asset(ofOurs("docs.css"), CSS)],
	["start-docs.js", asset(ofOurs("start-docs.js"), SCRIPT)],
	["consulta.css", asset(ofOurs("consulta.css"), CSS)],
	["consulta.js", asset(ofOurs("consulta.js"), SCRIPT)],
]);

export const ASSET_NAMES: readonly string[] = [...assets.keys()];

/** A file of the pages, read at the first call and kept; undefined for any other name. */
export function findAsset(name: string): Promise<Representation> | undefined {
	return assets.get(name)?.();
}
