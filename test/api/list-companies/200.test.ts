/** The companies of an owner, in pages. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { tenantA } from "../support/tenants";

type Page = { items: { tenantId: string }[]; count: number; partial: boolean; next: string | null };
let service: TestService;
let tenants: Tenant[];
beforeAll(async () => {
	service = await sharedService();
	const apiKey = await service.createKey();
	tenants = [];
	for (let i = 0; i < 3; i++) tenants.push(await createTenant(service, { apiKey }));
});

const list = async (query: string, headers = tenants[0]?.headers) => {
	const answer = await get(service, `/v1/company${query}`, headers);
	expect(answer.status).toBe(200);
	return (await answer.json()) as Page;
};

test("all of the owner's companies, and no others", async () => {
	const page = await list("");
	expect(page).toMatchObject({ count: 3, partial: false, next: null });
	expect(new Set(page.items.map((one) => one.tenantId))).toEqual(new Set(tenants.map((one) => one.tenantId)));
	expect(JSON.stringify(page)).not.toContain("clientSecret");
	const other = await list("", (await tenantA()).headers);
	for (const { tenantId } of page.items) expect(other.items.map((one) => one.tenantId)).not.toContain(tenantId);
});

test("pages of two follow one another without gap or repeat", async () => {
	const first = await list("?limit=2");
	expect([first.count, first.partial]).toEqual([2, true]);
	const second = await list(`?limit=2&after=${first.next}`);
	expect([second.count, second.partial, second.next]).toEqual([1, false, null]);
	const ids = [...first.items, ...second.items].map((one) => one.tenantId);
	expect(new Set(ids)).toEqual(new Set(tenants.map((one) => one.tenantId)));
});

test("a company of the demo key sees itself alone", async () => {
	const demo = "ak_demo_public0000000000000000";
	const [one] = [await createTenant(service, { apiKey: demo }), await createTenant(service, { apiKey: demo })];
	expect((await list("", one.headers)).items.map((item) => item.tenantId)).toEqual([one.tenantId]);
});
