import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { findCompany } from "../../src/companies";
import { verifySignature, webhookOperations } from "../../src/events/webhooks";
import { TestEventAnswer } from "../../src/events/webhooks/routes";
import { type Call, checkSchema, type Principal } from "../../src/platform/operation";
import { Problem } from "../../src/platform/problem";
import { newId, systemClock } from "../../src/platform/values";
import { type Receiver, startReceiver } from "../events/webhooks/receiver";
import { addEndpoint, addTenant, envelope } from "../events/webhooks/tenant";
import { openTestDatabase, type TestDatabase } from "../support/database";

let database: TestDatabase;
let receiver: Receiver;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	receiver = await startReceiver();
});
afterEach(() => receiver.close());

function operation() {
	const found = webhookOperations({
		wake: () => undefined,
		findCompany: (tenantId) => findCompany(database.sql, tenantId),
		sql: database.sql,
		envelope,
		policy: { environment: "sandbox", allow: new Set([receiver.host]) },
		clock: systemClock,
		limits: { totalTimeoutMs: 300 },
	});
	const test = found.find(({ id }) => id === "testWebhook");
	if (!test) throw new Error("the operation is not there");
	return test;
}

async function post(tenantId: string, body?: unknown): Promise<{ status: number; body: TestEventAnswer }> {
	const request = new Request("http://localhost/v1/webhooks/test", {
		method: "POST",
		...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
	});
	const principal: Principal = { environment: "sandbox", plan: "free", ownerId: newId(), tenantId, scopes: new Set() };
	const call: Call = {
		request,
		url: new URL(request.url),
		requestId: newId(),
		remoteAddress: "",
		params: {},
		principal,
		operation: operation(),
	};
	const answer = await call.operation.handle(call);
	return { status: answer.status, body: (await answer.json()) as TestEventAnswer };
}

async function refusal(work: Promise<unknown>): Promise<Problem> {
	const error = await work.then(
		() => undefined,
		(e: unknown) => e,
	);
	if (!(error instanceof Problem)) throw new Error(`expected a problem, got ${error}`);
	return error;
}

test("a test event goes to every enabled endpoint; the answer shows all attempts", async () => {
	const tenantId = await addTenant(database.sql);
	const { id, secret } = await addEndpoint(database.sql, tenantId, receiver.url, ["invoice.rejected"]);
	const disabled = await addEndpoint(database.sql, tenantId, receiver.url);
	await database.sql`update webhook_endpoints set status = 'disabled' where id = ${disabled.id}`;
	receiver.secret = secret;
	receiver.answer = () => (response) => response.writeHead(200).end("thanks");

	const { status, body } = await post(tenantId);
	expect(status).toBe(200);
	expect(checkSchema(TestEventAnswer, body)).toEqual([]);
	expect(body).toMatchObject({ delivered: 1, failed: 0 });
	const [delivery] = body.deliveries;
	expect(delivery).toMatchObject({
		webhookId: id,
		url: receiver.url,
		event: "webhook.test",
		delivered: true,
		responseStatus: 200,
		error: null,
		responseBody: "thanks",
	});
	const { headers, body: sent } = delivery?.request ?? { headers: {}, body: "" };
	expect(verifySignature(secret, headers["X-Service-Signature"] ?? "", Buffer.from(sent), Date.now() / 1000)).toBe(
		true,
	);
	expect(receiver.received).toHaveLength(1);
	expect(receiver.received[0]?.verified).toBe(true);
	expect(receiver.received[0]?.body.toString()).toBe(sent);
	expect(receiver.received[0]?.headers["x-service-delivery"]).toBe(delivery?.deliveryId);

	const members = JSON.parse(sent);
	expect(Object.keys(members)).toEqual(["event", "docId", "trackId", "tenantId", "occurredAt", "test"]);
	expect(members).toMatchObject({ event: "webhook.test", tenantId, test: true });
	expect(
		Object.values(members)
			.slice(0, 5)
			.every((value) => typeof value === "string"),
	).toBe(true);
});

test("an endpoint that fails is still an answer of 200, tried once and kept nowhere", async () => {
	const tenantId = await addTenant(database.sql);
	await addEndpoint(database.sql, tenantId, receiver.url);
	await addEndpoint(database.sql, tenantId, "http://127.0.0.1:1/private");
	receiver.answer = () => () => undefined;
	const { status, body } = await post(tenantId);
	expect(status).toBe(200);
	expect(body).toMatchObject({
		delivered: 0,
		failed: 2,
		deliveries: [
			{ delivered: false, responseStatus: null, error: "timeout" },
			{ delivered: false, responseStatus: null, error: "unreachable" },
		],
	});
	expect(receiver.received).toHaveLength(1);
	for (const table of ["events", "deliveries", "outbox"]) {
		expect(await database.sql`select 1 from ${database.sql(table)}`).toHaveLength(0);
	}
});

test("the event can be played as another, to one endpoint, even a disabled one", async () => {
	const tenantId = await addTenant(database.sql);
	await addEndpoint(database.sql, tenantId, receiver.url);
	const chosen = await addEndpoint(database.sql, tenantId, receiver.url);
	await database.sql`update webhook_endpoints set status = 'disabled' where id = ${chosen.id}`;
	receiver.secret = chosen.secret;
	const { body } = await post(tenantId, { event: "invoice.rejected", webhookId: chosen.id });
	expect(body).toMatchObject({ deliveries: [{ webhookId: chosen.id, event: "invoice.rejected" }], delivered: 1 });
	expect(receiver.received).toHaveLength(1);
	expect(receiver.received[0]).toMatchObject({ verified: true, headers: { "x-service-event": "invoice.rejected" } });
});

test("a company without a usable webhook gets an error", async () => {
	const tenantId = await addTenant(database.sql);
	expect((await refusal(post(tenantId))).slug).toBe("webhook-not-configured");
	const { id } = await addEndpoint(database.sql, tenantId, receiver.url);
	await database.sql`update webhook_endpoints set status = 'disabled' where id = ${id}`;
	expect((await refusal(post(tenantId))).slug).toBe("webhook-not-configured");
	const foreign = await addTenant(database.sql);
	await addEndpoint(database.sql, foreign, receiver.url);
	expect((await refusal(post(foreign, { webhookId: id }))).slug).toBe("not-found");
	const demo = await addTenant(database.sql, { environment: "public-sandbox", plan: "demo" });
	await addEndpoint(database.sql, demo, receiver.url);
	expect(String((await refusal(post(demo))).detail)).toContain("public sandbox");
	expect(receiver.received).toHaveLength(0);
});

test("a body with unknown members or events is refused with every fault", async () => {
	const tenantId = await addTenant(database.sql);
	const problem = await refusal(post(tenantId, { event: "invoice.paid", webhook: "x" }));
	expect(problem.slug).toBe("validation-error");
	expect(problem.faults.map((fault) => [fault.pointer, fault.code]).sort()).toEqual([
		["/event", "not-in-list"],
		["/webhook", "unknown-field"],
	]);
});

test("the operation needs a token with its own scope, and its example fits the schema", () => {
	const { credentials, scope, path, method, answers } = operation();
	expect({ credentials, scope, path, method }).toEqual({
		credentials: { key: "optional", bearer: "required" },
		scope: "webhooks:test",
		path: "/v1/webhooks/test",
		method: "POST",
	});
	expect(checkSchema(TestEventAnswer, answers[200]?.example)).toEqual([]);
});
