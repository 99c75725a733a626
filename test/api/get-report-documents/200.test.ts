import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createTenant, get, sharedService } from "../../support/service";
import { DAY, reportedTenant } from "../support/reports";

test("the table has a row per document and adds up to totals and digest", async () => {
	const service = await sharedService();
	const { tenant, docIds } = await reportedTenant();
	const period = `from=${DAY}&to=${DAY}`;
	const answer = await get(service, `/v1/reports/documents.csv?${period}`, { ...tenant.headers });
	expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
	expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
	expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="documents-${DAY}-${DAY}.csv"`);
	const [head, ...lines] = (await answer.text()).split("\r\n");
	expect(head).toBe(
		"docId,encf,client_request_id,type,status,issue_date,branch,customer_rnc,subtotal,tax,grand_total,sha256,receivedAt,decidedAt,authorityEnvironment",
	);
	expect(lines.pop()).toBe("");
	const cells = lines.map((line) => line.split(","));
	expect(cells.map(([docId]) => docId)).toEqual([...docIds].sort());
	const line = cells.find(([docId]) => docId === docIds[0]) ?? [];
	expect(line.slice(2, 11)).toEqual([
		...["'=order-0001", "31", "accepted", DAY, "'=Centro", "131880681", "4500.00", "810.00", "5310.00"],
	]);
	expect(cells.map((one) => one.at(-1))).toEqual(cells.map(() => "test"));
	const cents = cells.reduce((sum, one) => sum + Math.round(Number(one[10]) * 100), 0);
	const totals = await (await get(service, `/v1/reports/totals?${period}&status=all`, { ...tenant.headers })).json();
	expect(totals).toMatchObject({ totals: { count: cells.length, grand_total: (cents / 100).toFixed(2) } });
	const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
	const day = sha256(cells.map((one) => `${one[0]} ${one[11]}\n`).join(""));
	expect(totals).toMatchObject({ digest: `sha256:${sha256(`${DAY} ${day}\n`)}` });
});

test("another company's table has its header line alone", async () => {
	const service = await sharedService();
	const stranger = await createTenant(service);
	const answer = await get(service, `/v1/reports/documents.csv?from=${DAY}&to=${DAY}`, { ...stranger.headers });
	expect((await answer.text()).split("\r\n")).toEqual([expect.stringMatching(/^docId,/), ""]);
});
