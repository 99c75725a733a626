/** Whether a webhook is from the service: its signature in either family of headers, over the raw bytes of the body. */
import { SignatureError } from "./errors";
import type { WebhookEvent } from "./generated";

export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export type VerifyOptions = {
	/** How old a signature may be. Default: 300. */
	toleranceSeconds?: number;
	/** Unix seconds. Default: now. */
	now?: number;
};

const encoder = new TextEncoder();

/**
 * Verifies a webhook and returns its event. `rawBody` is what arrived, before any parser. `secrets` are those of your webhook: one, or two during
 * a rotation. Throws a SignatureError. Source: https://www.standardwebhooks.com for the second family.
 */
export async function verifyWebhook(
	rawBody: string | Uint8Array | ArrayBuffer,
	headers: WebhookHeaders,
	secrets: readonly string[],
	{ toleranceSeconds = 300, now = Date.now() / 1000 }: VerifyOptions = {},
): Promise<WebhookEvent> {
	const body = typeof rawBody === "string" ? encoder.encode(rawBody) : new Uint8Array(rawBody);
	const read = createReader(headers);
	const isFresh = (t: string) => Math.abs(now - Number(t)) <= toleranceSeconds;

	for (const name of ["x-service-signature", "x-service-signature-next"]) {
		const [, t, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(read(name)) ?? [];
		if (t === undefined || hex === undefined || !isFresh(t)) continue;
		const signature = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
		if (
			await isSigned(
				secrets.map((one) => encoder.encode(one)),
				`${t}.`,
				body,
				signature,
			)
		)
			return readEvent(body);
	}
	const [id, t] = [read("webhook-id"), read("webhook-timestamp")];
	if (id && /^\d{1,12}$/.test(t) && isFresh(t)) {
		const keys = secrets.flatMap((secret) => decode(secret.replace(/^whsec_/, "")) ?? []);
		for (const one of read("webhook-signature").split(" ")) {
			const signature = one.startsWith("v1,") ? decode(one.slice(3)) : undefined;
			if (signature && (await isSigned(keys, `${id}.${t}.`, body, signature))) return readEvent(body);
		}
	}
	throw new SignatureError("The webhook has no valid signature of the last five minutes: do not trust it.");
}

function createReader(headers: WebhookHeaders): (name: string) => string {
	if (headers instanceof Headers) return (name) => headers.get(name) ?? "";
	const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value ?? "")]));
	return (name) => values.get(name) ?? "";
}

/** Compares in constant time, as `verify` of Web Crypto does. */
async function isSigned(
	keys: readonly Uint8Array<ArrayBuffer>[],
	before: string,
	body: Uint8Array,
	signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
	const start = encoder.encode(before);
	const signed = new Uint8Array(start.length + body.length);
	signed.set(start);
	signed.set(body, start.length);
	for (const bytes of keys) {
		if (bytes.length === 0) continue;
		const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
		if (await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
	}
	return false;
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
	try {
		return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
	} catch {
		return undefined;
	}
}

const readEvent = (body: Uint8Array): WebhookEvent => JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
