import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";

type Report = {
	readonly items: readonly {
		readonly date: string;
		readonly keyId: string;
		readonly operation: string;
		readonly requests: number;
		readonly billed: number;
		readonly answers: Record<string, number>;
		readonly items: number;
		readonly unit: string;
		readonly billableUnits: number;
	}[];
	readonly count: number;
	readonly partial: boolean;
	readonly next: string | null;
	readonly totals: {
		readonly requests: number;
		readonly billed: number;
		readonly items: number;
		readonly billableUnits: Record<string, number>;
	};
};

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	const key = { "x-api-key": tenant.apiKey };
	for (const number of ["131880681", "131880681", "999999999", "12"]) {
		await (await get(service, `/v1/authority/document/${number}`, key)).text();
	}
	await (
		await post(service, "/v1/authority/document:batch", key, { documents: ["131880681", "12", "990000001"] })
	).text();
	const names = ["FERRETERIA EL PROGRESO SRL", "Zzyzx Qwfpg"];
	await (await post(service, "/v1/authority/document:match", key, { names })).text();
	// Written every few seconds.
	await until(async () => (await usage("?operation=matchDocuments")).count === 1);
}, 120_000);

async function usage(query: string, headers: Record<string, string> = { "x-api-key": tenant.apiKey }): Promise<Report> {
	const answer = await get(service, `/v1/usage${query}`, headers);
	if (answer.status !== 200) throw new Error(`usage: ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as Report;
}

test("look-ups are counted by status, and a batch by request and items", async () => {
	const { items } = await usage("");
	expect(items.find(({ operation }) => operation === "getDocument")).toMatchObject({
		...{ requests: 4, billed: 4, answers: { "2xx": 2, "4xx": 2, "429": 0, "5xx": 0 }, items: 0 },
	});
	expect(items.find(({ operation }) => operation === "batchDocuments")).toMatchObject({ requests: 1, items: 3 });
	expect(items.find(({ operation }) => operation === "createCompany")).toMatchObject({ requests: 1, billed: 1 });
});

test("invalid numbers and names without a match are not billed", async () => {
	const { items, totals } = await usage("");
	const unitsOf = (id: string) =>
		items.filter(({ operation }) => operation === id).map((one) => [one.unit, one.billableUnits]);
	expect(unitsOf("getDocument")).toEqual([["request", 4]]);
	expect(unitsOf("batchDocuments")).toEqual([["number", 2]]);
	expect(unitsOf("matchDocuments")).toEqual([["name", 1]]);
	expect(totals.billableUnits).toEqual({ request: totals.billed - 2, number: 2, name: 1, row: 0 });
});

test("filters and pages are complete and have the same totals", async () => {
	const [one] = (await usage("?operation=getDocument")).items;
	expect(
		(await usage(`?key=${one?.keyId}&operation=getDocument&from=${one?.date}&to=${one?.date}`)).totals.requests,
	).toBe(4);
	expect((await usage(`?key=${crypto.randomUUID()}`.replace(/-4/, "-7"))).count).toBe(0);
	expect((await usage("?from=2020-01-01&to=2020-01-31")).totals.requests).toBe(0);
	const first = await usage("?limit=1&operation=getDocument");
	expect(first).toMatchObject({ count: 1, partial: false, next: null });
	const all: string[] = [];
	for (let next: string | null = ""; next !== null; ) {
		const page: Report = await usage(`?limit=1${next === "" ? "" : `&after=${next}`}`);
		all.push(...page.items.map(({ date, operation }) => `${date} ${operation}`));
		next = page.next;
	}
	expect(all.some((one) => one.endsWith(" batchDocuments"))).toBe(true);
	expect(new Set(all).size).toBe(all.length);
});

test("customers do not see each other's usage", async () => {
	const stranger = { "x-api-key": await service.createKey() };
	const [one] = (await usage("?operation=getDocument")).items;
	expect((await usage(`?key=${one?.keyId}`, stranger)).totals.requests).toBe(0);
	const demo = { "x-api-key": "ak_demo_public0000000000000000" };
	expect((await usage("", demo)).totals.requests).toBe(0);
});
