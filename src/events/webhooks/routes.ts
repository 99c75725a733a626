/** The operations on webhooks: the test event and the delivery log; those on the endpoints themselves are theirs. */
import {
	JSON_BYTES_MAX,
	json,
	NEEDS_BEARER,
	type Operation,
	readJson,
	readQuery,
	tenantOf,
} from "../../platform/operation";
import { type FeedDeps, feedOperations } from "../feed/routes";
import { type DeliveriesDeps, deliveryOperations } from "./deliveries/routes";
import { sendTestEvent, TestEventAnswer, type TestEventDeps, TestEventRequest } from "./test-event";

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

export function webhookOperations(deps: TestEventDeps & DeliveriesDeps & FeedDeps): Operation[] {
	return [
		...deliveryOperations(deps),
		...feedOperations(deps),
		{
			id: "testWebhook",
			method: "POST",
			path: "/v1/webhooks/test",
			tag: "Webhooks",
			summary: "Send a test event",
			description:
				"Sends one signed request to each enabled webhook of the company, waits for the answers and shows them with what was " +
				"sent. 200 says that the attempts were made; `delivered` says which arrived. Nothing is retried or kept. The body has " +
				'the five members of every event and `"test": true`; its `docId` and `trackId` name nothing.',
			credentials: NEEDS_BEARER,
			scope: "webhooks:test",
			limit: "webhook-test",
			body: {
				schema: TestEventRequest,
				limitBytes: JSON_BYTES_MAX,
				required: false,
				mediaTypes: ["application/json"],
				example: { event: "invoice.rejected", webhookId: "0192f0a2-1111-7222-8333-444455556666" },
			},
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
