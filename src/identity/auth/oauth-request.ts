/** Requests to the token endpoint: a JSON or form body, with client credentials in the body or by HTTP Basic. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { type Call, checkBody, parseJson, readBytes } from "../../platform/operation";
import { type Fault, type Message, msg, Problem, type ProblemSlug } from "../../platform/problem";
import { ACCESS_TOKEN_SECONDS } from "./token";

const Text = (description: string) => Type.String({ minLength: 1, maxLength: 512, description });
const clientMembers = {
	client_id: Type.Optional(Text("The client id, unless sent by HTTP Basic.")),
	client_secret: Type.Optional(Text("The client secret, unless sent by HTTP Basic.")),
};

/** Token exchange: RFC 8693. */
export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const GRANT_TYPES = ["client_credentials", "refresh_token", TOKEN_EXCHANGE] as const;

/** Further members are ignored. Source: RFC 6749, 3.2. */
export const TokenRequest = Type.Object({
	grant_type: Type.Union(
		GRANT_TYPES.map((type) => Type.Literal(type)),
		{
			description:
				"What the token is given for: the client's own credentials, a refresh token, or an API key that opens the company (token exchange).",
		},
	),
	...clientMembers,
	audience: Type.Optional(Text("For token exchange: the tenant id of the company that the token is for.")),
	refresh_token: Type.Optional(Text("For the grant `refresh_token`: the newest refresh token.")),
	scope: Type.Optional(
		Type.String({
			maxLength: 2_000,
			description: "Scopes separated by spaces, at least one. Default: all that the credentials have.",
		}),
	),
	expires_in: Type.Optional(
		Type.Integer({
			minimum: 1,
			maximum: ACCESS_TOKEN_SECONDS,
			description: "A shorter lifetime of the access token, in seconds.",
		}),
	),
});
export type TokenRequest = Static<typeof TokenRequest>;

export const RevokeRequest = Type.Object({
	token: Type.String({ minLength: 1, maxLength: 8_192, description: "A refresh token or an access token." }),
	token_type_hint: Type.Optional(Type.String({ maxLength: 100, description: "Ignored." })),
	...clientMembers,
});
export type RevokeRequest = Static<typeof RevokeRequest>;

export type ClientClaim = { readonly clientId: string; readonly secret: string; readonly usedBasic: boolean };

/** The validated body. Throws: as `readBytes`, malformed-json, validation-error, unsupported-grant-type. */
export async function readTokenRequest(call: Call): Promise<TokenRequest> {
	const body = await readOauthBody(call, TokenRequest);
	// Another grant type is not malformed but unsupported.
	const grantType = isRecord(body) ? body.grant_type : undefined;
	if (typeof grantType === "string" && !GRANT_TYPES.some((type) => type === grantType)) {
		throw new Problem("unsupported-grant-type");
	}
	return checkBody<TokenRequest>(body, TokenRequest);
}

export async function readRevokeRequest(call: Call): Promise<RevokeRequest> {
	return checkBody<RevokeRequest>(await readOauthBody(call, RevokeRequest), RevokeRequest, 8_192);
}

/**
 * The client credentials of a request; undefined when there are none. Reports the client to the call. Throws: unauthorised for a broken Basic
 * header, validation-error for credentials that are incomplete or sent in two ways.
 */
export function readClientClaim(
	call: Call,
	body: Pick<TokenRequest, "client_id" | "client_secret">,
): ClientClaim | undefined {
	const claim = findClaim(call.request, body);
	if (claim) call.noteClient?.(claim.clientId);
	return claim;
}

function findClaim(request: Request, body: Pick<TokenRequest, "client_id" | "client_secret">): ClientClaim | undefined {
	const basic = readBasic(request.headers.get("authorization"));
	if (basic) {
		const faults: Fault[] = [];
		if (body.client_secret !== undefined)
			faults.push(fault("client_secret", "sent-twice", msg`HTTP Basic carries it.`));
		if (body.client_id !== undefined && body.client_id !== basic.clientId) {
			faults.push(fault("client_id", "sent-twice", msg`HTTP Basic names another client.`));
		}
		if (faults.length > 0) throw new Problem("validation-error", { faults });
		return basic;
	}
	if (body.client_secret === undefined) return undefined;
	if (body.client_id === undefined) throw missing(["client_id"]);
	return { clientId: body.client_id, secret: body.client_secret, usedBasic: false };
}

export function missing(names: readonly string[]): Problem {
	const faults = names.map((name) => fault(name, "required", msg`The member is required.`));
	return new Problem("validation-error", { faults });
}

function fault(name: string, code: string, detail: Message): Fault {
	return { pointer: `/${name}`, code, detail };
}

