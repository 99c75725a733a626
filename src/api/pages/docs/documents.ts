/** The operations that document the others: OpenAPI, the documentation page with its files, and the pages of problems. */

import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { memoize } from "../../../platform/concurrency";
import { type Operation, PUBLIC } from "../../../platform/operation";
import { chooseLanguage, type Language } from "../../../platform/problem";
import type { Environment } from "../../../platform/values";
import { DOCUMENTATION_TAG } from "../../html";
import { createOpenApi, listSamples, type OpenApiDocument, toLanguage, toSampleCall } from "../../openapi";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, type Representation, represent } from "../../representation";
import { assetOperation } from "./asset-files";
import { fillVariables, TABS } from "./code";
import { codesPageOperations } from "./codes-pages";
import { errorPageOperations } from "./error-pages";
import { explorerOperation } from "./explorer";
import { createGuides } from "./guides";
import { landingOperation } from "./landing";
import { llmsOperations } from "./llms";
import { postmanOperation } from "./postman";
import { listShownSamples, referenceOperations } from "./reference";
import { createDocsSearch, searchOperation } from "./search-page";
import { type DocsDeps, type ExplainedCodes, siteOperations } from "./site";

export type DocumentSource = {
	readonly baseUrl: string;
	/** The operations to document; those of this file document themselves too. */
	readonly operations: readonly Operation[];
	/** Further pages, listed before those of the problems. */
	readonly pages: readonly Operation[];
	/** Absent in processes that serve no invoices. */
	readonly codes: ExplainedCodes | undefined;
	readonly environment: Environment;
	/** For readers whose browser prefers neither language. */
	readonly docsLanguage: Language;
};

const OPENAPI_HEADERS = {
	...CACHE_HEADERS,
	"Content-Language": "Language of the texts, by `Accept-Language`; English by default.",
	Vary: "`Accept-Language` and `Accept-Encoding`.",
};

/** All are public. Documents are rendered at the first request and kept. */
export function documentOperations(deps: DocumentSource): Operation[] {
	const parsed: Partial<Record<Language, WeakRef<OpenApiDocument>>> = {};
	/** Kept as a compressed text, a thirtieth of its size, and as a value while the collector leaves it. */
	const documentIn = async (language: Language): Promise<OpenApiDocument> => {
		const known = parsed[language]?.deref();
		if (known) return known;
		const { bytesIn } = await openApi[language]();
		const document = JSON.parse(new TextDecoder().decode(await bytesIn(undefined))) as OpenApiDocument;
		parsed[language] = new WeakRef(document);
		return document;
	};
	const openApiIn = (language: Language, write: () => Promise<OpenApiDocument>) =>
		memoize(async () =>
			represent(JSON.stringify(await write()), {
				"content-type": "application/json; charset=utf-8",
				"content-language": language,
				vary: "Accept-Language",
			}),
		);
	const openApi: Readonly<Record<Language, () => Promise<Representation>>> = {
		en: openApiIn("en", async () => addSamples(await createOpenApi(all, deps), site)),
		es: openApiIn("es", async () => toLanguage(await documentIn("en"), "es", deps.baseUrl)),
	};
	const isRegistryAlone = !deps.operations.some(({ id }) => id === "postInvoice");
	const guides = createGuides({ ...deps, isRegistryAlone });
	const site: DocsDeps = { ...deps, guides, isRegistryAlone, documentIn, operations: () => all };
	const own: Operation[] = [
		landingOperation(site),
		{
			id: "getOpenApi",
			sdk: "service.getOpenApi",
			method: "GET",
			path: "/openapi.json",
			tag: DOCUMENTATION_TAG,
			summary: "Get this document",
			description:
				"OpenAPI 3.1 as JSON. Summaries, descriptions and problems are in Spanish or English by `Accept-Language`; names and values are the same. `x-codeSamples` holds calls in curl and TypeScript.",
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
					headers: OPENAPI_HEADERS,
				},
				304: { description: "Not modified.", headers: OPENAPI_HEADERS },
			},
			problems: [],
			handle: async (call) => {
				const language = chooseLanguage(call.request.headers.get("accept-language"));
				return answerRepresentation(call, await openApi[language]());
			},
		},
		explorerOperation(() => all),
		...siteOperations(site),
		...referenceOperations(site),
		searchOperation(site, createDocsSearch(site)),
		...(deps.codes ? codesPageOperations(site, deps.codes) : []),
		...llmsOperations(site),
		postmanOperation(site),
		assetOperation(),
		...(deps.operations.some(({ id }) => id === "listRegistryDownloads") ? [getNumbersReader()] : []),
		...deps.pages,
		...errorPageOperations(deps),
	];
	const all = [...deps.operations, ...own];
	return own;
}

/** Of the four languages of the reference; all of them would make the document a fifth larger. */
const SAMPLED = ["curl", "typescript"];

/** The document with samples at each operation that the client libraries have. */
function addSamples(document: OpenApiDocument, { operations, environment, guides }: DocsDeps): OpenApiDocument {
	const paths = { ...document.paths };
	for (const operation of operations()) {
		const { method, path } = operation;
		const object = paths[path]?.[method.toLowerCase()];
		if (operation.sdk === null || !object) continue;
		const listed = listSamples(toSampleCall(operation)).filter(({ tab }) => SAMPLED.includes(tab));
		const samples = listShownSamples(listed, environment).map(({ tab, language, code }) => ({
			...{ lang: language, label: TABS[tab] ?? tab, source: fillVariables(code, guides.variables) },
		}));
		paths[path] = { ...paths[path], [method.toLowerCase()]: { ...object, "x-codeSamples": samples } };
	}
	return { ...document, paths };
}

/** The reader of the registry's file `numbers`, for tills. */
const READER_FILE = join(import.meta.dir, "../../../../data/registry/numbers.js");

function getNumbersReader(): Operation {
	return {
		id: "getNumbersReader",
		sdk: null,
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
