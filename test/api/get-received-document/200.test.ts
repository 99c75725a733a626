import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { until } from "../../support/until";
import { type ReceivedBody, receivedBy } from "../support/received";
import { tenantA } from "../support/tenants";

test("a document is shown as received, with the authority's current status", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	const { record } = await receivedBy(tenant);
	let shown: ReceivedBody | undefined;
	// The authority has never seen it.
	await until(async () => {
		const answer = await get(service, `/v1/received-documents/${record.id}`, tenant.headers);
		shown = (await answer.json()) as ReceivedBody;
		return shown.authorityStatus === "not_found";
	}, 120_000);
	expect(shown).toEqual({ ...record, authorityStatus: "not_found" });
});
