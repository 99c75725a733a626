/** Handing a document to its buyer once more, who may have come into the directory since. */
import { beforeAll, expect, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { issueTo, SIMULATED, untilDelivery } from "../support/buyer-deliveries";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const retry = (docId: string, headers: Record<string, string> = {}) =>
	fetch(`${service.url}/v1/invoices/${docId}/delivery/retry`, {
		method: "POST",
		headers: { ...tenant.headers, ...headers },
	});

/** Lists a taxpayer at the simulator, with an unused address. */
const list = (rnc: string) =>
	fetch(`${service.simulatorUrl}/_simulator/directory`, {
		method: "POST",
		body: JSON.stringify({
			...{ environment: "testecf", rnc, name: "NUEVA SRL" },
			...{ receptionUrl: "http://127.0.0.1:1/", approvalUrl: "http://127.0.0.1:1/", authenticationUrl: null },
		}),
	});

test("a delivery without a listed buyer is retried and finds a newly listed one", async () => {
	const rnc = "990000017";
	const docId = await issueTo(tenant, { rnc, name: "NUEVA SRL" });
	await untilDelivery(tenant, docId, "not-listed");
	expect((await list(rnc)).status).toBeLessThan(300);
	const key = { "idempotency-key": crypto.randomUUID() };
	const answer = await retry(docId, key);
	expect(answer.status).toBe(202);
	expect(answer.headers.get("location")).toBe(`/v1/invoices/${docId}/delivery`);
	const first = await answer.json();
	expect(first).toMatchObject({ docId, buyerRnc: rnc });
	const repeat = await retry(docId, key);
	expect([repeat.status, repeat.headers.get("idempotency-replayed"), await repeat.json()]).toEqual([
		200,
		"true",
		first,
	]);
	// An address inside is never called: it stays pending, with the reason.
	const pending = await untilDelivery(tenant, docId, "pending");
	expect(pending._links).not.toHaveProperty("retry");
	expect((await retry(docId)).status).toBe(200);
}, 180_000);

test("what has arrived stays as it is, and is answered 200: nothing has begun", async () => {
	const docId = await issueTo(tenant, SIMULATED);
	const before = await untilDelivery(tenant, docId, "delivered");
	const answer = await retry(docId);
	expect(answer.status).toBe(200);
	expect(await answer.json()).toEqual(before);
}, 180_000);
