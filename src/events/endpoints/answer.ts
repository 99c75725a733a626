/** What the operations on endpoints share: dependencies, parameters, examples, and the record of an endpoint. */
import type { Sql } from "../../platform/database";
import type { EgressPolicy } from "../../platform/egress";
import { idempotencyKeyParameter } from "../../platform/idempotency";
import { headerParameter, json, PRIVATE_NO_STORE, pathParameter, versionTag } from "../../platform/operation";
import type { Envelope } from "../../platform/secrets";
import type { Clock } from "../../platform/values";
import type { ResumeProbe } from "./change-endpoint";
import { EndpointRecord, type WebhookEndpoint } from "./endpoint";
import { currentSecrets } from "./secret";

export type EndpointsDeps = {
	readonly sql: Sql;
	readonly envelope: Envelope;
	readonly egress: EgressPolicy;
	readonly clock: Clock;
	readonly resumeProbe: ResumeProbe;
};

export const EXAMPLE: EndpointRecord = {
	id: "0192f0a2-7a00-7b11-9c22-334455667788",
	url: "https://erp.elprogreso.do/hooks/ecf",
	events: ["invoice.*"],
	description: "ERP",
	status: "enabled",
	secretHint: "whsec_5W0b…",
	rateLimitPerSecond: 20,
	ordering: "per_document",
	recovery: "automatic",
	probe: null,
	version: 1,
	createdAt: "2026-11-20T14:00:00.000Z",
	updatedAt: "2026-11-20T14:00:00.000Z",
	_links: { self: "/v1/webhooks/0192f0a2-7a00-7b11-9c22-334455667788" },
};

export const ID = pathParameter("id", "The webhook's id.", EXAMPLE.id);
export const KEY = idempotencyKeyParameter("gets the first answer again, without the secret");
export const IF_MATCH = headerParameter("If-Match", "The version to change, as in the `ETag` of an answer.");

/** Problems of a write with an idempotency key and no body: the key cannot come with another payload. */
export const WRITING_BARE = ["validation-error", "idempotency-in-progress"] as const;

const ETAG = { ETag: "The webhook's version." };
export const SHOWN = { schema: EndpointRecord, example: EXAMPLE, headers: ETAG };
export const SHOWN_ONCE = {
	schema: EndpointRecord,
	example: { ...EXAMPLE, secret: "whsec_shown-once" },
	headers: ETAG,
};
export const REPEATED = {
	description: "The request repeats an idempotency key: `secret` is null.",
	...{ schema: EndpointRecord, example: { ...EXAMPLE, secret: null }, headers: ETAG },
};

export function headersOf({ version }: WebhookEndpoint): Record<string, string> {
	return { etag: versionTag(version), ...PRIVATE_NO_STORE };
}

export function answerEndpoint(endpoint: WebhookEndpoint, now: Date): Response {
	return json(200, toEndpointRecord(endpoint, now), headersOf(endpoint));
}

/** The answer that shows the secret, and the copy without it that is stored for repeats. */
export function answerOnceWithSecret(endpoint: WebhookEndpoint, secret: string, now: Date) {
	return {
		...{ body: toEndpointRecord(endpoint, now, secret), kept: toEndpointRecord(endpoint, now, null) },
		headers: headersOf(endpoint),
	};
}

/** The endpoint as the API shows it. `secret` is set in the one answer that shows it, null in a repeat of that answer, and otherwise absent. */
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
		_links: { self: `${pathOf(endpoint)}/${id}` },
	};
}

export const pathOf = ({ isOwners }: Pick<WebhookEndpoint, "isOwners">) =>
	isOwners ? "/v1/authority/webhooks" : "/v1/webhooks";

function toProbeRecord(endpoint: WebhookEndpoint, now: Date): EndpointRecord["probe"] {
	const { probeFailures, probePasses, probeNextAt } = endpoint;
	if (probeFailures === null || probePasses === null || probeNextAt === null) return null;
	return {
		status: probePasses > 0 ? "draining" : "waiting",
		attempts: probeFailures,
		nextAt: (probeNextAt < now ? now : probeNextAt).toISOString(),
	};
}
