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
	expect(answer.status).toBe(200);
	expect(await answer.json()).toEqual({
		...{ id: docId, docId, trackId, type: "31", encf: request.encf, status: "accepted" },
		validation: {
			...{ schema: "passed", signature: "passed", arithmetic: "passed", authority: "accepted" },
			registry: { issuer: "ACTIVO", buyer: "ACTIVO", runId: expect.stringMatching(uuid) },
		},
		...{ company: request.company, customer: request.customer, totals: request.totals },
		...(acknowledgement.print as object),
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
