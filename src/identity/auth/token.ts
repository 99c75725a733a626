/**
 * Access tokens: compact JWTs, signed with Ed25519, issued and read only by this service.
 *
 *   base64url({"alg":"EdDSA","kid":"2026-11-a1B2c3D4","typ":"at+jwt"}) . base64url(claims) . base64url(64 bytes of signature)
 *
 * Since only this service issues them, the header is compared, not interpreted: a text that does not begin with the exact header of a key
 * in force is refused before anything is parsed. That excludes `alg: none`, HMAC with a public key, embedded keys (`jwk`, `jku`, `x5u`),
 * unknown `crit`, paths as `kid`, and encrypted or nested tokens.
 *
 * Quirks: the last character of a signature has 15 other spellings that decode to the same bytes; only the canonical one is accepted, and
 * revocation goes by `jti`, never by text. The library accepts tokens without `exp`, claims of any type and duplicate members, so the
 * claims are also checked against a closed schema.
 *
 * Source: RFC 7515, RFC 7519, RFC 8725, RFC 9068.
 */
import { type Static, Type } from "@sinclair/typebox";
import { errors, jwtVerify, SignJWT } from "jose";
import { checkSchema, PLANS, parseJson } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import { type Clock, ENVIRONMENTS, type Environment, newId } from "../../platform/values";
import type { SigningKeys } from "./signing-keys";
import type { Client } from "./store";

export const ACCESS_TOKEN_SECONDS = 3_600;
/** How far the clocks of two processes of this service may differ when one judges when another has issued a token. */
export const LEEWAY_SECONDS = 60;
const AUDIENCE = "ecf-api";

