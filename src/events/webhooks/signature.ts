/** The headers of an attempt and its signatures. Signatures cover the time of the attempt and the raw body, so each attempt has its own. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { CurrentSecrets } from "../endpoints";

const TOLERANCE_SECONDS = 300;

type SignedAttempt = {
	readonly secrets: CurrentSecrets<string>;
	readonly deliveryId: string;
	readonly event: string;
	readonly body: Uint8Array;
	/** 1 for the first. */
	readonly attempt: number;
	/** When this attempt is made. Receivers check its age. */
	readonly at: Date;
};

/**
 * All headers of one attempt. During a rotation the old secret still makes the main signature, so a receiver that knows only that secret
 * keeps working; the new secret's signature has a header of its own. The specified header holds one `t` and one `v1`, never two.
 */
export function toDeliveryHeaders(attempt: SignedAttempt): Record<string, string> {
	const { deliveryId, event, body } = attempt;
	const { main, next } = attempt.secrets;
	const t = Math.floor(attempt.at.getTime() / 1000);
	return {
		"Content-Type": "application/json",
		"User-Agent": "ecf-webhooks/1",
		"X-Service-Event": event,
		"X-Service-Signature": signDelivery(main, body, t),
		...(next === undefined ? {} : { "X-Service-Signature-Next": signDelivery(next, body, t) }),
		"X-Service-Delivery": deliveryId,
		"X-Service-Attempt": String(attempt.attempt),
		"webhook-id": deliveryId,
		"webhook-timestamp": String(t),
		"webhook-signature": [main, ...(next === undefined ? [] : [next])]
			.map((secret) => signStandard(secret, deliveryId, body, t))
			.join(" "),
	};
}

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
	// The form above guarantees 32 bytes; the comparison throws on unequal lengths.
	return timingSafeEqual(Buffer.from(match[2] ?? "", "hex"), digestOf(secret, body, t));
}

function digestOf(secret: string, body: Uint8Array, t: number): Buffer {
	return createHmac("sha256", secret).update(`${t}.`).update(body).digest();
}

/**
 * The value of `webhook-signature`, for receivers that use a library: `v1,<base64>` over `<id>.<t>.` and the body.
 * The key is the base64 part of the secret after `whsec_`. Source: Standard Webhooks 1.0.0.
 */
export function signStandard(secret: string, id: string, body: Uint8Array, t: number): string {
	const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
	return `v1,${createHmac("sha256", key).update(`${id}.${t}.`).update(body).digest("base64")}`;
}
