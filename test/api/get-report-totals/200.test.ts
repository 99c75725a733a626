import { expect, test } from "bun:test";
import type { ReportTotals } from "../../../src/invoicing/reports";
import { createTenant, get, sharedService } from "../../support/service";
import { DAY, reportedTenant } from "../support/reports";
import { instant } from "../support/tenants";

const PERIOD = `from=${DAY}&to=${DAY}`;
const NOTHING = { count: 0, subtotal: "0.00", tax: "0.00", grand_total: "0.00" };
/** 131880681 in the sample registry. */
const BUYER = "FERRETERIA EL PROGRESO SRL";
const ACCEPTED = { count: 3, subtotal: "4060.13", tax: "730.82", grand_total: "4790.95" };

test("groups add up signed amounts in order, with negative credit notes", async () => {
	const service = await sharedService();
	const { tenant } = await reportedTenant();
	const path = `/v1/reports/totals?${PERIOD}&group_by=status,type,branch&status=all`;
	const answer = await get(service, path, { ...tenant.headers });
	expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-cache"]);
	expect(await answer.json()).toEqual({
		...{ from: DAY, to: DAY, currency: "DOP", authorityEnvironment: "test", asOf: expect.stringMatching(instant) },
		groups: [
			// 4500.00 and, rounded as the document is, 10.126 with 1.823 of tax.
			{
				type: "31",
				status: "accepted",
				branch: "=Centro",
				count: 2,
				subtotal: "4510.13",
				tax: "811.82",
				grand_total: "5321.95",
			},
			{
				type: "31",
				status: "rejected",
				branch: null,
				count: 1,
				subtotal: "4500.00",
				tax: "810.00",
				grand_total: "5310.00",
			},
			{
				type: "34",
				status: "accepted",
				branch: null,
				count: 1,
				subtotal: "-450.00",
				tax: "-81.00",
				grand_total: "-531.00",
			},
		],
		...{ partial: false, next: null },
		totals: { count: 4, subtotal: "8560.13", tax: "1540.82", grand_total: "10100.95" },
		sales: ACCEPTED,
		purchases: NOTHING,
		net: ACCEPTED,
		excluded: {
			rejected: { count: 1, subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" },
			failed: NOTHING,
		},
		digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
	});
});

test("without a status only accepted documents are in groups and totals", async () => {
	const service = await sharedService();
	const { tenant } = await reportedTenant();
	const read = async (query: string) =>
		(await (
			await get(service, `/v1/reports/totals?${PERIOD}&group_by=status${query}`, { ...tenant.headers })
		).json()) as ReportTotals;
	expect(await read("")).toMatchObject({ groups: [{ status: "accepted", ...ACCEPTED }], totals: ACCEPTED });
	const rejected = { count: 1, subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" };
	expect(await read("&status=rejected")).toMatchObject({
		...{ groups: [{ status: "rejected", ...rejected }], totals: rejected, sales: ACCEPTED, net: ACCEPTED },
	});
	expect(await read("&status=failed")).toMatchObject({ groups: [], totals: NOTHING, sales: ACCEPTED });
});

test("groups come by pages, each with the whole's totals and a tag of its own", async () => {
	const service = await sharedService();
	const { tenant } = await reportedTenant();
	const path = `/v1/reports/totals?${PERIOD}&group_by=status,type&status=all`;
	const read = async (query: string) => {
		const answer = await get(service, `${path}${query}`, { ...tenant.headers });
		return { etag: answer.headers.get("etag"), body: (await answer.json()) as ReportTotals };
	};
	const whole = await read("");
	const first = await read("&limit=2");
	expect(first.body).toMatchObject({ groups: whole.body.groups.slice(0, 2), partial: true, totals: whole.body.totals });
	const second = await read(`&limit=2&after=${first.body.next}`);
	expect(second.body).toMatchObject({ groups: whole.body.groups.slice(2), partial: false, next: null });
	expect(second.body.digest).toBe(whole.body.digest);
	expect(new Set([whole.etag, first.etag, second.etag]).size).toBe(3);
});

test("as a table it has a header row, no formulas, and the rest in headers", async () => {
	const service = await sharedService();
	const { tenant } = await reportedTenant();
	const path = `/v1/reports/totals?${PERIOD}&group_by=branch,customer_rnc,month&status=all&format=csv`;
	const answer = await get(service, path, { ...tenant.headers, accept: "text/csv" });
	expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
	expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="totals-${DAY}-${DAY}.csv"`);
	expect(answer.headers.get("report-authority-environment")).toBe("test");
	expect(answer.headers.get("report-as-of")).toMatch(instant);
	expect(answer.headers.get("report-digest")).toMatch(/^sha256:[0-9a-f]{64}$/);
	expect((await answer.text()).split("\r\n")).toEqual([
		"month,branch,customer_rnc,count,subtotal,tax,grand_total,customer_name",
		`${DAY.slice(0, 7)},,000000002,1,4500.00,810.00,5310.00,`,
		`${DAY.slice(0, 7)},,131880681,1,-450.00,-81.00,-531.00,${BUYER}`,
		`${DAY.slice(0, 7)},'=Centro,131880681,2,4510.13,811.82,5321.95,${BUYER}`,
		"",
	]);
});

