import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { createNumbered, postLease, postSequence } from "../support/sequences";

type Lease = { readonly id: string; readonly status: string };
type Page = { readonly items: readonly Lease[]; readonly count: number; readonly next: string | null };

let service: TestService;
let tenant: Tenant;
const made: string[] = [];
const idsAt = (...places: number[]) => places.map((at) => made[at] ?? "");
const list = async (query = "", of = tenant): Promise<Page> =>
	(await (await get(service, `/v1/sequences/leases${query}`, of.headers)).json()) as Page;

beforeAll(async () => {
	service = await sharedService();
	tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 100]);
	for (let n = 0; n < 4; n++) made.push(((await (await postLease(service, tenant)).json()) as Lease).id);
	await fetch(`${service.url}/v1/sequences/leases/${made[1]}`, { method: "DELETE", headers: tenant.headers });
	await service.sql`
		update sequence_leases set expires_at = now() where tenant_id = ${tenant.tenantId} and id = ${made[2] ?? ""}`;
});

test("leases are listed newest first, page by page, each as it reads alone", async () => {
	const first = await list("?limit=3");
	expect(first.items.map(({ id }) => id)).toEqual(idsAt(3, 2, 1));
	expect(first.items.map(({ status }) => status)).toEqual(["active", "expired", "returned"]);
	const rest = await list(`?limit=3&after=${first.next}`);
	expect([rest.items.map(({ id }) => id), rest.next]).toEqual([idsAt(0), null]);
	const alone = await get(service, `/v1/sequences/leases/${made[0]}`, tenant.headers);
	expect(rest.items[0]).toEqual((await alone.json()) as Lease);
});

test("those of one status can be asked for", async () => {
	for (const [status, wanted] of [
		["active", idsAt(3, 0)],
		["returned", idsAt(1)],
		["expired", idsAt(2)],
	] as const)
		expect((await list(`?status=${status}`)).items.map(({ id }) => id)).toEqual(wanted);
});

test("another company sees none of them", async () => {
	expect(await list("", await createNumbered(service))).toMatchObject({ items: [], count: 0, next: null });
});
