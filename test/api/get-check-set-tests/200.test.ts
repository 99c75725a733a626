import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { act, stallSet } from "../support/test-sets";

test("a set has the ETag of its version and Retry-After until it is final", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { _links } = await stallSet(tenant, "submitting");
	const answer = await get(service, _links.self, tenant.headers);
	expect([answer.status, answer.headers.get("retry-after")]).toEqual([200, "5"]);
	const etag = answer.headers.get("etag") ?? "";
	const known = await get(service, _links.self, { ...tenant.headers, "if-none-match": etag });
	expect([known.status, await known.text(), known.headers.get("etag")]).toEqual([304, "", etag]);
	await act(tenant, _links.self, "cancel");
	const ended = await get(service, _links.self, { ...tenant.headers, "if-none-match": etag });
	expect([ended.status, ended.headers.get("retry-after")]).toEqual([200, null]);
	expect(await ended.json()).toMatchObject({ status: "cancelled" });
});
