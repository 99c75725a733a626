/** A list reads what it shows: neither the many that are accepted, nor what came since the days that are asked for. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { findInvoices, type InvoiceFilter } from "../../../../src/invoicing/invoices/view/list-store";
import { newId } from "../../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { readingFewerThan } from "../../../support/rows-read";
import { addCompany, addInvoice } from "../../../support/submission";

const OTHERS = 3_000;
const LIMIT = 10;
const REJECTED_DAY = 11;
/** The page, one more, and what marks the place. */
const ROWS_MAX = 3 * LIMIT;

let database: TestDatabase;
let tenantId: string;
/** Of a month in which one document came each day, at 18:00 local time: the last day's first. */
const march: string[] = [];
let rejectedId: string;

beforeAll(async () => {
	database = await openTestDatabase();
	const { sql } = database;
	tenantId = await addCompany(sql);
	for (let day = 1; day <= 31; day++) {
		const { docId } = await addInvoice(sql, tenantId);
		march.unshift(docId);
		const status = day === REJECTED_DAY ? "rejected" : "accepted";
		const at = `2026-03-${String(day).padStart(2, "0")}T22:00:00Z`;
		await sql`update invoices set status = ${status}, received_at = ${at} where doc_id = ${docId}`;
	}
	await sql`
		insert into invoices select (jsonb_populate_record(i, jsonb_build_object('doc_id', gen_random_uuid(), 'track_id', gen_random_uuid(),
			'encf', 'E31' || lpad((5000000 + n)::text, 10, '0'), 'received_at', '2026-04-10T12:00:00Z'::timestamptz + n * interval '1 minute'))).*
		from invoices i cross join generate_series(1, ${OTHERS}) n where i.doc_id = ${march[0] ?? ""}`;
	rejectedId = march[31 - REJECTED_DAY] ?? "";
	await database.owner`analyze invoices`;
}, 120_000);
afterAll(() => database.close());

/** The ids that are found, with not many more rows read than that. */
async function list(filter: InvoiceFilter): Promise<string[]> {
	const { sql } = database;
	const found = await readingFewerThan(ROWS_MAX, "invoices", sql, (tx) => findInvoices(tx, tenantId, filter, LIMIT));
	return found.map(({ docId }) => docId);
}

test("those of a status that few have", async () => {
	expect(await list({ status: "rejected" })).toEqual([rejectedId]);
	expect(await list({ status: "pending" })).toEqual([]);
	expect(await list({ status: "failed", withTestSets: true })).toEqual([]);
});

test("those of a day and of a month long ago, in local days", async () => {
	expect(await list({ from: "2026-03-14", to: "2026-03-14" })).toEqual(march.slice(17, 18));
	expect(await list({ from: "2026-03-01", to: "2026-03-31" })).toEqual(march.slice(0, LIMIT + 1));
	expect(await list({ to: "2026-03-02" })).toEqual(march.slice(29));
	expect(await list({ status: "rejected", from: "2026-03-12" })).toEqual([]);
});

test("a page goes on behind the last document of the one before", async () => {
	const month = { from: "2026-03-01", to: "2026-03-31" };
	const seen: string[] = [];
	for (let page = await list(month); ; page = await list({ ...month, after: seen.at(-1) })) {
		seen.push(...page.slice(0, LIMIT));
		if (page.length <= LIMIT) break;
	}
	expect(seen).toEqual(march);
});

test("a document that is gone, or another company's, marks the place of its id's time", async () => {
	expect(await list({ after: newId(new Date("2026-03-02T23:00:00Z")) })).toEqual(march.slice(29));
	const other = await addInvoice(database.sql, await addCompany(database.sql));
	for (const after of [other.docId, "ffffffff-ffff-4fff-bfff-ffffffffffff", "f47ac10b-58cc-4372-a567-0e02b2c3d479"]) {
		expect(await list({ after })).toHaveLength(LIMIT + 1);
	}
	expect(await list({ after: "00000000-0000-4000-8000-000000000000" })).toEqual([]);
});

test("of documents that came at once the one with the later id comes first", async () => {
	const { sql } = database;
	const mine = await addCompany(sql);
	const ids: string[] = [];
	for (let i = 0; i < 3; i++) ids.unshift((await addInvoice(sql, mine)).docId);
	await sql`update invoices set received_at = '2026-05-01T00:00:00Z' where tenant_id = ${mine}`;
	const read = async (after?: string) => (await findInvoices(sql, mine, { after }, LIMIT)).map(({ docId }) => docId);
	expect(await read()).toEqual(ids);
	expect(await read(ids[0])).toEqual(ids.slice(1));
});
