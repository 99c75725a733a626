import { expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	get,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	untilDecided,
} from "../support/service";
import { orderFaults } from "./follow";

test("a reissued number never gets the earlier document's verdict", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const first = buildInvoice(tenant, { customer: { rnc: "000000007", name: "NUMERO NO CONSUMIDO" } });
	const refused = (await (await postInvoice(service, tenant, first)).json()) as { docId: string };
	const rejected = await untilDecided(service, tenant, refused.docId);
	expect(rejected).toMatchObject({ status: "rejected", reissue: { allowed: true, encf: "same" } });

	await orderFaults(service.simulatorUrl, { operation: "receive", mode: "reset-before", count: 1 });
	const second = buildInvoice(tenant, { encf: first.encf });
	const answer = await postInvoice(service, tenant, second);
	expect(answer.status).toBe(202);
	const { docId } = (await answer.json()) as { docId: string };
	const accepted = await untilDecided(service, tenant, docId);
	const trackIdOf = (status: Record<string, unknown>) => (status.authority as { trackId: string }).trackId;
	expect(accepted.status).toBe("accepted");
	expect(trackIdOf(accepted)).not.toBe(trackIdOf(rejected));
	expect(await readStatus(tenant, refused.docId)).toMatchObject({ reissue: { allowed: true, encf: "new" } });
});

test("a number that was given back and then voided is not offered again", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const refused = buildInvoice(tenant, { customer: { rnc: "000000007", name: "NUMERO NO CONSUMIDO" } });
	const { docId } = (await (await postInvoice(service, tenant, refused)).json()) as { docId: string };
	expect(await untilDecided(service, tenant, docId)).toMatchObject({ reissue: { encf: "same" } });
	const path = `/v1/invoices/${docId}/status`;
	const etag = (await get(service, path, tenant.headers)).headers.get("etag") ?? "";
	const range = { type: "31", from: refused.encf, to: refused.encf, reason: "Rechazado" };
	expect((await post(service, "/v1/sequences/void", tenant.headers, range)).status).toBe(202);
	const again = await get(service, path, { ...tenant.headers, "if-none-match": etag });
	expect([again.status, await again.json()]).toMatchObject([200, { reissue: { allowed: true, encf: "new" } }]);
});

async function readStatus(tenant: Tenant, docId: string): Promise<unknown> {
	return (await get(await sharedService(), `/v1/invoices/${docId}/status`, tenant.headers)).json();
}
