/** An endpoint as its tenant sees it. */
import type { EndpointRecord, WebhookEndpoint } from "./endpoint";
import { currentSecrets } from "./secret";

/** The endpoint as the API shows it; `secret` is undefined but in the one answer that tells it, null in a repeat of that answer. */
export function toEndpointRecord(endpoint: WebhookEndpoint, now: Date, secret?: string | null): EndpointRecord {
	const { id, url, description, status, rateLimitPerSecond, ordering, version, nextSecretAt } = endpoint;
	const { main, next } = currentSecrets(endpoint, now);
	return {
		id,
		url,
		events: [...endpoint.events],
		description,
		status,
		...(secret === undefined ? {} : { secret }),
		secretHint: main.hint,
		...(next && nextSecretAt ? { nextSecretHint: next.hint, previousSecretExpiresAt: nextSecretAt.toISOString() } : {}),
		rateLimitPerSecond,
		ordering,
		version,
		createdAt: endpoint.createdAt.toISOString(),
		updatedAt: endpoint.updatedAt.toISOString(),
		_links: { self: `/v1/webhooks/${id}` },
	};
}
