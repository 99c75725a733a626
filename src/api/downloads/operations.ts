/** The client libraries for download: their list, their archives, and what npm and Composer read to install them. */
import { Type } from "@sinclair/typebox";
import { memoizeFor } from "../../platform/concurrency";
import {
	answerStoredFile,
	type Call,
	headerParameter,
	type Operation,
	PUBLIC,
	pathParameter,
} from "../../platform/operation";
import { chooseLanguage, type Language, msg, Problem } from "../../platform/problem";
import { DOCUMENTATION_TAG, escapeHtml, type Html, PAGE_HEADERS, toPage } from "../html";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, prefersJson, represent } from "../representation";
import { type Archive, type Archives, LIBRARIES, openArchives, readArchiveName } from "./archives";
import { NPM_NAME, toComposerRepository, toNpmPackage } from "./manifests";

export type DownloadDeps = {
	readonly baseUrl: string;
	/** Of the page, for readers who ask for neither. */
	readonly docsLanguage: Language;
	/** Default: the archives of this checkout or image. */
	readonly archives?: () => Promise<Archives>;
};

const SECONDS_TO_BUILD = "10";
/** The name under which the newest archive of TypeScript, which contains the command line, is always found. */
const NEWEST = "sello.tgz";
const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };
const MEDIA_TYPES: Readonly<Record<Archive["library"], string>> = {
	typescript: "application/gzip",
	python: "application/zip",
	php: "application/zip",
	woocommerce: "application/zip",
};

const Download = Type.Object({
	library: Type.Union(
		LIBRARIES.map((library) => Type.Literal(library)),
		{
			description:
				"Language of the library, or `woocommerce` for the plug-in. The one for TypeScript contains the command line `sello`.",
		},
	),
	version: Type.String({ description: "SemVer. A build of sources that are not released has `-dev.` and a digest." }),
	name: Type.String({ description: "Name of the file." }),
	url: Type.String({ format: "uri", description: "Address of the archive. Its content never changes." }),
	bytes: Type.Integer({ description: "Size." }),
	sha256: Type.String({ description: "SHA-256 of the archive, in hex." }),
});
const Downloads = Type.Object(
	{ items: Type.Array(Download, { description: "Newest first." }), count: Type.Integer() },
	{ $id: "Downloads" },
);

