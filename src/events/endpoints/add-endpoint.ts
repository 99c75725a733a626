/** Makes endpoints, when a company is registered and later. */
import type { Tx } from "../../platform/database";
import { checkOutboundUrl, type EgressPolicy } from "../../platform/egress";
import { type Fault, Problem } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import { newId } from "../../platform/values";
import type { EndpointRequest, WebhookEndpoint } from "./endpoint";
import { createSecret, sealEndpointSecret } from "./secret";
import { insertEndpoint } from "./store";

/** An endpoint that somebody asks for; `pointer` is where its URL stands in the request. */
export type EndpointWish = Omit<EndpointRequest, "events"> & {
	readonly events: readonly string[];
	readonly pointer: string;
};

/** Throws: webhook-url-not-allowed, with every URL that may not be called. */
export function checkEndpointUrls(
	policy: EgressPolicy,
	wishes: readonly { readonly url: string; readonly pointer: string }[],
): void {
	const faults: Fault[] = [];
	for (const { url, pointer } of wishes) {
		const reason = checkOutboundUrl(url, policy);
		if (reason) faults.push({ pointer, code: reason.code, detail: reason.detail });
	}
	if (faults.length > 0) throw new Problem("webhook-url-not-allowed", { faults });
}

/** Stores an enabled endpoint with a fresh secret, which is told here and never again. */
export async function addEndpoint(
	tx: Tx,
	envelope: Envelope,
	tenantId: string,
	wish: EndpointWish,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
	const id = newId();
	const { secret, hint } = createSecret();
	const endpoint = await insertEndpoint(tx, {
		...{ id, tenantId, url: wish.url, events: wish.events, description: wish.description ?? null },
		...{ rateLimitPerSecond: wish.rateLimitPerSecond ?? null, ordering: wish.ordering ?? "per_document" },
		recovery: wish.recovery ?? "automatic",
		...{ sealedSecret: sealEndpointSecret(envelope, { tenantId, id }, secret), secretHint: hint },
	});
	return { endpoint, secret };
}
