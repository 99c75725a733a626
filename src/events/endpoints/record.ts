/** An endpoint as its tenant sees it. */
import type { EndpointRecord, WebhookEndpoint } from "./endpoint";
import { currentSecrets } from "./secret";

/** The endpoint as the API shows it; `secret` is undefined but in the one answer that tells it, null in a repeat of that answer. */
export function toEndpointRecord(endpoint: WebhookEndpoint, now: Date, secret?: string | null): EndpointRecord {
	const { id, url, description, status, rateLimitPerSecond, ordering, recovery, version, nextSecretAt } = endpoint;
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
		recovery,
		probe: toProbeRecord(endpoint, now),
		version,
		createdAt: endpoint.createdAt.toISOString(),
		updatedAt: endpoint.updatedAt.toISOString(),
		_links: { self: `/v1/webhooks/${id}` },
	};
}

function toProbeRecord(endpoint: WebhookEndpoint, now: Date): EndpointRecord["probe"] {
	const { probeFailures, probePasses, probeNextAt } = endpoint;
	if (probeFailures === null || probePasses === null || probeNextAt === null) return null;
	return {
		status: probePasses > 0 ? "draining" : "waiting",
		attempts: probeFailures,
		nextAt: (probeNextAt < now ? now : probeNextAt).toISOString(),
	};
}