/** `/sdk` and all below it; public. */
export function downloadOperations({ baseUrl, docsLanguage, archives = openArchives() }: DownloadDeps): Operation[] {
	const toUrl = ({ library, name }: Archive) =>
		`${baseUrl}/sdk/${library === "php" ? "php/" : ""}${encodeURIComponent(name)}`;
	/** Throws: service-unavailable. */
	const find = async (): Promise<Archives> => {
		const found = await archives();
		if (found.listed.length > 0) return found;
		throw new Problem("service-unavailable", {
			detail: msg`The client libraries are not built. The operator builds them with \`bun scripts/build-assets.ts\`.`,
			headers: { "retry-after": SECONDS_TO_BUILD },
		});
	};
	const listOf = async (library: Archive["library"]) => (await find()).listed.filter((one) => one.library === library);
	/** Documents of the archives, which do not change once they are found; `memoizeFor` keeps no failure. */
	const represented = memoizeFor(Number.POSITIVE_INFINITY, async (form: "json" | "npm" | "composer" | Language) => {
		if (form === "npm") {
			const document = toNpmPackage(await listOf("typescript"), toUrl);
			if (!document) throw new Problem("not-found");
			return represent(JSON.stringify(document), JSON_HEADERS);
		}
		if (form === "composer") {
			return represent(JSON.stringify(toComposerRepository(await listOf("php"), toUrl)), JSON_HEADERS);
		}
		const items = (await find()).listed.map((archive) => toItem(archive, toUrl));
		const vary = "Accept, Accept-Language";
		if (form === "json") return represent(JSON.stringify({ items, count: items.length }), { ...JSON_HEADERS, vary });
		return represent(renderDownloads(items, baseUrl, form), { ...PAGE_HEADERS, "content-language": form, vary });
	});
	/** Throws: not-found, service-unavailable. A name that no archive can have starts no build. */
	const answerArchive = async (call: Call, isOffered: (archive: Pick<Archive, "library">) => boolean) => {
		const name = call.params.file ?? "";
		const id = readArchiveName(name);
		if (!id || !isOffered(id)) throw new Problem("not-found");
		const { listed, earlier } = await find();
		const archive = [...listed, ...earlier].find((one) => one.name === name);
		if (!archive) throw new Problem("not-found");
		return answerFile(call, archive, "public, max-age=31536000, immutable");
	};
	return [
		{
			id: "listDownloads",
			sdk: null,
			method: "GET",
			path: "/sdk",
			tag: DOCUMENTATION_TAG,
			summary: "List the client libraries",
			description:
				"The archives for TypeScript, Python, PHP and WooCommerce, as a page in Spanish or English by `Accept-Language`, or as JSON for `Accept: application/json`. " +
				"`pip install --find-links` reads the page. In a checkout the first request builds the archives, which takes a few seconds.",
			credentials: PUBLIC,
			parameters: [CONDITIONAL],
			answers: {
				200: {
					description: "The archives.",
					schema: Downloads,
					alsoMediaTypes: ["text/html"],
					example: {
						items: [
							{
								...{ library: "php", version: "1.0.0", name: "sello-sdk-1.0.0.zip", bytes: 14201 },
								url: "https://api.example/sdk/php/sello-sdk-1.0.0.zip",
								sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
							},
						],
						count: 1,
					},
					headers: { ...CACHE_HEADERS, "Content-Language": "Language of the page." },
				},
				304: { description: "Not modified.", headers: CACHE_HEADERS },
			},
			problems: [],
			handle: async (call) => {
				const { headers } = call.request;
				const form = prefersJson(call.request) ? "json" : chooseLanguage(headers.get("accept-language"), docsLanguage);
				return answerRepresentation(call, await represented(form));
			},
		},
		{
			...fileOperation("getDownload", "/sdk/{file}", "Download a client library", NEWEST),
			description: `An archive of the list for TypeScript, Python or WooCommerce. \`${NEWEST}\` is the newest for TypeScript: \`npx --yes HOST/sdk/${NEWEST}\` runs the command line.`,
			handle: async (call) => {
				if (call.params.file !== NEWEST) return answerArchive(call, ({ library }) => library !== "php");
				const [newest] = await listOf("typescript");
				if (!newest) throw new Problem("not-found");
				return answerFile(call, newest, "no-cache");
			},
		},
		{
			id: "getNpmPackage",
			sdk: null,
			method: "GET",
			path: "/sdk/npm/{name}",
			tag: DOCUMENTATION_TAG,
			summary: "Describe the npm package",
			description:
				"What npm reads from a registry. With `@sello:registry=HOST/sdk/npm/` in `.npmrc`, `npm install @sello/sdk` installs from this service.",
			credentials: PUBLIC,
			parameters: [
				pathParameter("name", "`@sello/sdk`, with the slash as `%2f`.", NPM_NAME, Type.String()),
				CONDITIONAL,
			],
			answers: {
				200: {
					description: "The package's document.",
					schema: Type.Object({}, { additionalProperties: true }),
					example: { name: NPM_NAME, "dist-tags": { latest: "1.0.0" }, versions: {} },
					headers: CACHE_HEADERS,
				},
				304: { description: "Not modified.", headers: CACHE_HEADERS },
			},
			problems: ["not-found"],
			handle: async (call) => {
				if (call.params.name !== NPM_NAME) throw new Problem("not-found");
				return answerRepresentation(call, await represented("npm"));
			},
		},
		{
			...fileOperation("getComposerFile", "/sdk/php/{file}", "Get a file of the Composer repository", COMPOSER_FILE),
			description: `\`${COMPOSER_FILE}\`, or an archive that it names. \`composer config repositories.sello composer HOST/sdk/php\` adds the repository.`,
			handle: async (call) => {
				if (call.params.file !== COMPOSER_FILE) return answerArchive(call, ({ library }) => library === "php");
				return answerRepresentation(call, await represented("composer"));
			},
		},
	];
}

