/** The operations of access: issuing and revoking tokens, and the metadata that clients need. */
import { Type } from "@sinclair/typebox";
import type { JWK } from "jose";
import { json, MAY_SEND_KEY, type Operation, PUBLIC, SCOPES } from "../../platform/operation";
import { actorOf } from "../audit-log";
import { type Grants, TokenAnswer } from "./grant";
import {
	extendOauthProblem,
	GRANT_TYPES,
	RevokeRequest,
	readClientClaim,
	readRevokeRequest,
	readTokenRequest,
	TokenRequest,
} from "./oauth-request";
import { orUnavailable } from "./refusal";
import type { SigningKeys } from "./signing-keys";

const TAG = "Authentication";
const MEDIA_TYPES = ["application/json", "application/x-www-form-urlencoded"];
/** Several times the longest genuine request. These operations answer callers without credentials. */
const OAUTH_BYTES_MAX = 8 * 1024;
const NO_STORE = { "cache-control": "no-store" };
const CLIENT_ID = "cli_0192f0a1b2c37d4e8f00112233445566";
/** Long enough to save requests, short enough that a new key is known before an old one retires. */
const PUBLIC_CACHE = { "cache-control": "public, max-age=300" };

export const Jwks = Type.Object({
	keys: Type.Array(
		Type.Object({
			kty: Type.Literal("OKP"),
			crv: Type.Literal("Ed25519"),
			x: Type.String(),
			kid: Type.String(),
			alg: Type.Literal("EdDSA"),
			use: Type.Literal("sig"),
		}),
	),
});

/** Source: RFC 8414, 2. */
const Metadata = Type.Object({
	issuer: Type.String(),
	token_endpoint: Type.String(),
	revocation_endpoint: Type.String(),
	jwks_uri: Type.String(),
	scopes_supported: Type.Array(Type.String()),
	response_types_supported: Type.Array(Type.String()),
	grant_types_supported: Type.Array(Type.String()),
	token_endpoint_auth_methods_supported: Type.Array(Type.String()),
	revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
	service_documentation: Type.String(),
});

const PLAIN_TEXT = "text/plain";

/** For shells, which can keep the answer in a variable. Only a caller that names the media type gets it. */
function wantsPlainText(request: Request): boolean {
	return (request.headers.get("accept") ?? "").split(",").every((range) => /^\s*text\/plain\s*(;|$)/i.test(range));
}

