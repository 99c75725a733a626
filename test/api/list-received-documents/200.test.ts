import { expect, test } from "bun:test";
import { toLocalIsoDate } from "../../../src/platform/values";
import { createTenant, get, sharedService } from "../../support/service";
import { type ReceivedBody, receivedBy } from "../support/received";

test("documents are listed newest first, page by page, by every filter", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const made: string[] = [];
	for (const issuerRnc of ["101010101", "101010102", "101010101"])
		made.unshift((await receivedBy(tenant, { issuerRnc })).record.id);
	const list = async (query: string) =>
		(await (await get(service, `/v1/received-documents${query}`, tenant.headers)).json()) as {
			items: ReceivedBody[];
			count: number;
			partial: boolean;
			next: string | null;
		};
	const idsOf = async (query: string) => (await list(query)).items.map(({ id }) => id);
	const first = await list("?limit=2");
	expect([first.items.map(({ id }) => id), first.partial]).toEqual([made.slice(0, 2), true]);
	expect(await list(`?limit=2&after=${first.next}`)).toMatchObject({ count: 1, partial: false, next: null });
	expect(await idsOf("?issuer_rnc=1-01-01010-2")).toEqual(made.slice(1, 2));
	const day = toLocalIsoDate(new Date(first.items[0]?.receivedAt ?? ""));
	expect(await idsOf(`?from=${day}&to=2199-12-31`)).toContain(made[0] ?? "");
	expect(await idsOf("?to=2025-12-31")).toEqual([]);
	expect(await idsOf("?status=rejected")).toEqual([]);
	const stranger = await createTenant(service);
	expect(await (await get(service, "/v1/received-documents", stranger.headers)).json()).toMatchObject({ items: [] });
});
