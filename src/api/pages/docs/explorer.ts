/** The explorer: Swagger UI over `/openapi.json`, and below it every operation as plain HTML for readers without JavaScript. */
import { memoize } from "../../../platform/concurrency";
import { type CredentialNeed, type Operation, PUBLIC } from "../../../platform/operation";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage, toProse } from "../../html";
import { problemsOf } from "../../openapi";
import { answerRepresentation, CONDITIONAL, represent } from "../../representation";
import { PAGE_ANSWERS } from "./site";

/** `GET /docs/explorer`; `list` gives the operations at the first request. */
export function explorerOperation(list: () => readonly Operation[]): Operation {
	const page = memoize(async () => represent(renderExplorer(list()), PAGE_HEADERS));
	return {
		id: "getExplorer",
		sdk: null,
		method: "GET",
		path: "/docs/explorer",
		tag: DOCUMENTATION_TAG,
		summary: "Show all operations on one page",
		description: "Swagger UI over `/openapi.json`, and below it the same as plain text for readers without scripts.",
		credentials: PUBLIC,
		parameters: [CONDITIONAL],
		answers: PAGE_ANSWERS,
		problems: [],
		handle: async (call) => answerRepresentation(call, await page()),
	};
}

export function renderExplorer(operations: readonly Operation[]): Html {
	const tags = [...Map.groupBy(operations, (operation) => operation.tag)];
	return toPage({
		title: "Sello: operations",
		area: "reference",
		styles: ["/docs/assets/swagger-ui.css"],
		scripts: ["/docs/assets/swagger-ui-bundle.js", "/docs/assets/start-docs.js"],
		top: '<div id="swagger-ui"></div>',
		body: `<h1 id="operations">All operations</h1>
<p>The same as above in plain form. The machine-readable document is <a href="/openapi.json">openapi.json</a>. Every
problem has <a href="/errors">a page</a> with its cause and fix.</p>
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
