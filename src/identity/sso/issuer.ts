/**
 * The organisation's own identity provider: where its people sign in, and who has. Source: OpenID Connect Core 1.0, 3.1.
 *
 *   discovery (at the first sign-in) ─▶ address of the provider's page ─▶ code ─▶ ID token, checked ─▶ verified e-mail address
 *
 * Failures: a provider that does not answer, or answers wrongly, fails one sign-in; the next one asks again. Its answers are bounded in time
 * and size, redirects are not followed, and besides its own host only public addresses are reached.
 */
import { readFileSync } from "node:fs";
import type { ClientAuth, Configuration, CustomFetch } from "openid-client";
import { createSemaphore, memoizeFor } from "../../platform/concurrency";
import { type EgressPolicy, getOnce, postOnce } from "../../platform/egress";
import { type Environment, isSandbox } from "../../platform/values";

export type SsoSettings = {
	/** As the provider writes it, also a slash at its end. */
	readonly issuer: string;
	readonly clientId: string;
	/** File of the client's secret. */
	readonly secretFile: string;
	/** How people call the provider. */
	readonly label: string;
	/** Whether people sign in there only. */
	readonly isRequired: boolean;
};

/** Why a person does not come in, as the console explains it. */
export type SsoReason =
	| "sso-away"
	| "sso-cancelled"
	| "sso-failed"
	| "sso-expired"
	| "sso-not-fresh"
	| "sso-other-person"
	| "email-not-verified"
	| "email-not-invited";

export class SsoError extends Error {
	constructor(
		readonly reason: SsoReason,
		options?: ErrorOptions,
	) {
		super(reason, options);
		this.name = "SsoError";
	}
}

/** What binds an answer of the provider to the request. */
export type Sent = { readonly state: string; readonly nonce: string; readonly verifier: string };

export type Identity = {
	/** In lower case; the provider vouches for it. */
	readonly email: string;
	readonly name: string | undefined;
	/** When the person showed a factor there; absent where the provider does not say. */
	readonly authenticatedAt: Date | undefined;
};

export type Issuer = {
	/** The address of the provider's page. `isFresh`: the person must show a factor again. Throws: SsoError. */
	readonly begin: (isFresh: boolean) => Promise<{ readonly address: URL; readonly sent: Sent }>;
	/** Who has come back with this query. Throws: SsoError. */
	readonly finish: (query: string, sent: Sent) => Promise<Identity>;
};

const SCOPE = "openid email profile";
const TIMEOUT_MS = 8_000;
const ANSWER_BYTES_MAX = 262_144;
/** Exchanges at the same time: each holds a connection. */
const EXCHANGES_MAX = 8;
/** A provider may change its addresses and methods. */
const DISCOVERED_MS = 3_600_000;
/** Seconds that the provider's clock may differ. */
const CLOCK_SECONDS = 60;
/** A session ends after a week, so that is how old a sign-in at the provider may be. A request for it also brings the time of the sign-in. */
const AGE_SECONDS_MAX = 7 * 86_400;
const NAME_LENGTH_MAX = 100;

/** Asks nothing before the first sign-in. */
export function createIssuer(deps: {
	readonly settings: SsoSettings;
	readonly environment: Environment;
	/** Where the provider sends people back to. */
	readonly callbackUrl: string;
	/** Longest wait for each answer of the provider; default 8 s. */
	readonly timeoutMs?: number;
}): Issuer {
	const { settings, callbackUrl } = deps;
	const exchanges = createSemaphore(EXCHANGES_MAX);
	const keepConfig = memoizeFor(DISCOVERED_MS, () => discover(deps));
	const findConfig = () =>
		keepConfig(undefined).catch((cause): never => {
			throw new SsoError("sso-away", { cause });
		});
	return {
		begin: async (isFresh) => {
			const config = await findConfig();
			const client = await import("openid-client");
			const sent = {
				...{ state: client.randomState(), nonce: client.randomNonce() },
				verifier: client.randomPKCECodeVerifier(),
			};
			const address = client.buildAuthorizationUrl(config, {
				...{ redirect_uri: callbackUrl, scope: SCOPE, state: sent.state, nonce: sent.nonce },
				...{ code_challenge: await client.calculatePKCECodeChallenge(sent.verifier), code_challenge_method: "S256" },
				...(isFresh ? { prompt: "login", max_age: "0" } : { max_age: String(AGE_SECONDS_MAX) }),
			});
			return { address, sent };
		},
		finish: async (query, sent) => {
			const config = await findConfig();
			const claims = await exchanges.run(() => exchange(config, new URL(`${callbackUrl}${query}`), sent));
			return toIdentity(claims, settings);
		},
	};
}

