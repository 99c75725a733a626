import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { receivedBy } from "../support/received";
import { tenantA } from "../support/tenants";

test("the exact received bytes, their digest twice, and 304", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	const { record, xml } = await receivedBy(tenant);
	const path = `/v1/received-documents/${record.id}/xml`;
	const answer = await get(service, path, tenant.headers);
	expect(await answer.text()).toBe(xml);
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		"content-type": "application/xml; charset=utf-8",
		"content-disposition": `attachment; filename="101010101${record.encf}.xml"`,
		etag: `"${record.sha256}"`,
		"repr-digest": `sha-256=:${Buffer.from(record.sha256, "hex").toString("base64")}:`,
	});
	const again = await get(service, path, { ...tenant.headers, "if-none-match": `"${record.sha256}"` });
	expect([again.status, await again.text()]).toEqual([304, ""]);
});
