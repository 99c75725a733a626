/** The operations on webhooks besides those on the endpoints: the test event and the delivery log. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { PostError } from "../../platform/egress";
import { json, jsonBody, NEEDS_BEARER, type Operation, readJson, readQuery, tenantOf } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import { EVENT_NAMES, type TestEventBody } from "../catalogue";
import { isMuted, listEndpoints, type WebhookEndpoint } from "../endpoints";
import { sendRequest, type WebhooksDeps } from "./attempt";
import { deliveryOperations } from "./deliveries/routes";

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const TestEventRequest = Type.Object(
	{
		event: Type.Optional(
			Type.Union(
				EVENT_NAMES.map((name) => Type.Literal(name)),
				{ description: "The name of the event to send. `webhook.test` when absent." },
			),
		),
		webhookId: Type.Optional(
			Type.String({
				maxLength: 64,
				description: "Send to this webhook only, even if it is disabled. All enabled webhooks when absent.",
			}),
		),
	},
	{ additionalProperties: false },
);
type TestEventRequest = Static<typeof TestEventRequest>;

const TestDelivery = Type.Object({
	deliveryId: Type.String(),
	webhookId: Type.String(),
	url: Type.String(),
	event: Type.String(),
	delivered: Type.Boolean({ description: "True if a complete 2xx answer arrived within 10 seconds." }),
	responseStatus: OrNull(Type.Integer()),
	durationMs: Type.Integer(),
	attemptedAt: Type.String(),
	error: OrNull(
		Type.String({ description: "Why no complete answer arrived, such as `unreachable`, `timeout` or `tls-error`." }),
	),
	request: Type.Object({
		headers: Type.Record(Type.String(), Type.String()),
		body: Type.String({ description: "The exact bytes that were signed and sent." }),
	}),
	responseBody: Type.String({ description: "The first 4 KiB of the answer." }),
});
type TestDelivery = Static<typeof TestDelivery>;

export const TestEventAnswer = Type.Object(
	{ deliveries: Type.Array(TestDelivery), delivered: Type.Integer(), failed: Type.Integer() },
	{ $id: "WebhookTest" },
);
export type TestEventAnswer = Static<typeof TestEventAnswer>;

const EXAMPLE: TestEventAnswer = {
	deliveries: [
		{
			deliveryId: "0192f120-1111-7222-8333-444455556666",
			webhookId: "0192f0a2-1111-7222-8333-444455556666",
			url: "https://erp.elprogreso.do/hooks/ecf",
			event: "webhook.test",
			delivered: true,
			responseStatus: 204,
			durationMs: 83,
			attemptedAt: "2026-11-20T14:30:00.000Z",
			error: null,
			request: {
				headers: {
					"X-Service-Event": "webhook.test",
					"X-Service-Signature": "t=1795185000,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
					"X-Service-Delivery": "0192f120-1111-7222-8333-444455556666",
				},
				body: '{"event":"webhook.test","docId":"0192f120-1111-7222-8333-444455556667","trackId":"0192f120-1111-7222-8333-444455556668","tenantId":"0192f0a1-b2c3-7d4e-8f00-112233445566","occurredAt":"2026-11-20T14:30:00.000Z","test":true}',
			},
			responseBody: "",
		},
	],
	delivered: 1,
	failed: 0,
};

type Operating = Pick<WebhooksDeps, "sql" | "envelope" | "policy" | "limits" | "clock" | "wake" | "findCompany">;

export function webhookOperations(deps: Operating): Operation[] {
	return [
		...deliveryOperations(deps),
		{
			id: "testWebhook",
			sdk: "webhooks.test",
			method: "POST",
			path: "/v1/webhooks/test",
			tag: "Webhooks",
			summary: "Send a test event",
			description:
				"Sends one signed request to each enabled webhook of the company, waits for the answers, and returns them with what was sent. " +
				"200 means that the attempts were made; `delivered` counts those that arrived. Nothing is retried or stored. The body has " +
				'the five members of every event and `"test": true`. Its `docId` and `trackId` refer to nothing.',
			credentials: NEEDS_BEARER,
			scope: "webhooks:test",
			limit: "webhook-test",
			body: jsonBody(
				TestEventRequest,
				{ event: "invoice.rejected", webhookId: "0192f0a2-1111-7222-8333-444455556666" },
				false,
			),
			answers: {
				200: { description: "The attempts and their answers.", schema: TestEventAnswer, example: EXAMPLE },
			},
			problems: ["malformed-json", "validation-error", "not-found", "webhook-not-configured"],
			handle: async (call) => {
				readQuery(call);
				const request = await readJson<TestEventRequest>(call);
				return json(200, await sendTestEvent(deps, tenantOf(call), request));
			},
		},
	];
}

type Testing = Omit<Operating, "wake">;

/**
 * Sends a test event to a tenant's endpoints now, one attempt each. Nothing of it is stored.
 * Throws: webhook-not-configured; not-found for a webhook that is not the tenant's.
 */
async function sendTestEvent(deps: Testing, tenantId: string, request: TestEventRequest): Promise<TestEventAnswer> {
	const endpoints = await chooseEndpoints(deps, tenantId, request.webhookId);
	const event = request.event ?? "webhook.test";
	const deliveries = await Promise.all(endpoints.map((endpoint) => send(deps, endpoint, event)));
	const delivered = deliveries.filter((delivery) => delivery.delivered).length;
	return { deliveries, delivered, failed: deliveries.length - delivered };
}

async function chooseEndpoints(
	{ sql, findCompany }: Testing,
	tenantId: string,
	webhookId?: string,
): Promise<WebhookEndpoint[]> {
	const all = await listEndpoints(sql, tenantId);
	if (all.length === 0) throw new Problem("webhook-not-configured");
	const company = await findCompany(tenantId);
	if (company && isMuted(company)) {
		throw new Problem("webhook-not-configured", {
			detail: msg`The public sandbox does not call webhooks. Read the events at \`GET /v1/events\`.`,
		});
	}
	if (webhookId !== undefined) {
		const chosen = all.filter((endpoint) => endpoint.id === webhookId);
		if (chosen.length === 0) throw new Problem("not-found", { detail: msg`The company has no webhook with this id.` });
		return chosen;
	}
	const enabled = all.filter((endpoint) => endpoint.status === "enabled");
	if (enabled.length === 0) {
		throw new Problem("webhook-not-configured", {
			detail: msg`All webhooks of the company are disabled. Send \`webhookId\` to test one of them.`,
		});
	}
	return enabled;
}

/** One word for all of them: their difference would map the names and the open ports of the network that the service runs in. */
const unreachable: ReadonlySet<PostError> = new Set([
	...(["blocked-address", "dns-error", "connection-refused", "connection-failed"] as const),
]);

async function send(deps: Testing, endpoint: WebhookEndpoint, event: string): Promise<TestDelivery> {
	const deliveryId = newId();
	const at = deps.clock.now();
	const content: TestEventBody = {
		event,
		docId: newId(),
		trackId: newId(),
		tenantId: endpoint.tenantId,
		occurredAt: at.toISOString(),
		test: true,
	};
	const body = JSON.stringify(content);
	const { result, headers } = await sendRequest(deps, endpoint, { deliveryId, event, body, attempt: 1, at });
	return {
		deliveryId,
		webhookId: endpoint.id,
		url: endpoint.url,
		event,
		delivered: result.ok,
		responseStatus: result.status ?? null,
		durationMs: result.durationMs,
		attemptedAt: at.toISOString(),
		error: result.error && unreachable.has(result.error) ? "unreachable" : (result.error ?? null),
		request: { headers, body },
		responseBody: result.responseBody,
	};
}
