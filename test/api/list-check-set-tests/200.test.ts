import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { type ShownSet, stallSet } from "../support/test-sets";

type Page = { items: ShownSet[]; count: number; partial: boolean; next: string | null };

test("a company sees its own sets, newest first, a page at a time and by status", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const made: ShownSet[] = [];
	for (const status of ["passed", "failed", "cancelled"]) made.unshift(await stallSet(tenant, status));
	const list = async (query: string) =>
		(await (await get(service, `/v1/check-set-tests${query}`, tenant.headers)).json()) as Page;
	const first = await list("?limit=2");
	expect(first).toMatchObject({ count: 2, partial: true, next: made[1]?.id ?? "" });
	const second = await list(`?limit=2&after=${first.next}`);
	expect(second).toMatchObject({ count: 1, partial: false, next: null });
	expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.map(({ id }) => id));
	expect((await list("?status=failed")).items.map(({ id }) => id)).toEqual([made[1]?.id ?? ""]);
});
