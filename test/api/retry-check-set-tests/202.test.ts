import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { act, type ShownSet, stallSet } from "../support/test-sets";

test("a replay returns the first answer and starts no further run", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { id, _links } = await stallSet(tenant, "failed");
	const key = { "idempotency-key": crypto.randomUUID() };
	const first = await act(tenant, _links.self, "retry", key);
	expect(first.status).toBe(202);
	// The second run fails as well before the repeat comes.
	await service.sql`delete from outbox where subject = ${id}`;
	await service.sql`update test_sets set status = 'failed', version = version + 1 where id = ${id}`;
	const repeat = await act(tenant, _links.self, "retry", key);
	expect([repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
	expect(repeat.headers.get("location")).toBe(_links.self);
	expect(await repeat.text()).toBe(await first.text());
	const now = (await (await get(service, _links.self, tenant.headers)).json()) as ShownSet;
	expect(now).toMatchObject({ status: "failed", run: 2 });
});
