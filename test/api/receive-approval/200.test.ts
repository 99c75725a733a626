import { beforeAll, expect, test } from "bun:test";
import { sendAcecf, signedAcecf } from "../../exchange/approvals/support/peers";
import { type Sold, sell, WAIT_MS } from "../../exchange/approvals/support/words";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

const BUYER = "131880681";

let service: TestService;
let seller: Tenant;
beforeAll(async () => {
	service = await sharedService();
	seller = await createTenant(service, { webhook: false });
}, WAIT_MS);

const list = async (sold: Sold) => {
	const answer = await get(service, `/v1/approvals?direction=in&docId=${sold.docId}`, seller.headers);
	return (await answer.json()) as { count: number; items: Record<string, unknown>[] };
};
const eventsOf = async (sold: Sold) => {
	const feed = await get(service, "/v1/events?types=approval.received", seller.headers);
	const { events } = (await feed.json()) as { events: Record<string, unknown>[] };
	return events.filter(({ docId }) => docId === sold.docId);
};
const readInvoice = async (sold: Sold) => get(service, `/v1/invoices/${sold.docId}`, seller.headers);

test("a buyer's approval is stored as received, sent as an event, and shown", async () => {
	const sold = await sell(service, seller, BUYER);
	const before = await readInvoice(sold);
	expect(await before.json()).toMatchObject({ approval: null });
	const xml = signedAcecf(sold, { state: "2", reason: "Cantidad &lt; orden 5521" });
	const answer = await sendAcecf(service, xml);
	expect([answer.status, await answer.text()]).toEqual([200, ""]);

	const { items } = await list(sold);
	const reason = "Cantidad < orden 5521";
	const decidedAt = "2026-11-21T12:00:00.000Z";
	expect(items).toMatchObject([
		{
			...{
				direction: "in",
				docId: sold.docId,
				receivedDocumentId: null,
				encf: sold.encf,
				decision: "rejected",
				reason,
			},
			...{ status: "received", delivery: null, deliveries: [], decidedAt, issuerRnc: seller.rnc, buyerRnc: BUYER },
		},
	]);
	const approvalId = String(items[0]?.approvalId);
	expect(await (await get(service, `/v1/approvals/${approvalId}/xml`, seller.headers)).text()).toBe(xml);
	expect(await eventsOf(sold)).toMatchObject([
		{ event: "approval.received", encf: sold.encf, approval: { id: approvalId, decision: "rejected", reason } },
	]);
	const after = await readInvoice(sold);
	expect(await after.json()).toMatchObject({ approval: { approvalId, decision: "rejected", reason, decidedAt } });
	expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
}, 120_000);

test("the same decision again succeeds without effect, another one is refused", async () => {
	const sold = await sell(service, seller, BUYER);
	expect((await sendAcecf(service, signedAcecf(sold))).status).toBe(200);
	const first = await list(sold);
	expect((await sendAcecf(service, signedAcecf(sold))).status).toBe(200);
	const later = (text: string) => text.replace("08:00:00", "09:30:00");
	expect((await sendAcecf(service, signedAcecf(sold, { edit: later }))).status).toBe(200);
	await expectProblem(sendAcecf(service, signedAcecf(sold, { state: "2" })), 400, "validation-error", ["/xml decided"]);
	expect(await list(sold)).toEqual(first);
	expect(await eventsOf(sold)).toHaveLength(1);
}, 120_000);

test("it is accepted in the authority's own form, in any case of the path", async () => {
	const sold = await sell(service, seller, BUYER);
	const declarations =
		' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
	const edit = (text: string) => text.replace("<MontoTotal>5310.00", "<MontoTotal>5310");
	const xml = `<?xml version="1.0"?>${signedAcecf(sold, { declarations, edit })}`;
	const headers = "Content-Disposition: form-data; name=xml; filename=a.xml; filename*=utf-8''a.xml";
	const answer = await sendAcecf(service, xml, {
		headers,
		path: "/FE/AprobacionComercial/Api/eCF",
		accept: "text/html",
	});
	expect([answer.status, await answer.text()]).toEqual([200, ""]);
}, 120_000);