type Claims = Readonly<Record<string, unknown>>;

async function exchange(config: Configuration, url: URL, { state, nonce, verifier }: Sent): Promise<Claims> {
	const client = await import("openid-client");
	try {
		const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
		const tokens = await client.authorizationCodeGrant(config, url, checks);
		const claims = tokens.claims();
		if (!claims) throw new SsoError("sso-failed");
		if (claims.email !== undefined || config.serverMetadata().userinfo_endpoint === undefined) return claims;
		// Many providers put the address there alone.
		return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), auth_time: claims.auth_time };
	} catch (cause) {
		if (cause instanceof SsoError) throw cause;
		if (cause instanceof client.AuthorizationResponseError && cause.error === "access_denied")
			throw new SsoError("sso-cancelled", { cause });
		throw new SsoError(isUnanswered(cause) ? "sso-away" : "sso-failed", { cause });
	}
}

function toIdentity(claims: Claims, { issuer }: SsoSettings): Identity {
	const { email, email_verified: isVerified, name, auth_time: authTime } = claims;
	// Some providers write it as a text.
	if (typeof email !== "string" || !(isVerified === true || isVerified === "true"))
		throw new SsoError("email-not-verified", { cause: new Error(`${issuer} vouches for no e-mail address`) });
	return {
		email: email.toLowerCase(),
		name: typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, NAME_LENGTH_MAX) : undefined,
		authenticatedAt: typeof authTime === "number" ? new Date(authTime * 1_000) : undefined,
	};
}

/** Whether a factor was shown after a time, as far as clocks agree. */
export function isShownSince({ authenticatedAt }: Identity, since: Date): boolean {
	return authenticatedAt !== undefined && authenticatedAt.getTime() >= since.getTime() - CLOCK_SECONDS * 1_000;
}

async function discover({
	settings,
	environment,
	timeoutMs = TIMEOUT_MS,
}: {
	readonly settings: SsoSettings;
	readonly environment: Environment;
	readonly timeoutMs?: number;
}): Promise<Configuration> {
	const client = await import("openid-client");
	const { issuer, clientId, secretFile } = settings;
	const url = new URL(issuer);
	// Read each time, so that a changed secret needs no restart.
	const secret = readFileSync(secretFile, "utf8").trim();
	const fetch = createBoundedFetch(url, environment, timeoutMs);
	const begun = await client.discovery(url, clientId, undefined, client.None(), {
		[client.customFetch]: fetch,
		execute: isSandbox(environment) && url.protocol === "http:" ? [client.allowInsecureRequests] : [],
	});
	const server = begun.serverMetadata();
	// Source: OpenID Connect Discovery 1.0, 3: Basic where the provider names no method.
	const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
	const authentication: ClientAuth = methods.includes("client_secret_basic")
		? client.ClientSecretBasic(secret)
		: client.ClientSecretPost(secret);
	const config = new client.Configuration(server, clientId, { [client.clockTolerance]: CLOCK_SECONDS }, authentication);
	config[client.customFetch] = fetch;
	if (url.protocol === "http:") client.allowInsecureRequests(config);
	// By default the token endpoint's TLS stands for the ID token's signature.
	client.enableNonRepudiationChecks(config);
	return config;
}

class UnansweredError extends Error {}

/** Whether a request got no answer; the client wraps the error. */
function isUnanswered(error: unknown): boolean {
	return error instanceof UnansweredError || (error instanceof Error && isUnanswered(error.cause));
}

/** The operator has named the provider's host, which may be private. What its documents name must be public. */
function createBoundedFetch(issuer: URL, environment: Environment, timeoutMs: number): CustomFetch {
	const port = issuer.port || (issuer.protocol === "https:" ? "443" : "80");
	const policy: EgressPolicy = { environment, allow: new Set([`${issuer.hostname}:${port}`]) };
	return async (url, { body, headers }) => {
		const options = {
			...{ url, headers, policy, totalTimeoutMs: timeoutMs },
			...{ bytesMax: ANSWER_BYTES_MAX, keptBytesMax: ANSWER_BYTES_MAX },
		};
		const { status, error, bytes, mediaType } = body
			? await postOnce({ ...options, body: Buffer.from(String(body)) })
			: await getOnce(options);
		if (status === undefined || error !== undefined)
			throw new UnansweredError(`${new URL(url).host} did not answer: ${error}`);
		return new Response(Buffer.from(bytes), { status, headers: { "content-type": mediaType ?? "" } });
	};
}
