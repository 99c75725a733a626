/** A page for every problem, at the problem's `type`: cause, fix and an example, as HTML or JSON. */
import { type Static, Type } from "@sinclair/typebox";
import { type Call, json, type Operation, ProblemSchema, PUBLIC, pathParameter } from "../../../platform/operation";
import { catalogue, Problem, type ProblemSlug } from "../../../platform/problem";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage, toProse } from "../../html";
import { exampleProblem, isProblemSlug, PROBLEM_SLUGS } from "../../openapi";
import { prefersJson } from "../../representation";

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

const HEADERS = { vary: "Accept", "cache-control": "public, max-age=300" };

/** `GET /errors` and `GET /errors/{slug}`; both public, both HTML unless JSON is preferred. */
export function errorPageOperations({ baseUrl }: { readonly baseUrl: string }): Operation[] {
	const list = () => PROBLEM_SLUGS.map((slug) => toSummary(slug, baseUrl));
	return [
		{
			id: "listProblems",
			method: "GET",
			path: "/errors",
			tag: DOCUMENTATION_TAG,
			summary: "List every problem",
			description: "HTML, or JSON for `Accept: application/json`.",
			credentials: PUBLIC,
			answers: {
				200: {
					description: "All problems, by status.",
					mediaType: "text/html",
					schema: ProblemList,
					example: toList([toSummary("validation-error", baseUrl)]),
				},
			},
			problems: [],
			handle: (call) =>
				prefersJson(call.request) ? json(200, toList(list()), HEADERS) : toResponse(renderList(list())),
		},
		{
			id: "getProblem",
			method: "GET",
			path: "/errors/{slug}",
			tag: DOCUMENTATION_TAG,
			summary: "Explain a problem",
			description: "The URL is the problem's `type`. HTML, or JSON for `Accept: application/json`.",
			credentials: PUBLIC,
			parameters: [pathParameter("slug", "Last part of the problem's `type`.", "validation-error")],
			answers: {
				200: {
					description: "Cause, fix and an example.",
					mediaType: "text/html",
					schema: ProblemPage,
					example: toProblemPage("validation-error", baseUrl),
				},
			},
			problems: ["not-found"],
			handle: (call) => getProblem(call, baseUrl),
		},
	];
}

function getProblem(call: Call, baseUrl: string): Response {
	const slug = call.params.slug ?? "";
	if (!isProblemSlug(slug)) throw new Problem("not-found", { detail: "There is no problem with this slug." });
	const page = toProblemPage(slug, baseUrl);
	return prefersJson(call.request) ? json(200, page, HEADERS) : toResponse(renderProblem(page));
}

function toSummary(slug: ProblemSlug, baseUrl: string): ProblemSummary {
	const { status, title } = catalogue[slug];
	return { slug, type: `${baseUrl}/errors/${slug}`, status, title };
}

function toList(items: readonly ProblemSummary[]) {
	return { items, count: items.length, partial: false, next: null };
}

function toProblemPage(slug: ProblemSlug, baseUrl: string): ProblemPage {
	const { cause, fix } = catalogue[slug];
	return { ...toSummary(slug, baseUrl), cause, fix, example: exampleProblem(slug, baseUrl) };
}

function toResponse(page: Html): Response {
	return new Response(page, { headers: { ...PAGE_HEADERS, ...HEADERS } });
}

function renderList(problems: readonly ProblemSummary[]): Html {
	const rows = problems.map(
		({ slug, status, title }) =>
			`<tr><td>${status}</td><td><a href="/errors/${slug}">${slug}</a></td><td>${toProse(title)}</td></tr>`,
	);
	return toPage({
		title: "Sello: problems",
		body: `<h1>Problems</h1>\n<table>\n<tr><th>Status</th><th>Slug</th><th>Title</th></tr>\n${rows.join("\n")}\n</table>`,
	});
}

function renderProblem({ slug, status, title, cause, fix, example }: ProblemPage): Html {
	return toPage({
		title: `Sello: ${title}`,
		body: `<h1>${toProse(title)}</h1>
<p><code>${slug}</code>, HTTP status ${status}</p>
<h2>Cause</h2>
<p>${toProse(cause)}</p>
<h2>Fix</h2>
<p>${toProse(fix)}</p>
<h2>Example</h2>
<pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`,
	});
}
