/**
 * The signing secrets of an endpoint.
 *
 *   rotate ──▶ two secrets: the old one signs the main header, the new one a second header
 *                 └── at `nextSecretAt`, or when the tenant promotes it ──▶ the new one signs the main header
 *
 * The clock decides which secret signs, so no job has to run for it. The next write of the row removes the old secret.
 */
import { randomBytes } from "node:crypto";
import type { Envelope } from "../../platform/secrets";
import type { WebhookEndpoint } from "./endpoint";

const HINT_CHARACTERS = 10;

/** A new signing secret: `whsec_` and 32 random bytes in base64. The HMAC key is the UTF-8 bytes of the whole text. */
export function createSecret(): { secret: string; hint: string } {
	const secret = `whsec_${randomBytes(32).toString("base64")}`;
	return { secret, hint: `${secret.slice(0, HINT_CHARACTERS)}…` };
}

type Owner = Pick<WebhookEndpoint, "tenantId" | "id">;

export function sealEndpointSecret(envelope: Envelope, owner: Owner, secret: string): Uint8Array {
	return envelope.seal(Buffer.from(secret), secretContextOf(owner));
}

type Sealed = Pick<
	WebhookEndpoint,
	"sealedSecret" | "secretHint" | "sealedNextSecret" | "nextSecretHint" | "nextSecretAt"
>;

/** The secret that signs now and, during a rotation, its successor. */
export type CurrentSecrets<T> = { readonly main: T; readonly next: T | undefined };

/** The signing secrets of an endpoint now. Throws SealedSecretError if the row was moved or changed. */
export function openEndpointSecrets(envelope: Envelope, endpoint: Owner & Sealed, now: Date): CurrentSecrets<string> {
	const { main, next } = currentSecrets(endpoint, now);
	const open = ({ sealed }: SealedSecret) => envelope.open(sealed, secretContextOf(endpoint)).toString();
	return { main: open(main), next: next && open(next) };
}

type SealedSecret = { readonly sealed: Uint8Array; readonly hint: string };

export function currentSecrets(endpoint: Sealed, now: Date): CurrentSecrets<SealedSecret> {
	const main = { sealed: endpoint.sealedSecret, hint: endpoint.secretHint };
	const { sealedNextSecret, nextSecretHint, nextSecretAt } = endpoint;
	if (sealedNextSecret === null || nextSecretHint === null || nextSecretAt === null) return { main, next: undefined };
	const next = { sealed: sealedNextSecret, hint: nextSecretHint };
	return nextSecretAt <= now ? { main: next, next: undefined } : { main, next };
}

export function secretContextOf({ tenantId, id }: Owner): string {
	return `webhook-secret|${tenantId}|${id}`;
}