async function readOauthBody(call: Call, schema: TObject): Promise<unknown> {
	const bytes = await readBytes(call);
	const type = call.request.headers.get("content-type") ?? "";
	return /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(type) ? parseForm(bytes, schema) : parseJson(bytes);
}

/** Members of a form that are read; those after them are ignored. No request has more than seven. */
const FORM_MEMBERS_MAX = 32;

/**
 * A form as the JSON body with the same meaning, in one pass. Unknown members are ignored, and one without a value counts as absent.
 * Source: RFC 6749, 3.1 and 3.2.
 */
function parseForm(bytes: Uint8Array, schema: TObject): Record<string, unknown> {
	const form = new URLSearchParams(Buffer.from(bytes).toString("utf8"));
	const repeated = new Set<string>();
	const values = new Map<string, unknown>();
	const seen = new Set<string>();
	let members = 0;
	for (const [name, value] of form) {
		if (++members > FORM_MEMBERS_MAX) break;
		if (!Object.hasOwn(schema.properties, name)) continue;
		if (seen.has(name)) repeated.add(name);
		seen.add(name);
		if (value === "") continue;
		const isInteger = schema.properties[name]?.type === "integer" && /^[0-9]{1,9}$/.test(value);
		values.set(name, isInteger ? Number(value) : value);
	}
	if (repeated.size > 0) {
		const faults = [...repeated].map((name) => fault(name, "repeated", msg`Send the member once.`));
		throw new Problem("validation-error", { faults });
	}
	return Object.fromEntries(values);
}

/** Source: RFC 7617, its spaces by RFC 9110, 11.4; RFC 6749, 2.3.1: both halves are form-encoded before they are joined. */
function readBasic(header: string | null): ClientClaim | undefined {
	const match = /^basic(?: +(.*))?$/i.exec(header ?? "");
	if (!match) return undefined;
	const packed = match[1] ?? "";
	const text = Buffer.from(packed, "base64").toString("utf8");
	const separator = text.indexOf(":");
	if (packed.length > 2_048 || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed) || separator < 1) throw invalidClient(true);
	const [clientId, secret] = [text.slice(0, separator), text.slice(separator + 1)].map(decodeFormText);
	if (clientId === undefined || secret === undefined) throw invalidClient(true);
	return { clientId, secret, usedBasic: true };
}

function decodeFormText(text: string): string | undefined {
	try {
		return decodeURIComponent(text.replaceAll("+", " "));
	} catch {
		return undefined;
	}
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Problems of the token endpoint, including those of the guard and the limits. They also carry the members of RFC 6749, for standard OAuth
 * clients, and are never cached. Source: RFC 6749, 5.2; codes for errors other than the request's from 4.1.2.1.
 */

const errorCodes: Partial<Record<ProblemSlug, string>> = {
	unauthorised: "invalid_client",
	"unsupported-grant-type": "unsupported_grant_type",
	"invalid-scope": "invalid_scope",
	"insufficient-scope": "unauthorized_client",
	"rate-limit-exceeded": "temporarily_unavailable",
	"service-unavailable": "temporarily_unavailable",
	"internal-error": "server_error",
};
const NO_STORE = { "cache-control": "no-store" };

/** The client is not authenticated. The challenge names the scheme that it used. */
export function invalidClient(usedBasic: boolean, detail = msg`Client authentication failed.`): Problem {
	const challenge = usedBasic ? 'Basic realm="token", charset="UTF-8"' : 'Bearer error="invalid_token"';
	return new Problem("unauthorised", { detail, headers: { "www-authenticate": challenge } });
}

/** The refresh token is invalid; `error` distinguishes this from an unknown client. */
export function invalidGrant(detail: Message): Problem {
	return new Problem("unauthorised", {
		detail,
		extensions: { error: "invalid_grant" },
		headers: { "www-authenticate": 'Bearer error="invalid_token"' },
	});
}

/** The audience of a token exchange is no company that the key opens. Source: RFC 8693, 2.2.2. */
export function invalidTarget(): Problem {
	const detail = msg`The API key opens no company with this tenant id, or the company has no credentials in force.`;
	const faults = [fault("audience", "unknown-company", detail)];
	return new Problem("validation-error", { detail, faults, extensions: { error: "invalid_target" } });
}

/** Adds the members that the endpoint's problems share. */
export function extendOauthProblem(problem: Problem): Problem {
	const { slug, detail, faults, cause } = problem;
	const members = { error: errorCodes[slug] ?? "invalid_request", error_description: toAscii(String(detail)) };
	const extensions = { ...members, ...problem.extensions };
	return new Problem(slug, { detail, faults, extensions, headers: { ...problem.headers, ...NO_STORE }, cause });
}

/** The member allows printable ASCII without the double quote and the backslash. */
function toAscii(text: string): string {
	return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, "?");
}
