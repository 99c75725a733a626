/** The older camelCase body, shown in the form that can be issued. */
import { beforeAll, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	get,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

type Converted = { invoice: Record<string, unknown> };

const convert = (body: unknown) => post(service, "/v1/tools/convert-legacy", tenant.headers, body);
const converted = async (body: unknown) => {
	const answer = await convert(body);
	expect(answer.status).toBe(200);
	return ((await answer.json()) as Converted).invoice;
};
const legacyBody = (over: Record<string, unknown> = {}) => ({
	...{ tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566", ecfType: "31", encf: buildInvoice(tenant).encf },
	...{ issueDate: "2026-11-20", buyer: { rnc: "131880681", name: "CLIENTE SRL" } },
	lines: [
		{ description: "Cemento", qty: 3, unitPrice: 33.335, taxRate: 18 },
		{ description: "Arena", qty: "1", unitPrice: "100.00" },
	],
	...{ subtotal: 200.01, tax: "36.00", grandTotal: 236.01 },
	...over,
});

test("members get canonical names, decimals become strings, the caller is the issuer", async () => {
	const { company } = buildInvoice(tenant);
	const body = legacyBody();
	expect(await converted(body)).toEqual({
		...{ type: "31", encf: body.encf, company, customer: { rnc: "131880681", name: "CLIENTE SRL" } },
		lines: [
			{
				...{ line_number: 1, description: "Cemento", quantity: "3", unit_price: "33.335" },
				...{ subtotal: "100.01", tax_rate: "18" },
			},
			{ line_number: 2, description: "Arena", quantity: "1", unit_price: "100.00", subtotal: "100.00" },
		],
		totals: { subtotal: "200.01", tax: "36.00", grand_total: "236.01" },
		issue_date: "2026-11-20",
	});
});

test("what comes out can be issued, and nothing has been issued before", async () => {
	const invoice = await converted(legacyBody({ issueDate: undefined }));
	const listed = await (await get(service, `/v1/invoices?encf=${invoice.encf}`, tenant.headers)).json();
	expect(listed).toMatchObject({ count: 0 });
	expect((await postInvoice(service, tenant, invoice)).status).toBe(202);
});

test("a numeric type is accepted, and a body without buyer has no customer", async () => {
	const invoice = await converted(legacyBody({ ecfType: 32, encf: "E320000000001", buyer: undefined }));
	expect(invoice).toMatchObject({ type: "32" });
	expect(invoice).not.toHaveProperty("customer");
});
