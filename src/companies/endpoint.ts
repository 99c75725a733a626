import { randomBytes } from "node:crypto";
import type { Envelope } from "../secrets";

/** A tenant's webhook URL, with the events that it wants. */
export type WebhookEndpoint = {
	readonly id: string;
	readonly tenantId: string;
	readonly url: string;
	/** Event names, or patterns such as `invoice.*`. */
	readonly events: readonly string[];
	readonly description: string | null;
	readonly status: "enabled" | "disabled";
	readonly sealedSecret: Uint8Array;
	/** The first characters of the secret, by which its owner tells it from others. */
	readonly secretHint: string;
};

const HINT_CHARACTERS = 10;

/** A fresh signing secret: `whsec_` and 32 random bytes in base64. The HMAC key is the UTF-8 bytes of the whole text. */
export function createSecret(): { secret: string; hint: string } {
	const secret = `whsec_${randomBytes(32).toString("base64")}`;
	return { secret, hint: `${secret.slice(0, HINT_CHARACTERS)}…` };
}

export function sealEndpointSecret(
	envelope: Envelope,
	place: { tenantId: string; id: string },
	secret: string,
): Uint8Array {
	return envelope.seal(Buffer.from(secret), contextOf(place));
}

/** The signing secret of an endpoint. Throws SealedSecretError when the row was moved or changed. */
export function openEndpointSecret(envelope: Envelope, endpoint: WebhookEndpoint): string {
	return envelope.open(endpoint.sealedSecret, contextOf(endpoint)).toString();
}

function contextOf(place: { tenantId: string; id: string }): string {
	return `webhook-secret|${place.tenantId}|${place.id}`;
}
