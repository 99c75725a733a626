/**
 * Seeds that peers sign to get a token.
 *
 *   valor   base64url of  nonce (72 bytes) · end (8 bytes, milliseconds) · HMAC-SHA-256 of both under the peers' key
 *
 * A seed carries its own proof, so giving one writes nothing: whoever asks for a million has filled no table. What was signed and
 * good is remembered until its end, and is good once.
 *
 * Source: the authority's seed format, version 1.0. Gap: how long a seed lives is not published; here five minutes.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export const SEED_LIFE_MS = 5 * 60_000;
const NONCE_BYTES = 72;
const END_BYTES = 8;
const MAC_BYTES = 32;

/** The document that a peer signs. */
export function writeSeed(peerKey: Uint8Array, now: Date): string {
	const head = Buffer.alloc(NONCE_BYTES + END_BYTES);
	randomBytes(NONCE_BYTES).copy(head);
	head.writeBigUInt64BE(BigInt(now.getTime() + SEED_LIFE_MS), NONCE_BYTES);
	const value = Buffer.concat([head, macOf(peerKey, head)]).toString("base64url");
	return (
		'<?xml version="1.0" encoding="utf-8"?>' +
		'<SemillaModel xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
		`<valor>${value}</valor><fecha>${now.toISOString()}</fecha></SemillaModel>`
	);
}

/** A seed that was one of ours and still is: its digest, to be taken once, and when it ends. */
export type GoodSeed = { readonly digest: Uint8Array; readonly endsAt: Date };

/** Undefined for a value that we have not given, and for one whose time is over. */
export function readSeedValue(peerKey: Uint8Array, value: string, now: Date): GoodSeed | undefined {
	const bytes = Buffer.from(value, "base64url");
	// Another spelling of the same bytes would be another seed to whoever compares texts.
	if (bytes.length !== NONCE_BYTES + END_BYTES + MAC_BYTES || bytes.toString("base64url") !== value) return undefined;
	const head = bytes.subarray(0, NONCE_BYTES + END_BYTES);
	if (!timingSafeEqual(macOf(peerKey, head), bytes.subarray(NONCE_BYTES + END_BYTES))) return undefined;
	const endsAt = new Date(Number(head.readBigUInt64BE(NONCE_BYTES)));
	return endsAt <= now ? undefined : { digest: createHash("sha256").update(bytes).digest(), endsAt };
}

function macOf(peerKey: Uint8Array, head: Uint8Array): Buffer {
	return createHmac("sha256", peerKey).update("seed").update(head).digest();
}
