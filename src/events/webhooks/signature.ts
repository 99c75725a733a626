/** The signatures of a delivery. They cover the time of the attempt and the raw body, so each attempt has its own. */
import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;

/**
 * The value of `X-Service-Signature`: `t=<unix seconds>,v1=<lower-case hex>`, HMAC-SHA256 over `<t>.` and the body's bytes.
 * The key is the UTF-8 bytes of the whole secret as it was shown, `whsec_` included.
 * Source: the specification, Events.
 */
export function signDelivery(secret: string, body: Uint8Array, t: number): string {
	return `t=${t},v1=${digestOf(secret, body, t).toString("hex")}`;
}

/** Checks a signature as a receiver does: form, time within 300 seconds, digest in constant time. */
export function verifySignature(secret: string, header: string, body: Uint8Array, nowSeconds: number): boolean {
	const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header);
	if (!match) return false;
	const t = Number(match[1]);
	if (Math.abs(nowSeconds - t) > TOLERANCE_SECONDS) return false;
	// Both have 32 bytes: the form above has seen to it, and the comparison throws on unequal lengths.
	return timingSafeEqual(Buffer.from(match[2] ?? "", "hex"), digestOf(secret, body, t));
}

function digestOf(secret: string, body: Uint8Array, t: number): Buffer {
	return createHmac("sha256", secret).update(`${t}.`).update(body).digest();
}

/**
 * The value of `webhook-signature`, for receivers that have a library for it: `v1,<base64>` over `<id>.<t>.` and the body.
 * The key is what the secret holds in base64 after `whsec_`. Source: Standard Webhooks 1.0.0.
 */
export function signStandard(secret: string, id: string, body: Uint8Array, t: number): string {
	const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
	return `v1,${createHmac("sha256", key).update(`${id}.${t}.`).update(body).digest("base64")}`;
}
