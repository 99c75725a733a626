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

test("a document that was issued again names its replacement, and is issued again once", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const issue = async (over: Record<string, unknown>) => {
		const answer = await postInvoice(service, tenant, buildInvoice(tenant, over));
		const { docId, encf } = (await answer.json()) as { docId: string; encf: string };
		await untilDecided(service, tenant, docId);
		return { docId, encf };
	};
	const read = async (docId: string, etag = "") => {
		const headers = { ...tenant.headers, "if-none-match": etag };
		const answer = await get(service, `/v1/invoices/${docId}`, headers);
		const { replacedBy } = answer.status === 304 ? {} : ((await answer.json()) as { replacedBy?: unknown });
		return { status: answer.status, etag: answer.headers.get("etag") ?? "", replacedBy };
	};
	const refused = await issue({ customer: { rnc: "000000002", name: "CLIENTE SRL" } });
	const before = await read(refused.docId);
	expect(before.replacedBy).toBeNull();
	const replacement = await issue({ client_request_id: `reissue-${refused.docId}` });
	const after = await read(refused.docId, before.etag);
	expect(after).toMatchObject({ status: 200, replacedBy: replacement });
	expect((await read(refused.docId, after.etag)).status).toBe(304);
	expect((await read(replacement.docId)).replacedBy).toBeNull();
	const draft = await get(service, `/v1/invoices/${refused.docId}/draft?as=reissue`, tenant.headers);
	expect([draft.status, await draft.json()]).toMatchObject([
		400,
		{ errors: [{ code: "already-reissued", detail: `It was issued again as ${replacement.encf}.` }] },
	]);

	const returned = await issue({ customer: { rnc: "000000007", name: "NUMERO NO CONSUMIDO" } });
	expect((await read(returned.docId)).replacedBy).toBeNull();
	const same = await issue({ encf: returned.encf });
	expect((await read(returned.docId)).replacedBy).toEqual(same);
});

async function readStatus(tenant: Tenant, docId: string): Promise<unknown> {
	return (await get(await sharedService(), `/v1/invoices/${docId}/status`, tenant.headers)).json();
}
