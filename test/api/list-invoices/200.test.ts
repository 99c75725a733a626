/** Lists of invoices: filters, pages, order. */
import { beforeAll, describe, expect, test } from "bun:test";
import { toLocalIsoDate } from "../../../src/platform/values";
import { rewrite } from "../../support/documents";
import {
	buildInvoice,
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { instant } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
/** Newest first: a rejected one, a consumer invoice, and three of type 31. */
const docIds: string[] = [];
const encfs: string[] = [];
let rejectedCode: string;

beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	const invoices = [
		{ client_request_id: "list-0001" },
		{ customer: { rnc: "990-000 003", name: "OTRO" } },
		{},
		{ type: "32" },
		{ customer: { rnc: "000000002", name: "RECHAZADO" } },
	];
	for (const over of invoices) {
		const answer = await postInvoice(service, tenant, buildInvoice(tenant, over));
		const { docId, encf } = (await answer.json()) as { docId: string; encf: string };
		docIds.unshift(docId);
		encfs.unshift(encf);
	}
	await Promise.all(docIds.map((docId) => untilDecided(service, tenant, docId)));
}, 120_000);

type Page = { items: Record<string, unknown>[]; count: number; partial: boolean; next: string | null };
const list = async (query: string): Promise<Page> => {
	const answer = await get(service, `/v1/invoices${query}`, tenant.headers);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("cache-control")).toBe("private, no-store");
	return (await answer.json()) as Page;
};
const idsOf = async (query: string) => (await list(query)).items.map((item) => String(item.docId));

