/** The operations of the changelog: a page, JSON and two feeds. All are public, rendered at the first request and kept. */

import { Type } from "@sinclair/typebox";
import { memoize } from "../../platform/concurrency";
import { type Call, type Operation, PUBLIC, readQuery } from "../../platform/operation";
import { PAGE_HEADERS } from "../html";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, type Representation, represent } from "../representation";
import { type Changelog, Release } from "./release";
import { renderChangelog, toJsonFeed, writeAtom } from "./render";

export type ChangelogDeps = { readonly baseUrl: string; readonly changelog: Changelog };

const TAG = "Changelog";
const NOT_MODIFIED = { description: "Not modified.", headers: CACHE_HEADERS };

const ReleaseList = Type.Object(
	{
		items: Type.Array(Release),
		count: Type.Integer(),
		partial: Type.Literal(false),
		next: Type.Null(),
	},
	{ $id: "ReleaseList", description: "Newest first; always complete." },
);

/** Source: jsonfeed.org/version/1.1. */
const JsonFeed = Type.Object(
	{
		version: Type.Literal("https://jsonfeed.org/version/1.1"),
		title: Type.String(),
		home_page_url: Type.String(),
		feed_url: Type.String(),
		language: Type.String(),
		authors: Type.Array(Type.Object({ name: Type.String() })),
		items: Type.Array(
			Type.Object({
				id: Type.String(),
				url: Type.String(),
				title: Type.String(),
				content_html: Type.String(),
				date_published: Type.String(),
				date_modified: Type.String(),
				tags: Type.Array(Type.String()),
			}),
		),
	},
	{ $id: "JsonFeed" },
);

const EXAMPLE: Release = {
	version: "1.2.0",
	area: "identity",
	date: "2026-11-20",
	entries: [
		{ category: "Added", text: "`GET /v1/authority/registry/changes`", breaking: false },
		{
			id: "runs-without-cursor",
			category: "Deprecated",
			text: "Lists without a cursor.",
			breaking: true,
			endpoint: "GET /v1/authority/registry/runs",
			operation: "listRuns",
			deprecatedAt: "2026-12-01",
			sunsetAt: "2027-03-31",
			replacement: "/v1/authority/registry/changes",
		},
	],
};

export function changelogOperations({ baseUrl, changelog }: ChangelogDeps): Operation[] {
	return [
		{
			...document("getChangelogPage", "/changelog", "Show the changelog"),
			sdk: null,
			description:
				"Newest first, by category: Added, Changed, Deprecated, Removed, Fixed and Security. Breaking changes are announced here at least 30 days in advance, " +
				"with their date.",
			answers: {
				200: { description: "The page.", mediaType: "text/html", headers: CACHE_HEADERS },
				304: NOT_MODIFIED,
			},
			handle: answerWith(() => represent(renderChangelog(changelog), PAGE_HEADERS)),
		},
		{
			...document("getChangelog", "/v1/changelog", "List changes"),
			sdk: "service.getChangelog",
			description:
				"Newest first. Each area has its own versions: `invoicing`, and `identity` for the taxpayer registry.",
			answers: {
				200: {
					description: "All releases.",
					schema: ReleaseList,
					example: { items: [EXAMPLE], count: 1, partial: false, next: null },
					headers: CACHE_HEADERS,
				},
				304: NOT_MODIFIED,
			},
			problems: ["validation-error"],
			handle: answerWith(() => {
				const list = { items: changelog, count: changelog.length, partial: false, next: null };
				return represent(JSON.stringify(list), { "content-type": "application/json; charset=utf-8" });
			}, readQuery),
		},
		{
			...document("getChangelogAtom", "/changelog.atom", "Get the change feed as Atom"),
			sdk: null,
			description: "An entry for each release and for each change that is announced separately.",
			answers: {
				200: {
					description: "The feed. Source: RFC 4287.",
					mediaType: "application/atom+xml",
					headers: CACHE_HEADERS,
				},
				304: NOT_MODIFIED,
			},
			handle: answerWith(() =>
				represent(writeAtom(changelog, baseUrl), { "content-type": "application/atom+xml; charset=utf-8" }),
			),
		},
		{
			...document("getChangelogFeed", "/changelog.json", "Get the change feed as JSON Feed 1.1"),
			sdk: null,
			description: "The same entries as `/changelog.atom`.",
			answers: {
				200: {
					description: "The feed.",
					mediaType: "application/feed+json",
					schema: JsonFeed,
					example: toJsonFeed([EXAMPLE], baseUrl),
					headers: CACHE_HEADERS,
				},
				304: NOT_MODIFIED,
			},
			handle: answerWith(() =>
				represent(JSON.stringify(toJsonFeed(changelog, baseUrl)), {
					"content-type": "application/feed+json; charset=utf-8",
				}),
			),
		},
	];
}

function document(id: string, path: string, summary: string) {
	return {
		...({ id, method: "GET", path, tag: TAG, summary, credentials: PUBLIC } as const),
		parameters: [CONDITIONAL],
		problems: [],
	};
}

function answerWith(make: () => Representation, check?: (call: Call) => unknown): Operation["handle"] {
	const made = memoize(async () => make());
	return async (call) => {
		check?.(call);
		return answerRepresentation(call, await made());
	};
}
