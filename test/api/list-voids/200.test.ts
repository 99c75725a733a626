import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { postVoid } from "../support/sequences";

type Void = { readonly id: string; readonly reason: string };
type Page = { readonly items: readonly Void[]; readonly next: string | null };

test("voids are listed newest first, those of the company's environment alone", async () => {
	const service = await sharedService();
	const [tenant, stranger] = await Promise.all([createTenant(service), createTenant(service)]);
	const ids: string[] = [];
	for (const n of [1, 11, 21]) ids.push(((await (await postVoid(service, tenant, [n, n + 4])).json()) as Void).id);
	const list = async (query = "", of = tenant) =>
		(await (await get(service, `/v1/sequences/voids${query}`, of.headers)).json()) as Page;
	const first = await list("?limit=2");
	expect(first.items).toMatchObject([
		{ id: ids[2] ?? "", count: 5, reason: "Caja cerrada" },
		{ id: ids[1] ?? "", count: 5 },
	]);
	expect((await list(`?limit=2&after=${first.next}`)).items.map(({ id }) => id)).toEqual([ids[0]] as string[]);
	expect((await list("", stranger)).items).toEqual([]);
	await service.sql`
		update sequence_voids set elsewhere = 'certification' where tenant_id = ${tenant.tenantId} and id = ${ids[0] ?? ""}`;
	expect((await list()).items.map(({ id }) => id)).toEqual([ids[2], ids[1]] as string[]);
});
