/** The webhooks in the document. */
import { beforeAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { createOpenApi, type OpenApiDocument } from "../../../src/api/openapi";
import { AnyEvent, EVENT_NAMES, EVENT_SCHEMAS, TestEventSchema } from "../../../src/events/catalogue";
import { toDeliveryHeaders } from "../../../src/events/webhooks";
import { keyOperations } from "../../../src/identity/auth/keys/routes";
import { BASE_URL, declaredOperations } from "../support/declared-operations";

let document: OpenApiDocument;
beforeAll(async () => {
	document = JSON.parse(JSON.stringify(await createOpenApi(declaredOperations(), { baseUrl: BASE_URL })));
});

const names = [...EVENT_NAMES];
const kept = names.filter((name) => name !== "webhook.test");

function mediaOf(name: string) {
	const media = document.webhooks?.[name]?.post.requestBody.content["application/json"];
	if (!media) throw new Error(`the document has no ${name}`);
	return media;
}

function exampleOf(name: string, example: string): unknown {
	const found = mediaOf(name).examples?.[example];
	return found && "value" in found ? found.value : undefined;
}

test("every event is a webhook with its own operation id", () => {
	expect(Object.keys(document.webhooks ?? {})).toEqual(names);
	const ids = Object.values(document.webhooks ?? {}).map(({ post }) => post.operationId);
	const others = Object.values(document.paths).flatMap((methods) =>
		Object.values(methods).map((one) => one.operationId),
	);
	expect(new Set([...ids, ...others]).size).toBe(ids.length + others.length);
});

test.each(kept)("the body of %s is a named schema, or that of a play, and both examples fit", (name) => {
	const { $id } = EVENT_SCHEMAS[name];
	expect(mediaOf(name).schema).toEqual({
		anyOf: [{ $ref: `#/components/schemas/${$id}` }, { $ref: "#/components/schemas/TestEvent" }],
	});
	expect([...Value.Errors(EVENT_SCHEMAS[name], exampleOf(name, "sent"))]).toEqual([]);
	expect(exampleOf(name, "sent")).toHaveProperty("event", name);
	expect([...Value.Errors(TestEventSchema, exampleOf(name, "played"))]).toEqual([]);
});

test("webhook.test has the test body only", () => {
	expect(mediaOf("webhook.test").schema).toEqual({ $ref: "#/components/schemas/TestEvent" });
	expect(Value.Check(TestEventSchema, exampleOf("webhook.test", "played"))).toBe(true);
});

test("an example matches the schema of its own event only", () => {
	for (const name of kept) {
		const fitting = kept.filter((other) => Value.Check(EVENT_SCHEMAS[other], exampleOf(name, "sent")));
		expect(fitting).toEqual([name]);
		expect(Value.Check(AnyEvent, exampleOf(name, "sent"))).toBe(true);
	}
});

test("the events of the feed have the same schemas, with an id", () => {
	const { ListEventsAnswer, WebhookEvent } = document.components.schemas;
	expect(ListEventsAnswer).toMatchObject({
		properties: {
			events: { items: { allOf: [{ required: ["id", "sequence"] }, { $ref: "#/components/schemas/WebhookEvent" }] } },
		},
	});
	const references = kept.map((name) => `#/components/schemas/${EVENT_SCHEMAS[name].$id}`);
	expect(WebhookEvent).toMatchObject({
		anyOf: references.map(($ref) => ({ $ref })),
	});
	for (const reference of references) {
		expect(document.components.schemas).toHaveProperty([reference.replace("#/components/schemas/", "")]);
	}
});

test("the declared headers are those that are sent", () => {
	const sent = toDeliveryHeaders({
		...{
			secrets: { main: "whsec_AAECAw==", next: "whsec_BAUGBw==" },
			deliveryId: "0192f121",
			event: "invoice.accepted",
		},
		...{ body: Buffer.from("{}"), attempt: 1, at: new Date() },
	});
	const found = document.components.parameters ?? {};
	expect(["Content-Type", ...Object.keys(found)].sort()).toEqual(Object.keys(sent).sort());
	for (const [name, parameter] of Object.entries(found)) {
		expect(parameter).toMatchObject({ name, in: "header", required: name !== "X-Service-Signature-Next" });
	}
	for (const { post } of Object.values(document.webhooks ?? {})) {
		expect(post.parameters).toEqual(Object.keys(found).map((name) => ({ $ref: `#/components/parameters/${name}` })));
	}
});

test("a service that issues nothing declares no webhooks", async () => {
	const described = await createOpenApi(keyOperations({} as Parameters<typeof keyOperations>[0]), {
		baseUrl: BASE_URL,
	});
	expect(described).not.toHaveProperty("webhooks");
	expect(described.components).not.toHaveProperty("parameters");
});