test("all, newest first, each as its status shows it", async () => {
	const page = await list("");
	expect(page).toMatchObject({ count: 5, partial: false, next: null });
	expect(page.items.map((item) => item.docId)).toEqual(docIds);
	const status = await get(service, `/v1/invoices/${docIds[2]}/status`, tenant.headers);
	expect(page.items[2]).toEqual({
		...((await status.json()) as Record<string, unknown>),
		...{
			type: "31",
			code: "1",
			issueDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
			currency: "DOP",
			receivedAt: expect.stringMatching(instant),
		},
		customer: { rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL" },
		totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" },
	});
	rejectedCode = String(page.items[0]?.code);
	expect(rejectedCode).toMatch(/^\d+$/);
	expect(page.items[0]).toMatchObject({ status: "rejected", customer: { rnc: "000000002" } });
	expect(page.items[1]).toMatchObject({ type: "32", totals: { grand_total: "5310.00" } });
});

test("pages of two follow one another without gap or repeat", async () => {
	const seen: string[] = [];
	let after = "";
	for (const [count, partial] of [
		[2, true],
		[2, true],
		[1, false],
	] as const) {
		const page = await list(`?limit=2${after}`);
		expect([page.count, page.partial, page.next !== null]).toEqual([count, partial, partial]);
		seen.push(...page.items.map((item) => String(item.docId)));
		after = `&after=${page.next}`;
	}
	expect(seen).toEqual(docIds);
	// A page that is exactly full is not partial when nothing follows.
	expect(await list("?limit=5")).toMatchObject({ count: 5, partial: false, next: null });
});

describe("filters", () => {
	test("by number, own id, type, status and buyer", async () => {
		expect(await idsOf(`?encf=${encfs[1]}`)).toEqual([docIds[1] ?? ""]);
		expect(await idsOf("?client_request_id=list-0001")).toEqual([docIds[4] ?? ""]);
		expect(await idsOf("?type=32")).toEqual([docIds[1] ?? ""]);
		expect(await idsOf("?status=rejected")).toEqual([docIds[0] ?? ""]);
		expect(await idsOf("?status=accepted")).toEqual(docIds.slice(1));
		expect(await idsOf("?customer_rnc=990000003")).toEqual([docIds[3] ?? ""]);
		expect(await idsOf("?customer_rnc=990-000-003")).toEqual([docIds[3] ?? ""]);
		expect(await idsOf("?type=31&status=rejected")).toEqual([docIds[0] ?? ""]);
		expect(await idsOf("?type=44")).toEqual([]);
	});

	test("by code, amount in pesos, and the beginning of number, own id and buyer", async () => {
		expect(await idsOf("?code=1")).toEqual(docIds.slice(1));
		expect(await idsOf(`?code=${rejectedCode}`)).toEqual([docIds[0] ?? ""]);
		expect(await idsOf("?code=999")).toEqual([]);
		expect(await idsOf("?amount_from=5310&amount_to=5310.00")).toEqual(docIds);
		expect(await idsOf("?amount_from=5310.01")).toEqual([]);
		expect(await idsOf("?amount_to=5309.99")).toEqual([]);
		expect(await idsOf(`?q=${encfs[1]?.slice(0, 12)}`)).toEqual([docIds[1] ?? ""]);
		expect(await idsOf("?q=e32")).toEqual([docIds[1] ?? ""]);
		expect(await idsOf("?q=list-00")).toEqual([docIds[4] ?? ""]);
		expect(await idsOf("?q=990-000%20003")).toEqual([docIds[3] ?? ""]);
		expect(await idsOf("?q=OTR")).toEqual([docIds[3] ?? ""]);
		expect(await idsOf("?q=%C3%B3tro")).toEqual([docIds[3] ?? ""]);
		expect(await idsOf("?q=TRO")).toEqual([]);
		expect(await idsOf("?q=rech&status=accepted")).toEqual([]);
	});

	test("by the document that they modify", async () => {
		const [note = "", another = ""] = [docIds[2], docIds[4]];
		await rewrite(
			service.owner,
			(tx) => tx`update documents set modifies = ${encfs[0] ?? ""} where doc_id in ${tx([note, another])}`,
		);
		expect(await idsOf(`?modifies=${encfs[0]}`)).toEqual([note, another]);
		expect(await idsOf(`?modifies=${encfs[0]}&date=issued&client_request_id=list-0001`)).toEqual([another]);
		expect(await idsOf(`?modifies=${encfs[1]}`)).toEqual([]);
	});

	test("by issue date, the latest first, page by page", async () => {
		const [late, middle, early] = [docIds[3] ?? "", docIds[1] ?? "", docIds[4] ?? ""];
		for (const [docId, day] of [
			[late, "2026-03-20"],
			[middle, "2026-03-10"],
			[early, "2026-03-01"],
		]) {
			await rewrite(
				service.owner,
				(tx) => tx`update documents set issue_date = ${day ?? ""} where doc_id = ${docId ?? ""}`,
			);
		}
		expect(await idsOf("?date=issued&from=2026-03-01&to=2026-03-31")).toEqual([late, middle, early]);
		expect(await idsOf("?date=issued&to=2026-03-10")).toEqual([middle, early]);
		expect(await idsOf(`?date=issued&limit=1&to=2026-03-31&after=${late}`)).toEqual([middle]);
		expect(await idsOf("?date=issued&customer_rnc=990000003&from=2026-03-20&to=2026-03-20")).toEqual([late]);
	});

	test("by the day of receipt, UTC-4, both ends included", async () => {
		const today = toLocalIsoDate(new Date());
		const midnightMs = Date.parse(`${today}T04:00:00Z`);
		const dayBefore = (days: number) => toLocalIsoDate(new Date(midnightMs - days * 86_400_000));
		await service.sql`update companies set created_at = '2020-01-01' where tenant_id = ${tenant.tenantId}`;
		for (const [docId = "", atMs = 0] of [
			[docIds[4], midnightMs - 1],
			[docIds[3], midnightMs],
		] as const) {
			await rewrite(
				service.owner,
				(tx) => tx`update documents set received_at = ${new Date(atMs)} where doc_id = ${docId}`,
			);
		}
		const yesterday = dayBefore(1);
		expect(await idsOf(`?from=${yesterday}&to=${yesterday}`)).toEqual([docIds[4] ?? ""]);
		expect(await idsOf(`?from=${today}&to=${today}`)).toEqual(docIds.slice(0, 4));
		expect(await idsOf(`?from=${yesterday}&to=${today}`)).toEqual(docIds);
		expect(await idsOf(`?to=${dayBefore(2)}`)).toEqual([]);
		expect(await idsOf(`?from=${dayBefore(-1)}`)).toEqual([]);
	});
});

test("another tenant sees none of them, whatever it asks for", async () => {
	const other = await createTenant(service);
	for (const query of ["", `?encf=${encfs[0]}`, `?after=${docIds[0]}`, "?client_request_id=list-0001"]) {
		const answer = await get(service, `/v1/invoices${query}`, other.headers);
		expect(await answer.json()).toEqual({ items: [], count: 0, partial: false, next: null });
	}
});
