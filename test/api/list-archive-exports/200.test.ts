import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { endedExport, type ShownExport } from "../support/archive";
import { expectProblem } from "../support/problem";

type Page = { items: ShownExport[]; count: number; partial: boolean; next: string | null };

test("exports are listed newest first, page by page, each tenant's own", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const made: string[] = [];
	for (let n = 0; n < 3; n++) made.push((await endedExport(tenant)).exportId);
	const list = async (query: string, headers = tenant.headers) => {
		const answer = await get(service, `/v1/archive/exports${query}`, { ...headers });
		expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
		return (await answer.json()) as Page;
	};
	const first = await list("?limit=2");
	expect(first.items.map(({ exportId }) => exportId)).toEqual([made[2] ?? "", made[1] ?? ""]);
	expect({ ...first, items: undefined }).toMatchObject({ count: 2, partial: true, next: made[1] ?? "" });
	const rest = await list(`?limit=2&after=${first.next}`);
	expect(rest.items.map(({ exportId, status }) => [exportId, status])).toEqual([[made[0] ?? "", "ready"]]);
	expect(rest.next).toBeNull();
	const stranger = await createTenant(service);
	expect((await list("", stranger.headers)).items).toEqual([]);
	await expectProblem(get(service, "/v1/archive/exports?after=x", { ...tenant.headers }), 400, "validation-error");
});