const Uuid = Type.String({ pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$" });
const Seconds = Type.Integer({ minimum: 0, maximum: 253_402_300_799 });

export const AccessTokenClaims = Type.Object(
	{
		iss: Type.String(),
		aud: Type.Literal(AUDIENCE),
		sub: Type.String({ minLength: 1, maxLength: 64 }),
		jti: Uuid,
		iat: Seconds,
		nbf: Seconds,
		exp: Seconds,
		tenant_id: Uuid,
		environment: Type.Union(ENVIRONMENTS.map((environment) => Type.Literal(environment))),
		scope: Type.String(),
		plan: Type.Union(PLANS.map((plan) => Type.Literal(plan))),
	},
	{ additionalProperties: false },
);
export type AccessTokenClaims = Static<typeof AccessTokenClaims>;

type AccessToken = { readonly text: string; readonly claims: AccessTokenClaims };

export type Tokens = {
	readonly issue: (client: Client, scopes: readonly string[], lifeSeconds: number) => Promise<AccessToken>;
	/** The claims of a genuine, unexpired token; revocation is not checked here. */
	readonly read: (text: string) => Promise<AccessTokenClaims | undefined>;
	/** The claims of a genuine token whatever the time is: a wrong clock must not keep anyone from revoking a token. */
	readonly readAsIssued: (text: string) => Promise<AccessTokenClaims | undefined>;
	/** Verifies every token again, after the keys have changed. */
	readonly forgetVerified: () => void;
};

const VERIFIED_MAX = 20_000;
const REQUIRED_CLAIMS = ["exp", "nbf", "iat", "jti", "sub", "tenant_id", "environment", "scope"];

export function createTokens(deps: {
	keys: SigningKeys;
	clock: Clock;
	environment: Environment;
	baseUrl: string;
	log: Pick<Log, "warn">;
}): Tokens {
	const { keys, clock, environment, baseUrl, log } = deps;
	let verified = new Map<string, AccessTokenClaims>();
	let hasLoggedIssuer = false;

	/**
	 * Our signature over another issuer: the token comes from a process with another address, or from this one before its address changed.
	 */
	const logIssuer = (error: errors.JOSEError): void => {
		if (hasLoggedIssuer || !(error instanceof errors.JWTClaimValidationFailed) || error.claim !== "iss") return;
		hasLoggedIssuer = true;
		log.warn(
			{ event: "token.issuer_mismatch", issuer: error.payload.iss, expected: baseUrl },
			"refused a token issued under another BASE_URL; all processes of a database need the same BASE_URL",
		);
	};

	const verify = async (text: string, at: Date): Promise<AccessTokenClaims | undefined> => {
		const parts = text.split(".");
		const [header = "", payload = ""] = parts;
		if (parts.length !== 3 || !parts.every(isCanonical)) return undefined;
		const kid = keyIdOf(header);
		const publicKey = kid && (await keys.find(kid));
		if (!publicKey) return undefined;
		const isGenuine = await succeeds(
			jwtVerify(text, publicKey, {
				algorithms: ["EdDSA"],
				typ: "at+jwt",
				issuer: baseUrl,
				audience: AUDIENCE,
				requiredClaims: REQUIRED_CLAIMS,
				clockTolerance: LEEWAY_SECONDS,
				// Also refuses an `iat` in the future.
				maxTokenAge: ACCESS_TOKEN_SECONDS,
				currentDate: at,
			}),
			logIssuer,
		);
		const claims = isGenuine ? readClaims(payload) : undefined;
		if (!claims || claims.environment !== environment) return undefined;
		// The leeway is for the clocks of other processes that issue tokens. The end needs none: the library would grant it, too.
		if (claims.exp <= at.getTime() / 1000) return undefined;
		const lifeSeconds = claims.exp - claims.iat;
		return lifeSeconds > 0 && lifeSeconds <= ACCESS_TOKEN_SECONDS ? claims : undefined;
	};

	return {
		issue: async (client, scopes, lifeSeconds) => {
			const { kid, privateKey } = keys.signer();
			const iat = Math.floor(clock.now().getTime() / 1000);
			const claims: AccessTokenClaims = {
				iss: baseUrl,
				aud: AUDIENCE,
				sub: client.clientId,
				jti: newId(),
				iat,
				nbf: iat,
				exp: iat + lifeSeconds,
				tenant_id: client.tenantId,
				environment,
				scope: scopes.join(" "),
				plan: client.plan,
			};
			const text = await new SignJWT(claims).setProtectedHeader(headerOf(kid)).sign(privateKey);
			return { text, claims };
		},
		read: async (text) => {
			const known = verified.get(text);
			const now = clock.now();
			if (known && isInItsTime(known, now)) return known;
			// A cache that was cleared while this token was being verified stays cleared.
			const memory = verified;
			memory.delete(text);
			const claims = await verify(text, now);
			if (claims) {
				memory.set(text, claims);
				const oldest = memory.keys().next();
				if (memory.size > VERIFIED_MAX && !oldest.done) memory.delete(oldest.value);
			}
			return claims;
		},
		readAsIssued: async (text) => {
			const claims = readClaims(text.split(".")[1] ?? "");
			return claims && verify(text, new Date(claims.iat * 1000));
		},
		forgetVerified: () => {
			verified = new Map();
		},
	};
}

function headerOf(kid: string): { alg: string; kid: string; typ: string } {
	return { alg: "EdDSA", kid, typ: "at+jwt" };
}

const headerForm = /^\{"alg":"EdDSA","kid":"([0-9A-Za-z-]{1,40})","typ":"at\+jwt"\}$/;

function keyIdOf(header: string): string | undefined {
	return headerForm.exec(Buffer.from(header, "base64url").toString("latin1"))?.[1];
}

/** True for canonical base64url: no padding, and no unused bits. */
function isCanonical(part: string): boolean {
	return part !== "" && Buffer.from(part, "base64url").toString("base64url") === part;
}

/** After a clock was set back, a token may be dated in the future and would end too late. */
function isInItsTime({ iat, exp }: AccessTokenClaims, now: Date): boolean {
	const seconds = now.getTime() / 1000;
	return iat - LEEWAY_SECONDS <= seconds && seconds < exp;
}

function readClaims(payload: string): AccessTokenClaims | undefined {
	try {
		const claims = parseJson(Buffer.from(payload, "base64url"));
		return checkSchema(AccessTokenClaims, claims).length === 0 ? (claims as AccessTokenClaims) : undefined;
	} catch (error) {
		if (error instanceof Problem) return undefined;
		throw error;
	}
}

async function succeeds(verification: Promise<unknown>, onRefused: (why: errors.JOSEError) => void): Promise<boolean> {
	try {
		await verification;
		return true;
	} catch (error) {
		if (!(error instanceof errors.JOSEError)) throw error;
		onRefused(error);
		return false;
	}
}
