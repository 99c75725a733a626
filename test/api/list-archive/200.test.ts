import { expect, test } from "bun:test";
import { getArchiveObject, insertArchiveObjects } from "../../../src/archive";
import { createTenant, get, sharedService } from "../../support/service";
import { archivedTenant, makeArchivedTenant } from "../support/archive";
import { instant } from "../support/tenants";

type Page = { items: Record<string, unknown>[]; count: number; partial: boolean; next: string | null };

async function list(headers: Readonly<Record<string, string>>, query = ""): Promise<Page> {
	const answer = await get(await sharedService(), `/v1/archive${query}`, { ...headers });
	expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
	return (await answer.json()) as Page;
}
const idsOf = (page: Page) => page.items.map(({ docId }) => docId);

test("archived documents are listed with their digests and places, decided last first", async () => {
	const { tenant, docIds } = await archivedTenant();
	const page = await list(tenant.headers);
	expect({ ...page, items: undefined }).toMatchObject({ count: 3, partial: false, next: null });
	expect(idsOf(page).toSorted()).toEqual([...docIds].toSorted());
	const times = page.items.map(({ decidedAt }) => String(decidedAt));
	expect(times).toEqual(times.toSorted().toReversed());
	const rejected = page.items.find(({ docId }) => docId === docIds[1]);
	expect(rejected).toEqual({
		docId: docIds[1] ?? "",
		encf: expect.stringMatching(/^E31\d{10}$/),
		...{ type: "31", status: "rejected" },
		sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
		bytes: expect.any(Number),
		...{ decidedAt: expect.stringMatching(instant), archivedAt: expect.stringMatching(instant) },
		retainUntil: expect.stringMatching(instant),
		...{ log: expect.any(Number), leafIndex: expect.any(Number), chainIndex: expect.any(Number) },
		chainHash: expect.stringMatching(/^[0-9a-f]{64}$/),
		_links: { invoice: `/v1/invoices/${docIds[1]}`, evidence: `/v1/invoices/${docIds[1]}/evidence` },
	});
	expect(page.items.map(({ chainIndex }) => Number(chainIndex)).toSorted()).toEqual([0, 1, 2]);
});

test("pages follow one another, and filters hold together with them", async () => {
	const { tenant, docIds } = await archivedTenant();
	const paged: unknown[] = [];
	for (let after = ""; ; ) {
		const page = await list(tenant.headers, `?limit=1${after}`);
		paged.push(...idsOf(page));
		if (page.next === null) break;
		after = `&after=${page.next}`;
	}
	expect(paged).toEqual(idsOf(await list(tenant.headers)));
	expect(idsOf(await list(tenant.headers, "?type=32"))).toEqual([docIds[2] ?? ""]);
	expect(idsOf(await list(tenant.headers, "?type=31&status=rejected&from=2026-01-01"))).toEqual([docIds[1] ?? ""]);
	expect((await list(tenant.headers, "?status=accepted")).count).toBe(2);
	expect((await list(tenant.headers, "?to=2026-01-01")).count).toBe(0);
});

test("another tenant's cursor leads nowhere but through one's own documents", async () => {
	const { tenant } = await archivedTenant();
	const stranger = await createTenant(await sharedService());
	const { next } = await list(tenant.headers, "?limit=1");
	expect((await list(stranger.headers, `?after=${next}`)).items).toEqual([]);
});

test("a document that was decided twice is listed twice", async () => {
	const { sql } = await sharedService();
	const { tenant, docIds } = await makeArchivedTenant();
	const object = await getArchiveObject(sql, tenant.tenantId, docIds[0] ?? "");
	if (!object) throw new Error("expected an archived document");
	const decidedAt = new Date(object.decidedAt.getTime() - 60_000);
	const [{ encf = null } = {}] = (await list(tenant.headers)).items.filter(({ docId }) => docId === object.docId);
	const described = { encf: encf as string | null, type: "31", status: "failed" };
	const { docId, tenantId, bytes, retainUntil, versionId } = object;
	const sha256 = `${object.sha256.startsWith("0") ? "1" : "0"}${object.sha256.slice(1)}`;
	await insertArchiveObjects(sql, [
		{ docId, tenantId, bytes, retainUntil, versionId, sha256, decidedAt, ...described },
	]);
	const { items } = await list(tenant.headers);
	const both = items.filter(({ docId }) => docId === object.docId);
	expect(both.map(({ status, encf }) => [status, encf])).toEqual([
		["accepted", both[0]?.encf],
		["failed", both[0]?.encf],
	]);
	expect((await list(tenant.headers, "?status=failed")).items).toEqual(both.slice(1));
});
