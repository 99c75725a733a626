/**
 * Authenticates a request by its headers alone. It runs before the body is read, so that an unknown caller costs little. A known caller
 * costs one SHA-256 and no query.
 *
 * Quirk: HTTP joins repeated headers with ", ", which is neither a key nor a token, so two credentials of one kind are refused by their
 * form.
 */

import { type Credentials, opensCompany, type Principal } from "../../platform/operation";
import { msg } from "../../platform/problem";
import { type Clock, type Environment, isSandbox } from "../../platform/values";
import { isApiKey } from "./api-key";
import { isInForce } from "./client";
import { DEMO_KEY } from "./demo";
import type { KeyUse, KnownKey } from "./directory";
import type { LookupCache } from "./lookup-cache";
import { unauthorised } from "./refusal";
import { intersect, splitScope } from "./scope";
import { hexDigestOf } from "./secret";
import type { Client } from "./store";
import type { AccessTokenClaims, Tokens } from "./token";

/**
 * The caller of a request; undefined when no credential is required and none was sent. A required credential must be present and valid; an
 * optional one is checked when it is sent. Throws: unauthorised, service-unavailable.
 */
export type Authenticate = (
	request: Request,
	credentials: Credentials,
	remoteAddress: string,
) => Promise<Principal | undefined>;

/**
 * The caller of a known key that is not bound to addresses and is sent without a token; undefined leaves the request to `authenticate`,
 * which also gives the reason. `at` is now, in milliseconds of `performance.now`.
 */
export type Recognise = (apiKey: string, at: number) => Principal | undefined;

type KnownBearer = { readonly claims: AccessTokenClaims; readonly client: Client };
type Remembered = { readonly client: Client; readonly key: KnownKey | undefined; readonly principal: Principal };

const HEADER_BYTES_MAX = 8_192;
/** Source: RFC 6750, 2.1: one space or more. */
const SCHEME = /^bearer +/i;
const DIGESTS_MAX = 1_000;

type Readable<V> = Pick<LookupCache<V>, "peek" | "get">;

type AuthenticateDeps = {
	readonly directory: {
		readonly keys: Readable<KnownKey>;
		readonly clients: Readable<Client>;
		readonly tokens: Readable<{ readonly endsAt: Date | undefined }>;
	};
	readonly tokens: Pick<Tokens, "read">;
	readonly keyUse: Pick<KeyUse, "note">;
	readonly environment: Environment;
	readonly clock: Clock;
};

export function createRecognise(deps: Omit<AuthenticateDeps, "tokens">): Recognise {
	const { directory, keyUse, environment, clock } = deps;
	/** A valid key has the same digest each time; its validity is checked each time. */
	const digests = new Map<string, string>();
	const digestOfKey = (apiKey: string, at: number): string => {
		const known = digests.get(apiKey);
		if (known !== undefined) return known;
		const digest = hexDigestOf(apiKey);
		if (digests.size >= DIGESTS_MAX) digests.clear();
		if (directory.keys.peek(digest, at)) digests.set(apiKey, digest);
		return digest;
	};
	return (apiKey, at) => {
		const key = directory.keys.peek(digestOfKey(apiKey, at), at);
		if (!key || key.row.ipAllowList.length > 0) return undefined;
		const { revokedAt, expiresAt } = key.row;
		if (key.row.environment !== environment || revokedAt !== null) return undefined;
		if (expiresAt !== null && expiresAt <= clock.now()) return undefined;
		keyUse.note(key.row.id);
		return key.principal;
	};
}

