/** An accepted document gets to a buyer that the authority lists, and the tenant sees how. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { issueTo, ON_PAPER, SIMULATED, untilDelivery } from "../support/buyer-deliveries";
import { findLeaks } from "../support/problem";
import { instant, tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const readStatus = (docId: string, headers: Record<string, string> = {}) =>
	get(service, `/v1/invoices/${docId}/status`, { ...tenant.headers, ...headers });

test("a listed buyer gets it: attempts, acknowledgement, event, status member", async () => {
	const docId = await issueTo(tenant, SIMULATED);
	const body = await untilDelivery(tenant, docId, "delivered");
	const self = `/v1/invoices/${docId}/delivery`;
	expect(body).toMatchObject({
		...{ docId, state: "delivered", buyerRnc: SIMULATED.rnc, motive: null, detail: null },
		acknowledgement: {
			...{ state: "received", motive: null, signer: expect.stringContaining("FIRMANTE SIMULADO") },
			...{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), receivedAt: expect.stringMatching(instant) },
		},
		_links: { self, invoice: `/v1/invoices/${docId}`, acknowledgement: `${self}/arecf` },
	});
	expect(body.attempts.at(-1)).toMatchObject({
		...{ at: expect.stringMatching(instant), host: new URL(service.simulatorUrl).host },
		...{ result: "delivered", httpStatus: 200, detail: null },
	});
	expect(findLeaks(JSON.stringify(body))).toEqual([]);

	const status = await readStatus(docId);
	const etag = status.headers.get("etag") ?? "";
	expect(etag).toMatch(/^"v\d+-d\d+"$/);
	expect(await status.json()).toMatchObject({
		status: "accepted",
		delivery: { state: "delivered", at: expect.stringMatching(instant), motive: null },
		_links: { delivery: self },
	});
	expect((await readStatus(docId, { "if-none-match": etag })).status).toBe(304);
	expect((await readStatus(docId, { "if-none-match": etag.replace(/-d\d+/, "") })).status).toBe(200);

	const events = (await (
		await get(service, "/v1/events?types=invoice.delivered&limit=100", tenant.headers)
	).json()) as {
		events: { docId: string }[];
	};
	expect(events.events.filter((one) => one.docId === docId)).toMatchObject([
		{ event: "invoice.delivered", status: "accepted", delivery: { state: "delivered", buyerRnc: SIMULATED.rnc } },
	]);
}, 180_000);

test("an unlisted buyer gets nothing, and the status has no delivery", async () => {
	const docId = await issueTo(tenant, ON_PAPER);
	const body = await untilDelivery(tenant, docId, "not-listed");
	expect(body).toMatchObject({ attempts: [], acknowledgement: null, _links: { retry: expect.any(String) } });
	const status = await readStatus(docId);
	expect(status.headers.get("etag")).toMatch(/^"v\d+"$/);
	expect(await status.json()).not.toHaveProperty("delivery");
}, 180_000);
