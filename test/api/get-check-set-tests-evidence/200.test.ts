import { expect, test } from "bun:test";
import { unzipSync } from "fflate";
import { createTenant, get, sharedService } from "../../support/service";
import { act, stallSet } from "../support/test-sets";

test("a set of which nothing was signed leaves its record alone", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { id, _links } = await stallSet(tenant, "pending");
	await act(tenant, _links.self, "cancel");
	const answer = await get(service, _links.evidence, tenant.headers);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="check-set-tests-${id}.zip"`);
	const entries = unzipSync(await answer.bytes());
	expect(Object.keys(entries)).toEqual(["README.txt", "record.json"]);
	expect(JSON.parse(new TextDecoder().decode(entries["record.json"]))).toMatchObject({ id, status: "cancelled" });
});
