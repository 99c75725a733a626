import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { act, beginSet, stallSet } from "../support/test-sets";

test("an active set is cancelled with one event and makes room for the next", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { id, _links } = await stallSet(tenant, "submitting");
	for (let n = 0; n < 2; n++) {
		const answer = await act(tenant, _links.self, "cancel");
		expect(answer.status).toBe(200);
		expect(await answer.json()).toMatchObject({ status: "cancelled", failure: null });
	}
	const events = await service.sql`select 1 from events where doc_id = ${id} and event = 'certification.completed'`;
	expect(events).toHaveLength(1);
	await beginSet(tenant, { types: ["44"] });
});

test("who begins, cancels and retries sets is in the audit, once for each", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const active = await stallSet(tenant, "submitting");
	for (let n = 0; n < 2; n++) await act(tenant, active._links.self, "cancel");
	const failed = await stallSet(tenant, "failed");
	expect((await act(tenant, failed._links.self, "retry")).status).toBe(202);
	const answer = await get(service, "/v1/audit?action=test-set.*", tenant.headers);
	const by = { tenantId: tenant.tenantId, actor: { kind: "client", clientId: tenant.clientId } };
	const began = { ...by, action: "test-set.create", details: { mode: "simulate", types: "31" } };
	expect((await answer.json()) as object).toMatchObject({
		items: [
			{ ...by, target: failed.id, action: "test-set.retry", details: { run: 2 } },
			{ ...began, target: failed.id },
			{ ...by, target: active.id, action: "test-set.cancel", details: { run: 1 } },
			{ ...began, target: active.id },
		],
	});
});
