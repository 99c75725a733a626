/**
 * Tokens of peers: whoever has signed a seed of ours with a certificate gets one for an hour, bound to the certificate's subject.
 *
 * A token proves nothing that a document's own signature does not prove better; the authority's protocol has it, and what is given is checked: our
 * signature, its time, and by whoever reads the document that both have one holder. No process keeps tokens: they are signed with a key that all share.
 *
 * Source: the authority's technical description of its services, 3 (services of a receiver); RFC 8725.
 */

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import type { Call } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import type { ReceptionDeps } from "./deps";

type TokenDeps = Pick<ReceptionDeps, "counterpartyKey" | "counterpartyAuthentication" | "baseUrl" | "clock">;

/** Who authenticated. */
export type Counterparty = {
	/** The whole subject of the certificate that signed the seed. */
	readonly subject: string;
};

export type CounterpartyToken = { readonly token: string; readonly issuedAt: Date; readonly expiresAt: Date };

const LIFE_SECONDS = 3_600;
const AUDIENCE = "sello-peers";
const TYPE = "peer+jwt";
const TOKEN_CHARACTERS_MAX = 4_096;

export async function createCounterpartyToken(
	{ counterpartyKey, baseUrl, clock }: TokenDeps,
	{ subject }: Counterparty,
): Promise<CounterpartyToken> {
	const issuedAt = new Date(Math.floor(clock.now().getTime() / 1_000) * 1_000);
	const expiresAt = new Date(issuedAt.getTime() + LIFE_SECONDS * 1_000);
	const token = await new SignJWT({ sub: subject })
		.setProtectedHeader({ alg: "HS256", typ: TYPE })
		.setIssuer(baseUrl)
		.setAudience(AUDIENCE)
		.setJti(newId())
		.setIssuedAt(issuedAt)
		.setNotBefore(issuedAt)
		.setExpirationTime(expiresAt)
		.sign(counterpartyKey);
	return { token, issuedAt, expiresAt };
}

/**
 * Who a counterparty's request is from. A token that is given is always checked; undefined where none is given and none is needed.
 * Throws: unauthorised.
 */
export async function checkCounterpartyToken(deps: TokenDeps, call: Call): Promise<Counterparty | undefined> {
	const header = call.request.headers.get("authorization");
	if (header === null) {
		if (deps.counterpartyAuthentication === "optional") return undefined;
		throw refuse("Send the token of /fe/autenticacion/api/validacioncertificado as bearer.");
	}
	const token = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
	const subject = token.length > TOKEN_CHARACTERS_MAX ? undefined : await readSubject(deps, token);
	if (subject === undefined) throw refuse("The token is not one of ours, or its hour is over.");
	return { subject };
}

/**
 * Throws: unauthorised where a token's holder is not who signed the document.
 * Gap: the protocol binds them nowhere; a token that somebody else could use would be worth nothing.
 */
export function checkCounterpartyIsSigner(counterparty: Counterparty | undefined, signerSubject: string): void {
	if (counterparty && counterparty.subject !== signerSubject)
		throw refuse("The token is another's than the document's signer.");
}

async function readSubject({ counterpartyKey, baseUrl, clock }: TokenDeps, token: string): Promise<string | undefined> {
	try {
		const { payload } = await jwtVerify(token, counterpartyKey, {
			algorithms: ["HS256"],
			typ: TYPE,
			issuer: baseUrl,
			audience: AUDIENCE,
			requiredClaims: ["sub", "exp", "nbf", "iat"],
			currentDate: clock.now(),
		});
		return payload.sub;
	} catch {
		// Whatever is wrong with a stranger's token is told in one sentence.
		return undefined;
	}
}

function refuse(detail: string): Problem {
	return new Problem("unauthorised", { detail, headers: { "www-authenticate": 'Bearer realm="fe"' } });
}

/* HEAD seed.ts:  * Seeds that peers sign to get a token.
 *
 *   valor   base64url of  nonce (72 bytes) · end (8 bytes, milliseconds) · HMAC-SHA-256 of both under the peers' key
 *
 * A seed carries its own proof, so giving one writes nothing: whoever asks for a million has filled no table. What was signed and
 * good is remembered until its end, and is good once.
 *
 * Source: the authority's seed format, version 1.0. Gap: how long a seed lives is not published; here five minutes. */

export const SEED_LIFE_MS = 5 * 60_000;
const NONCE_BYTES = 72;
const END_BYTES = 8;
const MAC_BYTES = 32;

/** The document that a counterparty signs. */
export function writeSeed(counterpartyKey: Uint8Array, now: Date): string {
	const head = Buffer.alloc(NONCE_BYTES + END_BYTES);
	randomBytes(NONCE_BYTES).copy(head);
	head.writeBigUInt64BE(BigInt(now.getTime() + SEED_LIFE_MS), NONCE_BYTES);
	const value = Buffer.concat([head, macOf(counterpartyKey, head)]).toString("base64url");
	return (
		'<?xml version="1.0" encoding="utf-8"?>' +
		'<SemillaModel xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
		`<valor>${value}</valor><fecha>${now.toISOString()}</fecha></SemillaModel>`
	);
}

/** A seed that was one of ours and still is: its digest, to be taken once, and when it ends. */
export type GoodSeed = { readonly digest: Uint8Array; readonly endsAt: Date };

/** Undefined for a value that we have not given, and for one whose time is over. */
export function readSeedValue(counterpartyKey: Uint8Array, value: string, now: Date): GoodSeed | undefined {
	const bytes = Buffer.from(value, "base64url");
	// Another spelling of the same bytes would be another seed to whoever compares texts.
	if (bytes.length !== NONCE_BYTES + END_BYTES + MAC_BYTES || bytes.toString("base64url") !== value) return undefined;
	const head = bytes.subarray(0, NONCE_BYTES + END_BYTES);
	if (!timingSafeEqual(macOf(counterpartyKey, head), bytes.subarray(NONCE_BYTES + END_BYTES))) return undefined;
	const endsAt = new Date(Number(head.readBigUInt64BE(NONCE_BYTES)));
	return endsAt <= now ? undefined : { digest: createHash("sha256").update(bytes).digest(), endsAt };
}

function macOf(counterpartyKey: Uint8Array, head: Uint8Array): Buffer {
	return createHmac("sha256", counterpartyKey).update("seed").update(head).digest();
}
