import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const put = (path: string, body: unknown, { headers }: Tenant = tenant) =>
	fetch(`${service.url}${path}`, {
		method: "PUT",
		headers: { "content-type": "application/json", ...headers },
		body: JSON.stringify(body),
	});
const order = { issuer_rnc: "101-01010-1", amount: "1180.00" };

test("an order is registered, read, changed and listed under its number", async () => {
	const made = await put("/v1/purchase-orders/OC%2F55%2021", order);
	expect([made.status, made.headers.get("location")]).toEqual([201, "/v1/purchase-orders/OC%2F55%2021"]);
	const shown = { number: "OC/55 21", issuer_rnc: "101010101", amount: "1180.00", reusable: false, status: "open" };
	expect(await made.json()).toMatchObject({ ...shown, approvalId: null });
	const closed = await put("/v1/purchase-orders/OC%2F55%2021", { ...order, status: "closed" });
	expect([closed.status, await closed.json()]).toMatchObject([200, { status: "closed" }]);
	const kept = await put("/v1/purchase-orders/OC%2F55%2021", { ...order, amount: null, reusable: true });
	expect(await kept.json()).toMatchObject({ status: "closed", amount: null, reusable: true });
	const read = await get(service, "/v1/purchase-orders/OC%2F55%2021", tenant.headers);
	expect(await read.json()).toMatchObject({ status: "closed", amount: null });
	await put("/v1/purchase-orders/7", order);
	const list = async (query: string) => (await get(service, `/v1/purchase-orders${query}`, tenant.headers)).json();
	expect(await list("?limit=1")).toMatchObject({ items: [{ number: "7" }], partial: true, next: "7" });
	expect(await list("?after=7")).toMatchObject({ items: [{ number: "OC/55 21" }], partial: false, next: null });
	expect(await list("?status=open")).toMatchObject({ count: 1 });
});

test("changes of an order are audited, and PUT replaces all members", async () => {
	const audited = async () =>
		(await get(service, "/v1/audit?target=OC-77&action=purchase-order.put", tenant.headers)).json() as Promise<{
			items: { changed: string[]; details: object; actor: { kind: string } }[];
		}>;
	await put("/v1/purchase-orders/OC-77", order);
	await put("/v1/purchase-orders/OC-77", order);
	await put("/v1/purchase-orders/OC-77", { ...order, reusable: true, status: "closed" });
	const bare = await put("/v1/purchase-orders/OC-77", { issuer_rnc: order.issuer_rnc });
	expect(await bare.json()).toMatchObject({ amount: null, reusable: false, status: "closed" });
	expect((await audited()).items).toMatchObject([
		{ changed: ["amount", "reusable"], details: { isNew: false } },
		{ changed: ["reusable", "status"], details: { isNew: false } },
		{ changed: ["issuer_rnc", "amount", "reusable", "status"], details: { isNew: true }, actor: { kind: "client" } },
	]);
});

test("a company's rule is disabled by default", async () => {
	const read = async () => (await get(service, "/v1/approval-rule", tenant.headers)).json();
	expect(await read()).toEqual({ enabled: false, tolerance: "0.00", updatedAt: null });
	expect((await put("/v1/approval-rule", { enabled: true, tolerance: "1.5" })).status).toBe(200);
	expect(await read()).toMatchObject({ enabled: true, tolerance: "1.50" });
	await expectProblem(put("/v1/approval-rule", { enabled: "yes" }), 400, "validation-error", ["/enabled wrong-type"]);
	const audit = await get(service, `/v1/audit?target=${tenant.tenantId}&action=approval-rule.put`, tenant.headers);
	expect(await audit.json()).toMatchObject({ items: [{ changed: ["enabled", "tolerance"] }] });
});
