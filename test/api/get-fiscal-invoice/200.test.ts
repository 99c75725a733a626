/** The validation status of type-31 documents. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { instant, tenantA, uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

test("an accepted document", async () => {
	const { docId, trackId, request, acknowledgement } = await documentOf("accepted");
	const answer = await get(service, `/v1/fiscal-invoices/${docId}`, tenant.headers);
	const { contingency: _, legend: __, ...print } = acknowledgement.print as Record<string, unknown>;
	expect(answer.status).toBe(200);
	expect(await answer.json()).toEqual({
		...{ id: docId, docId, trackId, type: "31", encf: request.encf, status: "accepted" },
		validation: {
			...{ schema: "passed", signature: "passed", arithmetic: "passed", authority: "accepted" },
			registry: { issuer: "ACTIVO", buyer: "ACTIVO", runId: expect.stringMatching(uuid) },
		},
		...{ company: request.company, customer: request.customer, totals: request.totals },
		...print,
		authority: expect.objectContaining({ code: "1", approvedAt: expect.stringMatching(instant) }),
		createdAt: acknowledgement.receivedAt,
		updatedAt: expect.stringMatching(instant),
		_links: {
			self: `/v1/fiscal-invoices/${docId}`,
			invoice: `/v1/invoices/${docId}`,
			xml: `/v1/invoices/${docId}/xml`,
			pdf: `/v1/invoices/${docId}/pdf`,
		},
	});
});

test.each([
	["conditional", "accepted", "conditional"],
	["rejected", "rejected", "rejected"],
	["failed", "failed", "failed"],
] as const)("a document that ended %s", async (state, status, authority) => {
	const { docId } = await documentOf(state);
	const answer = await get(service, `/v1/fiscal-invoices/${docId}`, tenant.headers);
	expect(await answer.json()).toMatchObject({ status, validation: { authority } });
});

const line = (over: Record<string, unknown>) => ({
	...{ line_number: 1, description: "Cemento", quantity: "1", unit_price: "100.00", subtotal: "100.00" },
	...over,
});
const totals = { subtotal: "100.00", tax: "18.00", grand_total: "118.00" };

test.each<[string, Record<string, unknown>, { schema: string; arithmetic: string }]>([
	["whose decimals were rounded", { totals, lines: [line({ subtotal: "100.001" })] }, passing()],
	["whose number is short", { totals, lines: [line({})], encf: "E3199900001" }, passing({ schema: "failed" })],
	["with a line off by a peso", { totals, lines: [line({ unit_price: "101.00" })] }, passing({ arithmetic: "failed" })],
	[
		"whose tax no rate explains",
		{ totals: { subtotal: "100.00", tax: "5.00", grand_total: "105.00" }, lines: [line({})] },
		passing({ arithmetic: "failed" }),
	],
	[
		"whose totals leave a discount out",
		{ totals, lines: [line({})], adjustments: [{ kind: "discount", description: "x", percent: "10" }] },
		passing({ arithmetic: "failed" }),
	],
	[
		"with more remarks than are shown, the last of them about a differing base",
		{
			lines: Array.from({ length: 120 }, (_, i) =>
				line({ line_number: i + 1, subtotal: "100.000001", tax_rate: "18" }),
			),
			adjustments: [
				{ kind: "discount", description: "x", amount: "400.00", percent: "5", tax_rate: "18" },
				{ kind: "surcharge", description: "x", amount: "400.00", percent: "5", tax_rate: "18" },
			],
			totals: { subtotal: "12000.00", tax: "2100.00", grand_total: "14100.00" },
		},
		passing({ arithmetic: "failed" }),
	],
])("a document %s says so", async (_, over, expected) => {
	const { docId, acknowledgement } = await documentOf("accepted", over);
	const answer = await get(service, `/v1/fiscal-invoices/${docId}`, tenant.headers);
	const { schema, arithmetic } = ((await answer.json()) as { validation: typeof expected }).validation;
	expect({ schema, arithmetic, warnings: acknowledgement.warnings }).toMatchObject(expected);
});

function passing(over: { schema?: string; arithmetic?: string } = {}) {
	return { schema: "passed", arithmetic: "passed", ...over };
}
