/** Sends a test event to a tenant's endpoints now, one attempt each, and tells what came of it. Nothing of it is stored. */
import { type Static, Type } from "@sinclair/typebox";
import { findCompany } from "../../companies";
import type { Sql } from "../../platform/database";
import { postOnce } from "../../platform/egress";
import { Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import { EXTRA_EVENTS, SPECIFIED_EVENTS } from "../catalogue/event";
import type { TestEventBody } from "../catalogue/event-schemas";
import { isMuted } from "../catalogue/muted";
import { listEndpoints, openEndpointSecrets, type WebhookEndpoint } from "../endpoints";
import type { AttemptDeps } from "./deliver";
import { toDeliveryHeaders } from "./delivery-headers";

const OrNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
	Type.Union([schema, Type.Null()]);

export const TestEventRequest = Type.Object(
	{
		event: Type.Optional(
			Type.Union(
				[...SPECIFIED_EVENTS, ...EXTRA_EVENTS].map((name) => Type.Literal(name)),
				{ description: "The event to play; `webhook.test` when absent." },
			),
		),
		webhookId: Type.Optional(
			Type.String({
				maxLength: 64,
				description: "Only this endpoint, a disabled one too; all enabled ones when absent.",
			}),
		),
	},
	{ additionalProperties: false },
);
export type TestEventRequest = Static<typeof TestEventRequest>;

const TestDelivery = Type.Object({
	deliveryId: Type.String(),
	webhookId: Type.String(),
	url: Type.String(),
	event: Type.String(),
	delivered: Type.Boolean({ description: "A 2xx answer came whole within 10 seconds." }),
	responseStatus: OrNull(Type.Integer()),
	durationMs: Type.Integer(),
	attemptedAt: Type.String(),
	error: OrNull(Type.String({ description: "Why no whole answer came, such as `timeout` or `tls-error`." })),
	request: Type.Object({
		headers: Type.Record(Type.String(), Type.String()),
		body: Type.String({ description: "The very bytes that were signed and sent." }),
	}),
	responseBody: Type.String({ description: "The first 4 KiB of the answer." }),
});
type TestDelivery = Static<typeof TestDelivery>;

export const TestEventAnswer = Type.Object(
	{ deliveries: Type.Array(TestDelivery), delivered: Type.Integer(), failed: Type.Integer() },
	{ $id: "WebhookTest" },
);
export type TestEventAnswer = Static<typeof TestEventAnswer>;

export type TestEventDeps = AttemptDeps & { readonly sql: Sql };

/** Sends the test event. Throws: webhook-not-configured; not-found for a webhook that is not the tenant's. */
export async function sendTestEvent(
	deps: TestEventDeps,
	tenantId: string,
	request: TestEventRequest,
): Promise<TestEventAnswer> {
	const endpoints = await chooseEndpoints(deps.sql, tenantId, request.webhookId);
	const event = request.event ?? "webhook.test";
	const deliveries = await Promise.all(endpoints.map((endpoint) => send(deps, endpoint, event)));
	const delivered = deliveries.filter((delivery) => delivery.delivered).length;
	return { deliveries, delivered, failed: deliveries.length - delivered };
}

async function chooseEndpoints(sql: Sql, tenantId: string, webhookId?: string): Promise<WebhookEndpoint[]> {
	const all = await listEndpoints(sql, tenantId);
	if (all.length === 0) throw new Problem("webhook-not-configured");
	if (isMuted(await findCompany(sql, tenantId))) {
		throw new Problem("webhook-not-configured", {
			detail: "The public sandbox calls no webhooks; read the events at `GET /v1/events`.",
		});
	}
	if (webhookId !== undefined) {
		const chosen = all.filter((endpoint) => endpoint.id === webhookId);
		if (chosen.length === 0) throw new Problem("not-found", { detail: "The company has no webhook of this id." });
		return chosen;
	}
	const enabled = all.filter((endpoint) => endpoint.status === "enabled");
	if (enabled.length === 0) {
		throw new Problem("webhook-not-configured", {
			detail: "All webhooks of the company are disabled; name one by `webhookId` to test it.",
		});
	}
	return enabled;
}

async function send(deps: AttemptDeps, endpoint: WebhookEndpoint, event: string): Promise<TestDelivery> {
	const deliveryId = newId();
	const at = deps.clock.now();
	const played: TestEventBody = {
		event,
		docId: newId(),
		trackId: newId(),
		tenantId: endpoint.tenantId,
		occurredAt: at.toISOString(),
		test: true,
	};
	const text = JSON.stringify(played);
	const body = Buffer.from(text);
	const secrets = openEndpointSecrets(deps.envelope, endpoint, at);
	const headers = toDeliveryHeaders({ secrets, deliveryId, event, body, attempt: 1, at });
	const result = await postOnce({ ...deps.limits, url: endpoint.url, headers, body, policy: deps.policy });
	return {
		deliveryId,
		webhookId: endpoint.id,
		url: endpoint.url,
		event,
		delivered: result.ok,
		responseStatus: result.status ?? null,
		durationMs: result.durationMs,
		attemptedAt: at.toISOString(),
		error: result.error ?? null,
		request: { headers, body: text },
		responseBody: result.responseBody,
	};
}