const COMPOSER_FILE = "packages.json";

function fileOperation(id: string, path: string, summary: string, example: string) {
	const headers = {
		"Cache-Control": "`public, max-age=31536000, immutable` for names with a version, else `no-cache`.",
		ETag: "Entity tag of the content.",
	};
	return {
		...{ id, sdk: null, method: "GET", path, summary, tag: DOCUMENTATION_TAG, credentials: PUBLIC },
		parameters: [
			pathParameter("file", "Name of a file.", example, Type.String()),
			headerParameter("Range", "One part of an archive: `bytes=FIRST-LAST`."),
			CONDITIONAL,
		],
		answers: {
			200: { description: "The file.", mediaType: "*/*", headers },
			206: { description: "The part of an archive that `Range` names.", mediaType: "*/*", headers },
			304: { description: "Not modified.", headers },
		},
		problems: ["not-found", "range-not-satisfiable"],
	} satisfies Omit<Operation, "handle">;
}

function answerFile(call: Call, { path, bytes, sha256, library }: Archive, cacheControl: string): Response {
	const headers = { "content-type": MEDIA_TYPES[library], "cache-control": cacheControl };
	return answerStoredFile(call, { path, bytes, sha256, headers });
}

type DownloadItem = Pick<Archive, "library" | "version" | "name" | "bytes" | "sha256"> & { readonly url: string };

function toItem(archive: Archive, toUrl: (archive: Archive) => string): DownloadItem {
	const { library, version, name, bytes, sha256 } = archive;
	return { library, version, name, url: toUrl(archive), bytes, sha256 };
}

const NAMES: Readonly<Record<Archive["library"], string>> = {
	typescript: "TypeScript",
	python: "Python",
	php: "PHP",
	woocommerce: "WooCommerce",
};
const WORDS = {
	en: {
		title: "Client libraries",
		lead: "One method for each operation, without dependencies. Archives with a version never change.",
		guide: "Guide",
	},
	es: {
		title: "Bibliotecas de cliente",
		lead: "Un método por operación, sin dependencias. Los archivos con versión nunca cambian.",
		guide: "Guía",
	},
} as const;

function renderDownloads(items: readonly DownloadItem[], baseUrl: string, language: Language): Html {
	const words = WORDS[language];
	const commands: Readonly<Record<Archive["library"], (newest: DownloadItem) => string>> = {
		typescript: ({ url }) => `npm install ${url}`,
		python: ({ url }) => `pip install ${url}`,
		php: ({ version }) =>
			[
				"test -f composer.json || echo '{}' > composer.json",
				`composer config repositories.sello composer ${baseUrl}/sdk/php`,
				...(baseUrl.startsWith("http:") ? ["composer config secure-http false"] : []),
				`composer require sello/sdk${version.includes("-") ? ":@dev" : ""}`,
			].join("\n"),
		woocommerce: ({ url }) => `wp plugin install ${url} --activate`,
	};
	const sections = LIBRARIES.flatMap((library) => {
		const own = items.filter((one) => one.library === library);
		const [newest] = own;
		if (!newest) return [];
		// pip looks for links whose last part is the name of a wheel.
		const rows = own.map(
			({ url, name, bytes, sha256 }) =>
				`<li><a href="${escapeHtml(url)}">${escapeHtml(name)}</a>, ${bytes} bytes, SHA-256 <code>${sha256}</code></li>`,
		);
		return `<h2 id="${library}">${NAMES[library]}</h2>
<p><a href="/docs/${language}/${library === "woocommerce" ? library : `sdk-${library}`}">${words.guide}</a></p>
<pre tabindex="0"><code>${escapeHtml(commands[library](newest))}</code></pre>
<ul>${rows.join("\n")}</ul>`;
	});
	return toPage({
		...{ language, title: `${words.title} · Sello`, summary: words.lead, area: "guides" },
		body: `<article>\n<h1>${words.title}</h1>\n<p class="lead">${words.lead}</p>\n${sections.join("\n")}\n</article>`,
	});
}