export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
	const { directory, tokens, keyUse, environment, clock } = deps;
	/** A token's principal is the same at each request, unless its client has changed or another key comes with it. */
	const principals = new WeakMap<AccessTokenClaims, Remembered>();

	const peekKey = (text: string): KnownKey | undefined => directory.keys.peek(hexDigestOf(text));

	/** Only a well-formed key is looked up. The demo key has no checksum; outside the sandboxes it counts as malformed. */
	const findKey = async (text: string): Promise<KnownKey | undefined> => {
		const isWellFormed = isApiKey(text, environment) || (text === DEMO_KEY && isSandbox(environment));
		return isWellFormed ? directory.keys.get(hexDigestOf(text)) : undefined;
	};

	const checkKey = (key: KnownKey | undefined, remoteAddress: string): KnownKey => {
		const isValid = key && key.row.environment === environment && isInForce(key.row, clock.now());
		if (!isValid || !key.allowsAddress(remoteAddress)) throw unauthorised(msg`The API key is not valid.`);
		return key;
	};

	const findBearer = async (header: string): Promise<KnownBearer> => {
		const scheme = SCHEME.exec(header)?.[0];
		const claims = scheme === undefined ? undefined : await tokens.read(header.slice(scheme.length));
		if (!claims) throw unauthorised(msg`The bearer token is not valid.`);
		const { jti, sub, tenant_id } = claims;
		const token = directory.tokens.peek(jti) ?? (await directory.tokens.get(jti));
		const client = directory.clients.peek(sub) ?? (await directory.clients.get(sub));
		const now = clock.now();
		const isOver = !token || (token.endsAt !== undefined && token.endsAt <= now);
		const isValid = !isOver && client && isInForce(client, now);
		if (!isValid || client.environment !== environment || client.tenantId !== tenant_id) {
			throw unauthorised(msg`The bearer token is not valid.`);
		}
		return { claims, client };
	};

	const principalOf = ({ claims, client }: KnownBearer, key: KnownKey | undefined): Principal => {
		const remembered = principals.get(claims);
		if (remembered && remembered.client === client && remembered.key === key) return remembered.principal;
		const principal = toPrincipal(claims, client, key);
		principals.set(claims, { client, key, principal });
		return principal;
	};

	return async (request, credentials, remoteAddress) => {
		const keyText = headerFor(credentials.key, request, "x-api-key");
		const bearerText = headerFor(credentials.bearer, request, "authorization");
		// No await for a remembered key: a registry look-up takes hardly longer than one.
		const key =
			keyText === undefined ? undefined : checkKey(peekKey(keyText) ?? (await findKey(keyText)), remoteAddress);
		const bearer = bearerText === undefined ? undefined : await findBearer(bearerText);
		// Two credentials without an owner belong together too: the demo key and a company that it has created.
		if (key && bearer && key.row.ownerId !== bearer.client.ownerId) {
			throw unauthorised(msg`Mismatch: the API key and the bearer token do not belong to the same owner.`);
		}
		if (key && bearer && !opensCompany(key.principal, bearer.client.tenantId)) {
			throw unauthorised(msg`Mismatch: the API key does not open the company of the bearer token.`);
		}
		if (key) keyUse.note(key.row.id);
		return bearer ? principalOf(bearer, key) : key?.principal;
	};
}

/** The header's text when it must be checked; undefined when it need not be. Throws: unauthorised. */
function headerFor(
	need: Credentials["key"],
	request: Request,
	name: "x-api-key" | "authorization",
): string | undefined {
	if (need === "ignored") return undefined;
	const text = request.headers.get(name);
	if (text === null) {
		if (need === "optional") return undefined;
		throw unauthorised(
			name === "x-api-key" ? msg`The header x-api-key is missing.` : msg`The bearer token is missing.`,
		);
	}
	if (text.length > HEADER_BYTES_MAX)
		throw unauthorised(msg`The header ${name} is longer than ${HEADER_BYTES_MAX} bytes.`);
	return text;
}

/** The company acts, with its plan. What its client has lost since, or a key sent along lacks, it may not do. */
function toPrincipal(claims: AccessTokenClaims, client: Client, key: KnownKey | undefined): Principal {
	const scopes = new Set(splitScope(claims.scope).filter((scope) => client.scopes.includes(scope)));
	return {
		environment: claims.environment,
		plan: claims.plan,
		ownerId: client.ownerId,
		tenantId: claims.tenant_id,
		clientId: claims.sub,
		...(key ? { keyId: key.row.id } : {}),
		...(key?.principal.companyIds ? { companyIds: key.principal.companyIds } : {}),
		scopes: key ? intersect(scopes, key.principal.scopes) : scopes,
	};
}
