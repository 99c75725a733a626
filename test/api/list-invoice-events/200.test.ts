/** What has happened to a document, step by step. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { findLeaks } from "../support/problem";
import { instant, tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

type Item = { version: number; at: string; status: string; phase: string; summary: string; event: string | null };
type Page = { items: Item[]; count: number; partial: boolean; next: string | null };
const read = async (docId: string, query = "") => {
	const answer = await get(service, `/v1/invoices/${docId}/events${query}`, tenant.headers);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("cache-control")).toBe("private, no-store");
	return (await answer.json()) as Page;
};

test.each([
	["accepted", "The authority has accepted it."],
	["rejected", "The authority has rejected it."],
	["failed", "It could not be submitted; its failure says whether it can be retried."],
] as const)("a document that was %s begins signed and ends with its event", async (state, summary) => {
	const { docId, status } = await documentOf(state);
	const page = await read(docId);
	expect(page).toMatchObject({ count: page.items.length, partial: false, next: null });
	expect(page.items[0]).toEqual({
		...{ version: 1, at: expect.stringMatching(instant), status: "pending", phase: "queued" },
		...{ summary: "Signed and stored.", event: null },
	});
	const last = page.items.at(-1);
	expect(last).toMatchObject({ status: state, phase: "decided", summary, event: `invoice.${state}` });
	expect(last?.version).toBe(Number(status.version));
	expect(page.items.map((item) => item.version)).toEqual(
		page.items.map((item) => item.version).toSorted((a, b) => a - b),
	);
	expect(findLeaks(JSON.stringify(page))).toEqual([]);
});

test("an accepted document was sent, then tracked", async () => {
	const { docId } = await documentOf("accepted");
	const { items } = await read(docId);
	expect(items.map((item) => item.phase)).toEqual(["queued", "sending", "tracking", "decided"]);
	expect(items.slice(1, -1).map((item) => item.event)).toEqual([null, null]);
});

test("pages follow one another without gap or repeat", async () => {
	const { docId } = await documentOf("accepted");
	const whole = await read(docId);
	const seen: Item[] = [];
	let after = "";
	for (const partial of [true, true, true, false]) {
		const page = await read(docId, `?limit=1${after}`);
		expect([page.count, page.partial, page.next !== null]).toEqual([1, partial, partial]);
		seen.push(...page.items);
		after = `&after=${page.next}`;
	}
	expect(seen).toEqual(whole.items);
	expect(await read(docId, "?after=999")).toEqual({ items: [], count: 0, partial: false, next: null });
});
