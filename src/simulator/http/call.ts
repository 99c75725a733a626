import type { FaultOperation, Pretence } from "../faults";
import type { Answer } from "./answer";

export type Call = {
	/** The environment segment of the path in lower case; empty on routes without one. */
	readonly environment: string;
	/** Finds a query parameter, ignoring case. */
	readonly query: (name: string) => string | undefined;
	readonly header: (name: string) => string | undefined;
	readonly body: Uint8Array<ArrayBuffer>;
	/** The caller's certificate, on routes that need a token. */
	readonly thumbprint: string;
	/** The false answer that a fault requests. */
	readonly pretence: Pretence | undefined;
	readonly pretenceMs: number;
};

/** Who may call: anyone, the holder of a token, the holder of a status key, or a test that controls the simulator. */
export type Access = "open" | "token" | "status-key" | "control";

export type Route = {
	readonly method: "GET" | "POST" | "DELETE";
	/** Lower case; `{env}` stands for an environment segment. */
	readonly path: string;
	readonly environments?: readonly string[];
	readonly access: Access;
	readonly operation?: FaultOperation;
	readonly handle: (call: Call) => Answer | Promise<Answer>;
};

/** The authority's environment segments: free tests, certification, production. */
export const ENVIRONMENT_SEGMENTS = ["testecf", "certecf", "ecf"] as const;

export type RouteMatch =
	| { readonly found: "route"; readonly route: Route; readonly environment: string }
	| { readonly found: "other-method"; readonly methods: readonly Route["method"][] }
	| { readonly found: "nothing" };

/** Finds the route of a request, ignoring case, a trailing slash and doubled slashes. */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch {
	const wanted = path
		.toLowerCase()
		.replace(/\/{2,}/g, "/")
		.replace(/\/$/, "");
	const environment = ENVIRONMENT_SEGMENTS.find((segment) => wanted.startsWith(`/${segment}/`)) ?? "";
	const generic = environment ? `/{env}${wanted.slice(environment.length + 1)}` : wanted;
	const samePath = routes.filter(
		(route) => route.path === generic && (!route.environments || route.environments.includes(environment)),
	);
	const route = samePath.find((candidate) => candidate.method === method);
	if (route) return { found: "route", route, environment };
	return samePath.length > 0
		? { found: "other-method", methods: samePath.map((candidate) => candidate.method) }
		: { found: "nothing" };
}

export type Upload = { readonly fileName: string; readonly bytes: Uint8Array<ArrayBuffer> };

type Part = {
	readonly name: string | undefined;
	readonly fileName: string | undefined;
	readonly mediaType: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
};

/**
 * Reads the part `xml`. A string states why the request is refused.
 * Quirk: the authority cannot read a streamed request without a length and says that it is empty, except for signed seeds.
 */
export function readMultipart(call: Call, mayStream = false): Upload | string {
	const hasLength = mayStream || call.header("content-length") !== undefined;
	if (!hasLength || call.body.length === 0) return "Multipart cannot be empty";
	const contentType = call.header("content-type") ?? "";
	const boundary = /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
	if (!boundary) return "El contenido debe ser multipart/form-data.";
	const [part, ...others] = splitParts(call.body, boundary[1] ?? boundary[2] ?? "") ?? [];
	if (!part) return "Multipart cannot be empty";
	if (others.length > 0) return "Debe enviar un solo archivo.";
	if (part.name !== "xml" || part.fileName === undefined) return "Debe enviar el archivo en la parte xml.";
	if (!/^(text|application)\/xml\b/i.test(part.mediaType)) return "El archivo no es de tipo XML.";
	return { fileName: part.fileName, bytes: part.bytes };
}

/** The parts between the delimiters; undefined for an unterminated body or a part without headers. */
function splitParts(body: Uint8Array<ArrayBuffer>, boundary: string): Part[] | undefined {
	// The first delimiter may be at the very start, without the line break before it.
	const whole = Buffer.concat([Buffer.from("\r\n"), body]);
	const delimiter = Buffer.from(`\r\n--${boundary}`);
	const parts: Part[] = [];
	let at = whole.indexOf(delimiter);
	while (at >= 0) {
		const start = at + delimiter.length;
		if (whole.toString("latin1", start, start + 2) === "--") return parts;
		const headersEnd = whole.indexOf("\r\n\r\n", start);
		const end = whole.indexOf(delimiter, start);
		if (headersEnd < 0 || end < headersEnd) return undefined;
		const bytes = new Uint8Array(whole.subarray(Math.min(headersEnd + 4, end), end));
		parts.push({ ...readHeaders(whole.toString("utf8", start, headersEnd)), bytes });
		at = end;
	}
	return undefined;
}

function readHeaders(text: string): Omit<Part, "bytes"> {
	const header = (name: string) => new RegExp(`^${name}:(.*)$`, "im").exec(text)?.[1]?.trim() ?? "";
	const disposition = header("content-disposition");
	const parameter = (name: string) => {
		const match = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^\\s;]+))`, "i").exec(disposition);
		return match?.[1] ?? match?.[2];
	};
	return { name: parameter("name"), fileName: parameter("filename"), mediaType: header("content-type") };
}
