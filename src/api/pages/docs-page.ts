/**
 * The documentation page: Swagger UI over `/openapi.json`, and below it every operation as plain HTML, which is all that a
 * reader without JavaScript needs.
 */
import type { CredentialNeed, Operation } from "../../platform/operation";
import { problemsOf } from "../openapi/problems";
import { escapeHtml, type Html, toPage, toProse } from "./html";

/** A process that issues nothing sends no webhooks and archives nothing either. */
function renderFurther(operations: readonly Operation[]): Html {
	if (!operations.some(({ path }) => path === "/docs/webhooks")) return "";
	const inbox = operations.some(({ path }) => path === "/inbox")
		? ' None are sent here: <a href="/inbox">the inbox</a> shows what they would have brought.'
		: "";
	return `How to <a href="/docs/webhooks">receive webhooks</a>.${inbox} Evidence files of archived invoices are
<a href="/docs/verify">verified in your browser</a>, without us.`;
}

export function renderDocsPage(operations: readonly Operation[]): Html {
	const tags = [...Map.groupBy(operations, (operation) => operation.tag)];
	return toPage({
		title: "Sello: documentation",
		styles: ["/docs/assets/swagger-ui.css"],
		scripts: ["/docs/assets/swagger-ui-bundle.js", "/docs/assets/start-docs.js"],
		top: '<div id="swagger-ui"></div>',
		body: `<h1 id="operations">All operations</h1>
<p>The same as above in plain form. The machine-readable description is <a href="/openapi.json">openapi.json</a>; every
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
	const told = needs.length > 0 ? needs.join(", ") : "No credentials";
	return `${told}${scope ? `; scope <code>${escapeHtml(scope)}</code>` : ""}.`;
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
