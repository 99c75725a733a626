/** The pages of the console and of the portal, each the same at all its addresses, and the files that they load. All are public: data comes from `/v1`. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
	type Answer,
	type Call,
	chooseCoding,
	headerParameter,
	matchesEtag,
	NO_SNIFFING,
	type Operation,
	PUBLIC,
	pathParameter,
} from "../platform/operation";
import { chooseLanguage, Problem } from "../platform/problem";
import { ASSETS_PATH, CODED_ENDINGS, type OpenBundle } from "./bundle";

export type ConsoleDeps = {
	/** The console's own origin, where passkeys work: a name, no IP address. */
	readonly consoleUrl: string;
	readonly bundle: OpenBundle;
	/** Sites that may embed a portal; undefined for an unknown one. */
	readonly findPortalOrigins: (portalId: string) => Promise<readonly string[] | undefined>;
};

/** The console makes no script at run time, so Trusted Types need no policy. PDF documents are blobs in a frame. */
const toPolicy = (ancestors: readonly string[]) =>
	[
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-src blob:",
		`base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors.length > 0 ? ancestors.join(" ") : "'none'"}; object-src 'none'`,
		"require-trusted-types-for 'script'; trusted-types 'none'",
	].join("; ");

const SECURITY: Readonly<Record<string, string>> = {
	...NO_SNIFFING,
	"content-security-policy": toPolicy([]),
	"referrer-policy": "no-referrer",
	"cross-origin-opener-policy": "same-origin",
};

const TAG = "Console";
const IF_NONE_MATCH = headerParameter("If-None-Match", "ETag of the page that you have. If it is unchanged, 304.");
const SHOWN: Answer = {
	description: "The page.",
	mediaType: "text/html",
	headers: { "Cache-Control": "`no-cache`: revalidate with the ETag.", ETag: "Entity tag of the page." },
};
const PORTAL_PATH = "/portal";

export function consoleOperations(deps: ConsoleDeps): Operation[] {
	const { consoleUrl, bundle, findPortalOrigins } = deps;
	const pageHeaders = {
		...SECURITY,
		"content-type": "text/html; charset=utf-8",
		"cache-control": "no-cache",
		...(consoleUrl.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {}),
	};
	const starts = (request: Request): Response => {
		const headers = { ...pageHeaders, "cache-control": "no-store", "retry-after": "1", refresh: "1" };
		return new Response(renderWaiting(chooseLanguage(request.headers.get("accept-language"), "es")), {
			status: 503,
			headers,
		});
	};
	return [
		{
			id: "getConsole",
			sdk: null,
			method: "GET",
			path: "/console",
			coversBelow: true,
			tag: TAG,
			summary: "Open the console",
			description:
				"The web console for people. The same page answers at every path below `/console`, and finds out in the browser which of its pages is asked for. " +
				"An address with an IP number is redirected to the console's own origin, because passkeys need a name. While the page is being built, 503.",
			credentials: PUBLIC,
			parameters: [IF_NONE_MATCH],
			answers: {
				200: SHOWN,
				302: { description: "The same page at the console's origin.", headers: { Location: "Where it is." } },
				304: { description: "Not modified." },
			},
			problems: ["not-found", "service-unavailable"],
			renderProblem: ({ slug }, request) => (slug === "service-unavailable" ? starts(request) : undefined),
			handle: (call) => {
				// The name of a file that cannot be decoded comes here.
				if (call.url.pathname.startsWith(`${ASSETS_PATH}/`)) throw new Problem("not-found");
				const elsewhere = toOwnOrigin(call.url, consoleUrl);
				if (elsewhere !== undefined) return new Response(null, { status: 302, headers: { location: elsewhere } });
				return answerPage(call, bundle()?.page, pageHeaders);
			},
		},
		{
			id: "getPortal",
			sdk: null,
			method: "GET",
			path: PORTAL_PATH,
			coversBelow: true,
			tag: TAG,
			summary: "Open a portal",
			description: "The page of a link to the portal, for an `iframe` of the sites in the portal's settings.",
			credentials: PUBLIC,
			parameters: [IF_NONE_MATCH],
			answers: {
				200: SHOWN,
				304: { description: "Not modified." },
			},
			problems: ["not-found", "service-unavailable"],
			renderProblem: ({ slug }, request) => (slug === "service-unavailable" ? starts(request) : undefined),
			handle: async (call) => {
				const portalId = call.url.pathname.split("/")[2] ?? "";
				const origins = await findPortalOrigins(portalId);
				if (!origins) throw new Problem("not-found");
				const policy = { "content-security-policy": toPolicy(origins) };
				return answerPage(call, bundle()?.portal, { ...pageHeaders, ...policy });
			},
		},
		{
			id: "getConsoleAsset",
			sdk: null,
			method: "GET",
			path: `${ASSETS_PATH}/{file}`,
			tag: TAG,
			summary: "Get a file of the console",
			description: "Scripts and styles of the console. A name contains a digest of the content, which never changes.",
			credentials: PUBLIC,
			parameters: [pathParameter("file", "Name of the file.", "main-1a2b3c4d.js")],
			answers: {
				200: {
					description: "The file.",
					mediaType: "text/javascript",
					alsoMediaTypes: ["text/css"],
					headers: {
						"Cache-Control": "`immutable`: need not be requested again.",
						ETag: "Entity tag of the content in its coding.",
						Vary: "`Accept-Encoding`.",
					},
				},
				304: { description: "Not modified." },
			},
			problems: ["not-found", "service-unavailable"],
			handle: (call) => answerAsset(call, bundle),
		},
	];
}

