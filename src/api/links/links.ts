/**
 * Links: a caller asks for the address of a file, and anyone with the address may read that one file for some minutes.
 *
 *   token   what is read, for which caller, until when: JSON in base64url, and a keyed digest of it
 *
 * Nothing is stored. The digest shows that we gave the token; its key or session is looked up at each use, and must still be in force and hold the
 * scope. Gap: a link of a key outlives the bearer token that it was made with, by an hour at most.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { type Access, requireScope } from "../../identity/auth";
import type { Sessions } from "../../identity/sessions";
import {
	type Call,
	checkSchema,
	json,
	jsonBody,
	NEEDS_BOTH,
	NO_SNIFFING,
	type Operation,
	opensCompany,
	PRIVATE_NO_STORE,
	type Principal,
	PUBLIC,
	pathParameter,
	readJson,
	readQuery,
	type Scope,
	tenantOf,
} from "../../platform/operation";
import { type Fault, msg, Problem, pointerSegment } from "../../platform/problem";
import type { Clock, Environment } from "../../platform/values";

export type LinkDeps = {
	readonly baseUrl: string;
	readonly environment: Environment;
	readonly clock: Clock;
	/** The same in every process and after every restart. */
	readonly linkKey: Uint8Array;
	readonly findKeyCaller: Access["findKeyCaller"];
	/** Absent without the console. */
	readonly findSessionCaller: Sessions["findCompanyCaller"] | undefined;
	/** Those that a link may stand for are among them. */
	readonly operations: () => readonly Operation[];
};

const SECONDS_MAX = 3_600;
const TOKEN_MAX = 2_048;

const LinkRequest = Type.Object(
	{
		operation: Type.String({
			maxLength: 64,
			description: "`operationId` of an operation of the company's that answers a file, such as `getInvoicePdf`.",
		}),
		params: Type.Optional(
			Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 256 }), {
				maxProperties: 20,
				description: "Its path and query parameters.",
			}),
		),
		expiresIn: Type.Optional(
			Type.Integer({
				minimum: 1,
				maximum: SECONDS_MAX,
				default: 300,
				description: "For how many seconds. Default: 300.",
			}),
		),
	},
	{ $id: "LinkRequest", additionalProperties: false },
);
type LinkRequest = Static<typeof LinkRequest>;

const Link = Type.Object(
	{
		url: Type.String({ description: "Needs no credentials. Treat it as a secret." }),
		expiresAt: Type.String({ format: "date-time", description: "It may end earlier, with the key or session." }),
		_links: Type.Object({ self: Type.String() }),
	},
	{ $id: "Link" },
);

export function linkOperations(deps: LinkDeps): Operation[] {
	return [
		{
			id: "createLink",
			sdk: "links.create",
			method: "POST",
			path: "/v1/links",
			tag: "Links",
			summary: "Make a link to a file",
			description:
				"An address that gives one file of the company without credentials, for a browser or a viewer. It acts for the caller: it ends with the API key or the " +
				"session, and the scope of the operation is checked again at each use. A PDF is shown, other files are saved.",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			body: jsonBody(LinkRequest, {
				...{ operation: "getInvoicePdf", params: { docId: "0192f110-7a00-7b11-9c22-334455667788" }, expiresIn: 300 },
			}),
			answers: {
				201: {
					description: "The link.",
					schema: Link,
					example: {
						url: "https://api.example/v1/links/eyJvIjoi…",
						expiresAt: "2026-11-20T14:25:00.000Z",
						_links: { self: "/v1/links/eyJvIjoi…" },
					},
				},
			},
			problems: ["malformed-json", "validation-error", "insufficient-scope"],
			handle: (call) => createLink(deps, call),
		},
		{
			id: "openLink",
			sdk: null,
			method: "GET",
			path: "/v1/links/{token}",
			tag: "Links",
			summary: "Read a file by its link",
			description: "What the linked operation answers, and its problems.",
			credentials: PUBLIC,
			findCaller: ({ token = "" }, remoteAddress) => findCaller(deps, token, remoteAddress),
			parameters: [pathParameter("token", "Of the link.", "eyJvIjoi")],
			answers: { 200: { description: "The file.", mediaType: "application/octet-stream" } },
			problems: ["not-found", "link-expired", "insufficient-scope"],
			handle: (call) => openLink(deps, call),
		},
	];
}

/** A GET of a company that answers something else than JSON. */
function isLinkable({ method, credentials, answers, path }: Operation): boolean {
	const { mediaType } = answers[200] ?? {};
	const isOfCompany = credentials.key === "required" && credentials.bearer === "required";
	return (
		method === "GET" && isOfCompany && mediaType !== undefined && !mediaType.includes("json") && path.startsWith("/v1/")
	);
}

async function createLink(deps: LinkDeps, call: Call): Promise<Response> {
	const { operation: id, params = {}, expiresIn = 300 } = await readJson<LinkRequest>(call);
	const tenantId = tenantOf(call);
	const { principal } = call;
	const operation = deps.operations().find((one) => one.id === id && isLinkable(one));
	if (!operation || !principal) {
		const detail = msg`Is no operation of a company that answers a file.`;
		throw new Problem("validation-error", { faults: [{ pointer: "/operation", code: "not-in-list", detail }] });
	}
	if (operation.scope) requireScope(principal, operation.scope);
	checkParams(deps, call, operation, params);
	const expiresAt = new Date(deps.clock.now().getTime() + expiresIn * 1_000);
	const { keyId, person } = principal;
	const who = person ? { session: person.sessionId } : keyId === undefined ? {} : { key: keyId };
	const token = toToken(deps, { operation: id, params, tenantId, until: expiresAt.getTime(), ...who });
	const self = `/v1/links/${token}`;
	if (token.length > TOKEN_MAX) {
		const detail = msg`The parameters are too long.`;
		throw new Problem("validation-error", { faults: [{ pointer: "/params", code: "too-long", detail }] });
	}
	const body = { url: `${deps.baseUrl}${self}`, expiresAt: expiresAt.toISOString(), _links: { self } };
	return json(201, body, PRIVATE_NO_STORE);
}

