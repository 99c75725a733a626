import { expect, test } from "bun:test";
import { buildInvoice, createTenant, postInvoice, sharedService, untilDecided } from "../support/service";
import { orderFaults } from "./follow";

test("a number that was given back never brings the earlier document's verdict, even when its own sending is in doubt", async () => {
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
});
