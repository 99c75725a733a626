import { beforeAll, expect, test } from "bun:test";
import { decideOn, receive, strangers, WAIT_MS } from "../../exchange/approvals/support/words";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";

let service: TestService;
let tenant: Tenant;
const made: { approvalId: string; documentId: string }[] = [];
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	for (const decision of ["approved", "rejected", "approved"]) {
		const documentId = await receive(service, tenant, strangers());
		const reason = decision === "rejected" ? { reason: "No" } : {};
		const { approvalId } = await decideOn(service, tenant, documentId, { decision, ...reason });
		made.push({ approvalId, documentId });
	}
}, WAIT_MS);

type Page = { items: { approvalId: string }[]; count: number; partial: boolean; next: string | null };
const list = async (query: string) =>
	(await (await get(service, `/v1/approvals${query}`, tenant.headers)).json()) as Page;
const idsOf = async (query: string) => (await list(query)).items.map(({ approvalId }) => approvalId);

test("approvals are listed newest first, by every filter and page by page", async () => {
	const [first, second, third] = made.map(({ approvalId }) => approvalId);
	expect(await idsOf("")).toEqual([third, second, first] as string[]);
	expect(await idsOf("?direction=out&decision=approved")).toEqual([third, first] as string[]);
	expect(await idsOf("?direction=in")).toEqual([]);
	expect(await idsOf(`?docId=${made[1]?.documentId}`)).toEqual([second] as string[]);
	const [today, yesterday] = [0, 1].map((days) =>
		new Date(Date.now() - 4 * 3_600_000 - days * 86_400_000).toISOString().slice(0, 10),
	);
	expect(await idsOf(`?from=${yesterday}&to=${today}`)).toHaveLength(3);
	expect(await idsOf("?to=2026-01-01")).toEqual([]);
	expect(await idsOf("?from=2199-01-01")).toEqual([]);
	const page = await list("?limit=2");
	expect(page).toMatchObject({ count: 2, partial: true, next: second as string });
	expect(await list(`?limit=2&after=${page.next}`)).toMatchObject({ count: 1, partial: false, next: null });
	expect(await idsOf(`?after=${page.next}`)).toEqual([first] as string[]);
});
