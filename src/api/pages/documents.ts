/** The operations that describe the others: the OpenAPI document, the documentation page with its files, the problems' pages. */

import { Type } from "@sinclair/typebox";
import { memoize } from "../../platform/concurrency";
import { type Call, type Operation, PUBLIC } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import {
	answerRepresentation,
	CACHE_HEADERS,
	CONDITIONAL,
	type Representation,
	represent,
} from "../server/representation";
import { ASSET_NAMES, findAsset } from "./docs-assets";
import { renderDocsPage } from "./docs-page";
import { errorPageOperations } from "./error-pages";
import { PAGE_HEADERS } from "./html";

export type DocumentDeps = {
	readonly baseUrl: string;
	/** What is described; the operations made here describe themselves as well. */
	readonly operations: readonly Operation[];
	/** Further pages, which stand before those of the problems. */
	readonly pages: readonly Operation[];
};

export const TAG = "Documentation";
const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };

/** For whoever does not follow. Source: RFC 9110, 15.4.3. */
const MOVED = '<!doctype html>\n<title>Documentation</title>\n<a href="/docs">Documentation</a>\n';

/** All public. The documents are made at the first request and kept. */
export function documentOperations(deps: DocumentDeps): Operation[] {
	const own: Operation[] = [
		{
			id: "getRoot",
			method: "GET",
			path: "/",
			tag: TAG,
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
			tag: TAG,
			summary: "This description, for machines",
			description: "OpenAPI 3.1.",
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
				304: { description: "The caller has it already.", headers: CACHE_HEADERS },
			},
			problems: [],
			handle: answerWith(async () => {
				// The plugin behind it takes 10 MiB, which a process that nobody asks does not have.
				const { createOpenApi } = await import("../openapi/openapi");
				return represent(JSON.stringify(await createOpenApi(all, deps)), JSON_HEADERS);
			}),
		},
		{
			id: "getDocs",
			method: "GET",
			path: "/docs",
			tag: TAG,
			summary: "This description, for people",
			description: "Works without a network and, in plain form, without scripts.",
			credentials: PUBLIC,
			parameters: [CONDITIONAL],
			answers: {
				200: { description: "The page.", mediaType: "text/html", headers: CACHE_HEADERS },
				304: { description: "The caller has it already.", headers: CACHE_HEADERS },
			},
			problems: [],
			handle: answerWith(async () => represent(renderDocsPage(all), PAGE_HEADERS)),
		},
		{
			id: "getDocsAsset",
			method: "GET",
			path: "/docs/assets/{file}",
			tag: TAG,
			summary: "A file of the documentation page",
			credentials: PUBLIC,
			parameters: [
				{
					name: "file",
					in: "path",
					required: true,
					description: `One of ${ASSET_NAMES.map((name) => `\`${name}\``).join(", ")}.`,
					schema: Type.Union(ASSET_NAMES.map((name) => Type.Literal(name))),
					example: "docs.css",
				},
				CONDITIONAL,
			],
			answers: {
				200: { description: "A style sheet, a script or an image.", mediaType: "*/*", headers: CACHE_HEADERS },
				304: { description: "The caller has it already.", headers: CACHE_HEADERS },
			},
			problems: ["not-found"],
			handle: getAsset,
		},
		...deps.pages,
		...errorPageOperations(deps, TAG),
	];
	const all = [...deps.operations, ...own];
	return own;
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
