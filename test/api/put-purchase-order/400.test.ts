import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
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

test("an invalid order is refused", async () => {
	await expectProblem(put("/v1/purchase-orders/5", { issuer_rnc: "12" }), 400, "validation-error", [
		"/issuer_rnc invalid-rnc",
	]);
	await expectProblem(put(`/v1/purchase-orders/${"5".repeat(21)}`, order), 400, "validation-error", [
		"#/path/number invalid-format",
	]);
	await expectProblem(put("/v1/purchase-orders/5", { ...order, amount: "1.005", x: 1 }), 400, "validation-error", [
		...["/amount decimal-form", "/x unknown-field"],
	]);
});
