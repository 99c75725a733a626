/** Changes an endpoint: its members by a merge patch, its secrets by rotation. */
import type { Tx } from "../../platform/database";
import type { EgressPolicy } from "../../platform/egress";
import { Problem } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import { checkEndpointUrls } from "./add-endpoint";
import type { EndpointPatch, WebhookEndpoint } from "./endpoint";
import { createSecret, currentSecrets, sealEndpointSecret } from "./secret";
import { lockCompany, lockEndpoint, updateEndpoint } from "./store";

/** The tenant's endpoint, locked until the transaction ends with its company. Throws: not-found. */
export async function takeEndpoint(tx: Tx, tenantId: string, id: string): Promise<WebhookEndpoint> {
	await lockCompany(tx, tenantId);
	const endpoint = await lockEndpoint(tx, tenantId, id);
	if (!endpoint) throw new Problem("not-found");
	return endpoint;
}

/** What a patch makes of an endpoint. Throws: webhook-url-not-allowed. */
export function applyPatch(policy: EgressPolicy, endpoint: WebhookEndpoint, patch: EndpointPatch): WebhookEndpoint {
	if (patch.url !== undefined) checkEndpointUrls(policy, [{ url: patch.url, pointer: "/url" }]);
	return { ...endpoint, ...patch };
}

/** Begins a probe of an endpoint that is locked, if it has dead letters. */
export type ResumeProbe = (tx: Tx, endpointId: string) => Promise<void>;

/** Writes a changed endpoint. Where dead letters had to wait for somebody until now, they go out by themselves from here on. */
export async function writeChange(
	tx: Tx,
	resumeProbe: ResumeProbe,
	before: WebhookEndpoint,
	wanted: WebhookEndpoint,
): Promise<WebhookEndpoint> {
	const after = await updateEndpoint(tx, wanted);
	if (mayBeProbed(before) || !mayBeProbed(after)) return after;
	await resumeProbe(tx, after.id);
	return (await lockEndpoint(tx, after.tenantId, after.id)) ?? after;
}

function mayBeProbed({ status, recovery }: WebhookEndpoint): boolean {
	return status === "enabled" && recovery === "automatic";
}

/**
 * Gives an endpoint a fresh secret, which takes over after `overlapSeconds`; with 0 at once. A rotation that had not ended is replaced:
 * the secret that signs the main header now goes on doing so.
 */
export async function rotateSecret(
	tx: Tx,
	envelope: Envelope,
	endpoint: WebhookEndpoint,
	overlapSeconds: number,
	now: Date,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
	const { secret, hint } = createSecret();
	const fresh = { sealed: sealEndpointSecret(envelope, endpoint, secret), hint };
	const { main } = currentSecrets(endpoint, now);
	const changed =
		overlapSeconds === 0
			? withSecrets(endpoint, fresh)
			: withSecrets(endpoint, main, { ...fresh, at: new Date(now.getTime() + overlapSeconds * 1_000) });
	return { endpoint: await updateEndpoint(tx, changed), secret };
}

/** Ends a rotation: its secret takes over now. An endpoint without one stays as it is, so that a repeat changes nothing. */
export async function promoteSecret(tx: Tx, endpoint: WebhookEndpoint, now: Date): Promise<WebhookEndpoint> {
	const { next } = currentSecrets(endpoint, now);
	return next ? updateEndpoint(tx, withSecrets(endpoint, next)) : endpoint;
}

type Kept = { readonly sealed: Uint8Array; readonly hint: string };

function withSecrets(endpoint: WebhookEndpoint, main: Kept, next?: Kept & { readonly at: Date }): WebhookEndpoint {
	return {
		...endpoint,
		...{ sealedSecret: main.sealed, secretHint: main.hint },
		...{ sealedNextSecret: next?.sealed ?? null, nextSecretHint: next?.hint ?? null, nextSecretAt: next?.at ?? null },
	};
}
