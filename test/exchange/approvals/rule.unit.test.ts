/** What a company's rule approves by its orders, and what it leaves to a person. */
import { beforeAll, expect, test } from "bun:test";
import type { ApprovalRecord } from "../../../src/exchange/approvals/approval";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { receive, strangers, WAIT_MS } from "./support/words";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	await put("/v1/approval-rule", { enabled: true, tolerance: "1.00" });
}, WAIT_MS);

async function put(path: string, body: unknown, { headers }: Tenant = tenant): Promise<void> {
	const request = {
		method: "PUT",
		headers: { "content-type": "application/json", ...headers },
		body: JSON.stringify(body),
	};
	const answer = await fetch(`${service.url}${path}`, request);
	if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

const issuer = "888888888";
let orders = 0;
async function openOrder(over: Record<string, unknown> = {}, buyer = tenant): Promise<string> {
	const number = `OC-${++orders}`;
	await put(`/v1/purchase-orders/${number}`, { issuer_rnc: issuer, amount: "1180.00", ...over }, buyer);
	return number;
}

/** The rule's decision on a document, after it has run. */
async function ruled(documentId: string, buyer = tenant): Promise<ApprovalRecord | undefined> {
	await until(async () => {
		const waiting = await service.sql`
			select 1 from outbox where subject = ${documentId} and kind = 'approval.rule'`;
		return waiting.length === 0;
	}, WAIT_MS);
	const list = await get(service, `/v1/approvals?docId=${documentId}`, buyer.headers);
	return ((await list.json()) as { items: ApprovalRecord[] }).items[0];
}
const readOrder = async (number: string) =>
	(await get(service, `/v1/purchase-orders/${number}`, tenant.headers)).json();

test(
	"an invoice on an open order is approved within the tolerance and uses the order",
	async () => {
		const orderNumber = await openOrder();
		const approved = await ruled(await receive(service, tenant, strangers({ total: "1180.99" }), { orderNumber }));
		expect(approved).toMatchObject({
			decision: "approved",
			reason: null,
			purchaseOrder: orderNumber,
			direction: "out",
		});
		expect(await readOrder(orderNumber)).toMatchObject({ status: "used", approvalId: approved?.approvalId });
		expect(await ruled(await receive(service, tenant, strangers(), { orderNumber }))).toBeUndefined();
		const audit = await get(service, `/v1/audit?target=${approved?.receivedDocumentId}`, tenant.headers);
		expect(await audit.json()).toMatchObject({ items: [{ details: { purchaseOrder: orderNumber } }] });

		const reusable = await openOrder({ reusable: true, amount: null });
		for (const total of ["1.00", "99999.00"]) {
			const document = await receive(service, tenant, strangers({ total }), { orderNumber: reusable });
			expect(await ruled(document)).toMatchObject({ decision: "approved", purchaseOrder: reusable });
		}
	},
	WAIT_MS,
);

test(
	"documents that do not match an open order wait for a person",
	async () => {
		const orderNumber = await openOrder();
		const closed = await openOrder({ status: "closed" });
		const left = [
			await receive(service, tenant, strangers({ issuerRnc: "131880681" }), { orderNumber }),
			await receive(service, tenant, strangers({ total: "1181.01" }), { orderNumber }),
			await receive(service, tenant, { ...strangers(), encf: `E34${5_000_000_001}` }, { orderNumber }),
			await receive(service, tenant, strangers(), { orderNumber: closed }),
			await receive(service, tenant, strangers(), { orderNumber: "never ordered" }),
			await receive(service, tenant, strangers(), { orderNumber, authorityStatus: "rejected" }),
		];
		for (const documentId of left) expect(await ruled(documentId)).toBeUndefined();
		expect(await readOrder(orderNumber)).toMatchObject({ status: "open", approvalId: null });

		const without = await createTenant(service);
		const number = await openOrder({}, without);
		expect(await ruled(await receive(service, without, strangers(), { orderNumber: number }), without)).toBeUndefined();
	},
	WAIT_MS,
);

test(
	"nothing is approved before its acceptance, and an order is used once",
	async () => {
		const orderNumber = await openOrder();
		const unknown = { orderNumber, authorityStatus: "unknown" as const };
		const both = [
			await receive(service, tenant, strangers(), unknown),
			await receive(service, tenant, strangers(), unknown),
		];
		expect(await service.sql`select 1 from approvals where received_document_id = any(${both})`).toHaveLength(0);
		await service.sql`update received_standings set authority_status = 'accepted' where document_id = any(${both})`;
		const words = await Promise.all(both.map((one) => ruled(one)));
		expect(words.filter((one) => one !== undefined)).toHaveLength(1);
		expect(await readOrder(orderNumber)).toMatchObject({ status: "used" });
	},
	WAIT_MS,
);
