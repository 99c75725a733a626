/** What the operations on endpoints share: what they need, an example, and how an endpoint is told. */

import { type TSchema, Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/database";
import type { EgressPolicy } from "../../platform/egress";
import { idempotencyKeyParameter } from "../../platform/idempotency";
import { type BodyRule, JSON_BYTES_MAX, json, NOT_KEPT, type Parameter, versionTag } from "../../platform/operation";
import type { Envelope } from "../../platform/secrets";
import type { Clock } from "../../platform/values";
import type { ResumeProbe } from "./change-endpoint";
import { EndpointRecord, type WebhookEndpoint } from "./endpoint";
import { toEndpointRecord } from "./record";

export type EndpointDeps = {
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

export const ID: Parameter = {
	...{ name: "id", in: "path", required: true, description: "The webhook's id.", schema: Type.String() },
	example: EXAMPLE.id,
};
export const KEY = idempotencyKeyParameter("gets the first answer again, without the secret");
export const IF_MATCH: Parameter = {
	...{ name: "If-Match", in: "header", required: false, schema: Type.String() },
	description: "The version that is meant, as `ETag` told it.",
};

/** The problems of whatever is written once for a key and takes no body: there is no other payload that the key could come with. */
export const WRITING_BARE = ["validation-error", "idempotency-in-progress"] as const;
/** The problems of whatever is written once for a key. */
export const WRITING = ["malformed-json", ...WRITING_BARE, "idempotency-key-reused"] as const;

const ETAG = { ETag: "The webhook's version." };
export const TOLD = { schema: EndpointRecord, example: EXAMPLE, headers: ETAG };
export const TOLD_ONCE = { schema: EndpointRecord, example: { ...EXAMPLE, secret: "whsec_shown-once" }, headers: ETAG };
export const REPEATED = {
	description: "A repeat of an idempotency key: `secret` is null.",
	...{ schema: EndpointRecord, example: { ...EXAMPLE, secret: null }, headers: ETAG },
};

export const jsonBody = (schema: TSchema, example: unknown, required = true): BodyRule => ({
	...{ schema, example, required, limitBytes: JSON_BYTES_MAX },
	mediaTypes: ["application/json"],
});

/** The headers of an answer that is one endpoint. */
export function headersOf({ version }: WebhookEndpoint): Record<string, string> {
	return { etag: versionTag(version), ...NOT_KEPT };
}

export function tell(endpoint: WebhookEndpoint, now: Date): Response {
	return json(200, toEndpointRecord(endpoint, now), headersOf(endpoint));
}

/** The answer that tells the secret, and what is kept of it. */
export function tellOnce(endpoint: WebhookEndpoint, secret: string, now: Date) {
	return {
		...{ body: toEndpointRecord(endpoint, now, secret), kept: toEndpointRecord(endpoint, now, null) },
		headers: headersOf(endpoint),
	};
}