/** Throws: validation-error, with pointers into the body. */
function checkParams(deps: LinkDeps, call: Call, operation: Operation, params: LinkRequest["params"]): void {
	const target = toTarget(deps, call, operation, params);
	const faults: Fault[] = (operation.parameters ?? []).flatMap((parameter) => {
		if (parameter.in !== "path") return [];
		const pointer = `/params/${pointerSegment(parameter.name)}`;
		const value = params?.[parameter.name];
		if (value === undefined) return [{ pointer, code: "required", detail: msg`The parameter is required.` }];
		return checkSchema(parameter.schema, value).map((fault) => ({ ...fault, pointer }));
	});
	try {
		readQuery(target);
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		faults.push(...error.faults.map((one) => ({ ...one, pointer: one.pointer.replace("#/query", "/params") })));
	}
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

type Token = {
	readonly operation: string;
	readonly params: Readonly<Record<string, string>>;
	readonly tenantId: string;
	/** Unix time in milliseconds. */
	readonly until: number;
	/** Neither: the demo key. */
	readonly key?: string;
	readonly session?: string;
};

function toToken({ linkKey }: LinkDeps, token: Token): string {
	const text = Buffer.from(JSON.stringify(token)).toString("base64url");
	return `${text}.${macOf(linkKey, text).toString("base64url")}`;
}

/** Throws: not-found for what is no link of ours; link-expired. */
function readToken({ linkKey, clock }: LinkDeps, sent: string): Token {
	const [text = "", mac = ""] = sent.split(".");
	const expected = macOf(linkKey, text);
	const given = Buffer.from(mac, "base64url");
	if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Problem("not-found");
	const token = JSON.parse(Buffer.from(text, "base64url").toString()) as Token;
	if (token.until <= clock.now().getTime()) throw new Problem("link-expired");
	return token;
}

const macOf = (key: Uint8Array, text: string) =>
	createHmac("sha256", key).update(`links ${text}`).digest().subarray(0, 18);

/** Throws: not-found, link-expired. */
async function findCaller(deps: LinkDeps, sent: string, remoteAddress: string): Promise<Principal> {
	const { tenantId, key, session, operation } = readToken(deps, sent);
	if (session !== undefined) {
		const caller = await deps.findSessionCaller?.(session, tenantId);
		if (!caller) throw new Problem("link-expired");
		return caller;
	}
	if (key !== undefined) {
		const caller = await deps.findKeyCaller(key);
		if (!caller || !opensCompany(caller.principal, tenantId)) throw new Problem("link-expired");
		if (!caller.allowsAddress(remoteAddress)) throw new Problem("not-found");
		return { ...caller.principal, tenantId };
	}
	const scopes = deps.operations().flatMap((one) => (one.id === operation && one.scope ? [one.scope] : []));
	return { environment: deps.environment, plan: "free", ownerId: null, tenantId, scopes: new Set<Scope>(scopes) };
}

/** Headers of the request that the linked operation reads. */
const PASSED = ["accept-language", "if-none-match", "range", "if-range"];
/** Nothing in a file runs, not even if it is shown. */
const POLICY =
	"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

async function openLink(deps: LinkDeps, call: Call): Promise<Response> {
	const { operation: id, params } = readToken(deps, call.params.token ?? "");
	const operation = deps.operations().find((one) => one.id === id && isLinkable(one));
	if (!operation || !call.principal) throw new Problem("not-found");
	if (operation.scope) requireScope(call.principal, operation.scope);
	const answer = await operation.handle(toTarget(deps, call, operation, params));
	const headers = new Headers(answer.headers);
	const isPdf = headers.get("content-type")?.startsWith("application/pdf") === true;
	const named = headers.get("content-disposition")?.replace(/^(attachment|inline)/, "") ?? "";
	headers.set("content-disposition", `${isPdf ? "inline" : "attachment"}${named}`);
	for (const [name, value] of Object.entries({ ...PRIVATE_NO_STORE, ...NO_SNIFFING })) headers.set(name, value);
	headers.set("content-security-policy", POLICY);
	headers.set("referrer-policy", "no-referrer");
	return new Response(answer.body, { status: answer.status, headers });
}

/** The call of the linked operation. */
function toTarget(deps: LinkDeps, call: Call, operation: Operation, params: LinkRequest["params"] = {}): Call {
	const own: Record<string, string> = {};
	const url = new URL(deps.baseUrl);
	url.pathname = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
		own[name] = params[name] ?? "";
		return encodeURIComponent(own[name]);
	});
	for (const [name, value] of Object.entries(params)) if (own[name] === undefined) url.searchParams.set(name, value);
	const headers = new Headers();
	for (const name of PASSED) {
		const value = call.request.headers.get(name);
		if (value !== null) headers.set(name, value);
	}
	return {
		...call,
		operation,
		params: own,
		url,
		request: new Request(url.href, { headers, signal: call.request.signal }),
	};
}