/** Throws: service-unavailable while it is being built. */
function answerPage({ request }: Call, page: string | undefined, headers: Readonly<Record<string, string>>): Response {
	if (page === undefined) throw new Problem("service-unavailable");
	const etag = `"${createHash("sha256").update(page).digest("base64url").slice(0, 22)}"`;
	const isKnown = matchesEtag(request.headers.get("if-none-match"), etag);
	return new Response(isKnown ? null : page, { status: isKnown ? 304 : 200, headers: { ...headers, etag } });
}

/** Throws: not-found, service-unavailable. */
function answerAsset({ params, request }: Call, open: OpenBundle): Response {
	const bundle = open();
	if (!bundle) throw new Problem("service-unavailable", { headers: { "retry-after": "1" } });
	const name = params.file ?? "";
	const asset = Object.hasOwn(bundle.assets, name) ? bundle.assets[name] : undefined;
	if (!asset) throw new Problem("not-found");
	const accepted = chooseCoding(request.headers.get("accept-encoding"));
	const coding = accepted && asset.codings.includes(accepted) ? accepted : undefined;
	const headers = {
		...NO_SNIFFING,
		"content-type": asset.type,
		"cache-control": "public, max-age=31536000, immutable",
		vary: "Accept-Encoding",
		etag: `"${name}${coding === undefined ? "" : `-${coding}`}"`,
	};
	if (matchesEtag(request.headers.get("if-none-match"), headers.etag))
		return new Response(null, { status: 304, headers });
	const file = Bun.file(join(bundle.folder, coding === undefined ? name : `${name}${CODED_ENDINGS[coding]}`));
	return new Response(file, { headers: coding === undefined ? headers : { ...headers, "content-encoding": coding } });
}

/** Passkeys refuse IP addresses. Other names, such as that of a port forward, stay as they are. */
function toOwnOrigin({ hostname, pathname, search }: URL, consoleUrl: string): string | undefined {
	const isIp = /^[\d.]+$|^\[/.test(hostname);
	return isIp && new URL(consoleUrl).hostname !== hostname ? `${consoleUrl}${pathname}${search}` : undefined;
}

function renderWaiting(language: "es" | "en"): string {
	const [title, text] =
		language === "es"
			? ["Consola de Sello", "La consola se está preparando. Esta página se abre sola en unos segundos."]
			: ["Sello console", "The console is being prepared. This page opens by itself in a few seconds."];
	return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body>
</html>
`;
}