export function accessOperations(deps: {
	grants: Grants;
	keys: SigningKeys;
	signerKeys: () => Promise<readonly JWK[]>;
	baseUrl: string;
}): Operation[] {
	const { grants, keys, signerKeys, baseUrl } = deps;
	const metadata = {
		issuer: baseUrl,
		token_endpoint: `${baseUrl}/v1/auth/token`,
		revocation_endpoint: `${baseUrl}/v1/auth/revoke`,
		jwks_uri: `${baseUrl}/.well-known/jwks.json`,
		scopes_supported: [...SCOPES],
		// There is no authorization endpoint, and the member is required.
		response_types_supported: [],
		grant_types_supported: [...GRANT_TYPES],
		token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
		revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
		service_documentation: `${baseUrl}/docs`,
	};

	const postToken: Operation = {
		id: "postToken",
		sdk: "tokens.create",
		method: "POST",
		path: "/v1/auth/token",
		tag: TAG,
		summary: "Get an access token",
		description:
			"OAuth 2.0 client credentials and refresh token grants, as JSON or as a form. The client authenticates in the body or by HTTP " +
			"Basic; a refresh token needs no client authentication. Each refresh token works once: a second use revokes every token that " +
			"descends from it. `Accept: text/plain` gets the access token alone.\n\n" +
			"An owner acts for any of its companies by token exchange (RFC 8693): `audience` is the company's tenant id, and the API key in " +
			"`x-api-key`, with the scope `company:write`, stands for `subject_token`. The token has at most the scopes of both.\n\n" +
			"Problems also have `error` and `error_description` of RFC 6749.",
		credentials: MAY_SEND_KEY,
		limit: "token",
		body: {
			schema: TokenRequest,
			limitBytes: OAUTH_BYTES_MAX,
			required: true,
			mediaTypes: MEDIA_TYPES,
			example: {
				grant_type: "client_credentials",
				client_id: CLIENT_ID,
				client_secret: "cs_test_6wq0Zt4LrJx2VbN8mKcY5hPdE1gQ7sUa",
				scope: "invoices:write invoices:read webhooks:test",
			},
		},
		answers: {
			200: {
				description: "The tokens.",
				schema: TokenAnswer,
				alsoMediaTypes: [PLAIN_TEXT],
				headers: { "Cache-Control": "`no-store`: the answer contains secrets." },
				example: {
					access_token: "eyJhbGciOiJFZERTQSIsImtpZCI6IjIwMjYtMTEtYTFCMmMzRDQiLCJ0eXAiOiJhdCtqd3QifQ.eyJpc3Mi….Q3x…",
					token_type: "Bearer",
					expires_in: 3600,
					refresh_token: "rt_test_4b1dKq9XvT2mZc7RyLw0HsJn5PfGa8UeB3iVoMxCtDk",
					refresh_expires_in: 2_592_000,
					scope: "invoices:write invoices:read webhooks:test",
					tenant_id: "0192f0a1-b2c3-7d4e-8f00-112233445566",
					environment: "sandbox",
				},
			},
		},
		problems: [
			...(["malformed-json", "validation-error", "payload-too-large", "unsupported-grant-type"] as const),
			...(["invalid-scope", "unauthorised", "insufficient-scope"] as const),
		],
		extendProblem: extendOauthProblem,
		handle: (call) =>
			orUnavailable(async () => {
				const request = await readTokenRequest(call);
				const claim = readClientClaim(call, request);
				const answer = await grants.give(request, actorOf(call), claim, call.principal);
				if (!wantsPlainText(call.request)) return json(200, answer, NO_STORE);
				return new Response(answer.access_token, { headers: { ...NO_STORE, "content-type": PLAIN_TEXT } });
			}),
	};

	const postRevoke: Operation = {
		id: "postRevoke",
		sdk: "tokens.revoke",
		method: "POST",
		path: "/v1/auth/revoke",
		tag: TAG,
		summary: "Revoke a token",
		description:
			"RFC 7009. Revokes an access token alone, or a refresh token with all tokens of the same grant. The answer is the same for a " +
			"token that is unknown, expired or another client's. Every process refuses the token within a second.",
		credentials: MAY_SEND_KEY,
		limit: "token",
		body: {
			schema: RevokeRequest,
			limitBytes: OAUTH_BYTES_MAX,
			required: true,
			mediaTypes: MEDIA_TYPES,
			example: { token: "rt_test_4b1dKq9XvT2mZc7RyLw0HsJn5PfGa8UeB3iVoMxCtDk", token_type_hint: "refresh_token" },
		},
		answers: { 200: { description: "The token is no longer valid.", schema: Type.Object({}), example: {} } },
		problems: ["malformed-json", "validation-error", "payload-too-large", "unauthorised"],
		extendProblem: extendOauthProblem,
		handle: (call) =>
			orUnavailable(async () => {
				const request = await readRevokeRequest(call);
				await grants.revoke(request, actorOf(call), readClientClaim(call, request), call.principal);
				return json(200, {}, NO_STORE);
			}),
	};

	const getJwks: Operation = {
		id: "getJwks",
		sdk: null,
		method: "GET",
		path: "/.well-known/jwks.json",
		tag: TAG,
		summary: "Get the public keys of tokens and receipts",
		description:
			"RFC 7517. After a rotation the previous key of tokens stays for 24 hours. Keys of receipts stay for ever; they verify no token.",
		credentials: PUBLIC,
		answers: {
			200: {
				description: "The keys in force.",
				schema: Jwks,
				example: {
					keys: [
						{
							kty: "OKP",
							crv: "Ed25519",
							x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
							kid: "2026-11-a1B2c3D4",
							alg: "EdDSA",
							use: "sig",
						},
					],
				},
			},
		},
		problems: [],
		handle: async () => {
			const published = [...keys.publicKeys(), ...(await signerKeys()), ...keys.receiptKeys()];
			const unique = new Map(published.map((key) => [key.kid, key]));
			return json(200, { keys: [...unique.values()] }, PUBLIC_CACHE);
		},
	};

	const getOauthMetadata: Operation = {
		id: "getOauthMetadata",
		sdk: null,
		method: "GET",
		path: "/.well-known/oauth-authorization-server",
		tag: TAG,
		summary: "Get the metadata of the token endpoint",
		description: "RFC 8414: OAuth clients use it to configure themselves.",
		credentials: PUBLIC,
		answers: { 200: { description: "The metadata.", schema: Metadata, example: metadata } },
		problems: [],
		handle: () => json(200, metadata, PUBLIC_CACHE),
	};

	return [postToken, postRevoke, getJwks, getOauthMetadata];
}
