/** Webhooks in the document: one request for each event, with its headers and the schema of its body. Source: OpenAPI 3.1.0, 4.8.1. */
import type { TSchema } from "@sinclair/typebox";
import { EVENTS, type EventDefinition, exampleTest, TestEventSchema } from "../../events/catalogue";
import type { MediaType, ParameterObject, WebhookObject } from "./document";
import { referTo, type SchemaWriter } from "./plain-schema";

const TAG = "Webhooks";

function header(name: string, description: string, example: string, required = true): [string, ParameterObject] {
	return [name, { name, in: "header", required, description, schema: { type: "string" }, example }];
}

/** By name, without common HTTP headers such as `Content-Type`. */
export const deliveryHeaders: Readonly<Record<string, ParameterObject>> = Object.fromEntries([
	header("X-Service-Event", "The `event` of the body.", "invoice.accepted"),
	header(
		"X-Service-Signature",
		"`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `t`, a dot and the raw body, with the whole secret as key. Reject requests older than 300 seconds.",
		"t=1795185000,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
	),
	header(
		"X-Service-Signature-Next",
		"The same with the new secret, during a rotation.",
		"t=1795185000,v1=0a57a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
		false,
	),
	header(
		"X-Service-Delivery",
		"The same in all attempts. Store it and process each delivery once.",
		"0192f121-7a00-7b11-9c22-334455667788",
	),
	header("X-Service-Attempt", "1 for the first attempt.", "1"),
	header("webhook-id", "Standard Webhooks: same as `X-Service-Delivery`.", "0192f121-7a00-7b11-9c22-334455667788"),
	header("webhook-timestamp", "Standard Webhooks: Unix time in seconds.", "1795185000"),
	header(
		"webhook-signature",
		"Standard Webhooks: `v1,<base64>` over id, time and body. During a rotation there are two, separated by a space.",
		"v1,UlepaefuzuvaMq/6Ys3KP6UcrX56Dlb/U20M6OEI2L0=",
	),
	header("User-Agent", "Identifies the sender.", "ecf-webhooks/1"),
]);

const RESPONSES: WebhookObject["responses"] = {
	"2XX": { description: "Delivered, if the answer comes within 10 seconds. Its body is ignored." },
	410: { description: "Gone: the webhook is disabled at once." },
	default: {
		description:
			"Not delivered; redirects too. The delivery is retried after 1, 4, 16, 64 and 256 seconds and then becomes a dead letter. `Retry-After` is honoured for 429 and 503.",
	},
};

/** By event name. Adds the schemas to the writer. */
export function describeWebhooks(writer: SchemaWriter): Record<string, { readonly post: WebhookObject }> {
	return Object.fromEntries(EVENTS.map((event) => [event.name, { post: describe(event, writer) }]));
}

function describe(event: EventDefinition, writer: SchemaWriter): WebhookObject {
	const { name, sentWhen } = event;
	return {
		operationId: `on${toTitle(name)}`,
		tags: [TAG],
		summary: `\`${name}\``,
		description: sentWhen ?? "You can subscribe to it; it is not sent yet.",
		security: [],
		parameters: Object.keys(deliveryHeaders).map((one) => ({ $ref: `#/components/parameters/${one}` })),
		requestBody: { required: true, content: { "application/json": toBody(event, writer) } },
		responses: RESPONSES,
	};
}

function toBody({ name, schema, example, keptDays }: EventDefinition, writer: SchemaWriter): MediaType {
	const played = { summary: "Test event of `POST /v1/webhooks/test`", value: exampleTest(name) };
	const test = refer(TestEventSchema, writer);
	if (keptDays === 0) return { schema: test, examples: { played } };
	const sent = { summary: "Live event", value: example };
	return { schema: { anyOf: [refer(schema, writer), test] }, examples: { sent, played } };
}

function refer(schema: TSchema, writer: SchemaWriter) {
	const name = String(schema.$id);
	writer.add(name, schema);
	return referTo(name);
}

function toTitle(event: string): string {
	return event
		.split(/[._]/)
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join("");
}
