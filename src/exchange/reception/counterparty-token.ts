/**
 * Tokens and seeds of counterparties. A counterparty that signs one of our seeds gets a token for an hour, bound to its certificate's subject.
 *
 * A token proves less than a document's own signature, but the authority's protocol includes it. So a token that is sent is checked: our
 * signature, its time, and that its holder signed the document. Processes keep no tokens; a shared key signs them.
 *
 * Source: the authority's technical description of its services, 3 (services of a receiver); RFC 8725.
 */

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import type { Call } from "../../platform/operation";
import { type Message, msg, Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import type { ReceptionDeps } from "./deps";

type TokenContext = Pick<ReceptionDeps, "counterpartyKey" | "counterpartyAuthentication" | "baseUrl" | "clock">;

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
	{ counterpartyKey, baseUrl, clock }: TokenContext,
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

/** The sender of a request. A token that is sent is always checked. Undefined if none is sent and none is required. Throws: unauthorised. */
export async function checkCounterpartyToken(deps: TokenContext, call: Call): Promise<Counterparty | undefined> {
	const header = call.request.headers.get("authorization");
	if (header === null) {
		if (deps.counterpartyAuthentication === "optional") return undefined;
		throw refuse(msg`Send the token of /fe/autenticacion/api/validacioncertificado as a bearer token.`);
	}
	const token = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
	const subject = token.length > TOKEN_CHARACTERS_MAX ? undefined : await readSubject(deps, token);
	if (subject === undefined) throw refuse(msg`The token was not issued here, or it has expired.`);
	return { subject };
}

/**
 * Throws: unauthorised if the token's holder did not sign the document.
 * Gap: the protocol does not bind them, but a token that others could use would be worthless.
 */
export function checkCounterpartyIsSigner(counterparty: Counterparty | undefined, signerSubject: string): void {
	if (counterparty && counterparty.subject !== signerSubject)
		throw refuse(msg`The token's holder did not sign the document.`);
}

async function readSubject(
	{ counterpartyKey, baseUrl, clock }: TokenContext,
	token: string,
): Promise<string | undefined> {
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
		// One answer for every invalid token.
		return undefined;
	}
}

function refuse(detail: Message): Problem {
	return new Problem("unauthorised", { detail, headers: { "www-authenticate": 'Bearer realm="fe"' } });
}

/*
 * Seeds carry their own proof, so issuing them writes nothing and requests for many fill no table. A seed that was used is remembered until it
 * expires, and works only once.
 *
 *     valor   base64url of  nonce (72 bytes) · end (8 bytes, milliseconds) · HMAC-SHA-256 of both under the counterparty key
 *
 * Source: the authority's seed format, version 1.0. Gap: the lifetime of a seed is not published; here it is five minutes.
 */

export const SEED_LIFE_MS = 5 * 60_000;
const NONCE_BYTES = 72;
const END_BYTES = 8;
const MAC_BYTES = 32;

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

/** A valid seed: its digest, which can be used once, and when it expires. */
export type GoodSeed = { readonly digest: Uint8Array; readonly endsAt: Date };

/** Undefined for a value that was not issued here, and for an expired one. */
export function readSeedValue(counterpartyKey: Uint8Array, value: string, now: Date): GoodSeed | undefined {
	const bytes = Buffer.from(value, "base64url");
	// Another encoding of the same bytes would pass for another seed where texts are compared.
	if (bytes.length !== NONCE_BYTES + END_BYTES + MAC_BYTES || bytes.toString("base64url") !== value) return undefined;
	const head = bytes.subarray(0, NONCE_BYTES + END_BYTES);
	if (!timingSafeEqual(macOf(counterpartyKey, head), bytes.subarray(NONCE_BYTES + END_BYTES))) return undefined;
	const endsAt = new Date(Number(head.readBigUInt64BE(NONCE_BYTES)));
	return endsAt <= now ? undefined : { digest: createHash("sha256").update(bytes).digest(), endsAt };
}

function macOf(counterpartyKey: Uint8Array, head: Uint8Array): Buffer {
	return createHmac("sha256", counterpartyKey).update("seed").update(head).digest();
}