test("groups by buyer have the buyer's name in the registry, or null", async () => {
	const service = await sharedService();
	const { tenant } = await reportedTenant();
	const read = async (dimensions: string) => {
		const path = `/v1/reports/totals?${PERIOD}&group_by=${dimensions}&status=all`;
		return ((await (await get(service, path, { ...tenant.headers })).json()) as ReportTotals).groups;
	};
	expect(await read("customer_rnc")).toMatchObject([
		{ customer_rnc: "000000002", customer_name: null },
		{ customer_rnc: "131880681", customer_name: BUYER },
	]);
	for (const group of await read("type")) expect(group).not.toHaveProperty("customer_name");
});

test("an unchanged report is 304, another question is not", async () => {
	const service = await sharedService();
	const { tenant } = await reportedTenant();
	const ask = (query: string, etag?: string) =>
		get(service, `/v1/reports/totals?${query}`, { ...tenant.headers, ...(etag ? { "if-none-match": etag } : {}) });
	const etag = (await ask(PERIOD)).headers.get("etag") ?? "";
	expect(etag).toMatch(/^W\/".+"$/);
	expect((await ask(PERIOD, etag)).status).toBe(304);
	expect((await ask(`${PERIOD}&group_by=day`, etag)).status).toBe(200);
	expect((await ask(`${PERIOD}&authority_environment=test`, etag)).status).toBe(304);
	expect((await ask(`${PERIOD}&authority_environment=production`, etag)).status).toBe(200);
});

test("without a period it is the present month, and a stranger's is empty", async () => {
	const service = await sharedService();
	const stranger = await createTenant(service);
	const answer = await get(service, "/v1/reports/totals?group_by=day", { ...stranger.headers });
	const body = (await answer.json()) as { from: string; to: string; groups: unknown[]; totals: object };
	expect(body).toMatchObject({
		from: `${body.to.slice(0, 8)}01`,
		groups: [],
		totals: { count: 0, grand_total: "0.00" },
	});
});

test("only a caller that accepts text/csv alone gets the table", async () => {
	const service = await sharedService();
	const { tenant } = await reportedTenant();
	const path = `/v1/reports/totals?${PERIOD}&group_by=status`;
	const typeFor = async (accept: string, more = "") => {
		const answer = await get(service, `${path}${more}`, { ...tenant.headers, accept });
		await answer.arrayBuffer();
		return [answer.status, answer.headers.get("content-type")?.split(";")[0], answer.headers.get("vary")];
	};
	expect(await typeFor("text/csv")).toEqual([200, "text/csv", "accept"]);
	expect(await typeFor("text/csv, application/problem+json")).toEqual([200, "text/csv", "accept"]);
	for (const accept of ["*/*", "application/json", "text/csv;q=0.5, application/json"])
		expect(await typeFor(accept)).toEqual([200, "application/json", "accept"]);
	// What the address says is said on purpose.
	expect(await typeFor("text/csv", "&format=json&limit=1")).toEqual([200, "application/json", "accept"]);
});
