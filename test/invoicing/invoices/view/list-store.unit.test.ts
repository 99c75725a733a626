/** A list reads what it shows: neither the many that do not fit, nor what came since the days that are asked for, nor other companies' documents. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { findInvoices, type InvoiceFilter } from "../../../../src/invoicing/invoices/view/list-store";
import { newId } from "../../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { readingFewerThan } from "../../../support/rows-read";
import { addCompany, addInvoice } from "../../../support/submission";

const OTHERS = 3_000;
const LIMIT = 10;
const REJECTED_DAY = 11;
/** The page, one more, and what marks the place, in two tables. */
const ROWS_MAX = 10 * LIMIT;

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
	const stranger = await addCompany(sql);
	await addInvoice(sql, stranger);
	await sql`
		insert into invoices select (jsonb_populate_record(i, jsonb_build_object('doc_id', gen_random_uuid(), 'track_id', gen_random_uuid(),
			'encf', 'E31' || lpad((7000000 + n)::text, 10, '0')))).*
		from invoices i cross join generate_series(1, ${OTHERS}) n where i.tenant_id = ${stranger}`;
	// Two of each tenant's thousands have what each filter looks for.
	await sql`
		insert into invoice_facts
		select doc_id, tenant_id, received_at, '2026-05-01'::date + n % 100 - case when is_odd then 100 else 0 end,
			case when is_odd then overlay(encf placing '44' from 2) else encf end, case when is_odd then 'POS-' else 'ERP-' end || n,
			case when is_odd then '101000001' else (200000000 + n % 500)::text end,
			case when is_odd then 'Ñandú, S.A.' else 'CLIENTE ' || n % 500 end, 'DOP', 100, 18, 118, 1000 + n - case when is_odd then 1000 else 0 end
		from (select *, n in (500, 1000) as is_odd from (
			select *, (row_number() over (partition by tenant_id order by encf))::int as n from invoices where encf like 'E31000%'
		) i) i
		where not exists (select from invoice_facts f where f.doc_id = i.doc_id)`;
	await sql`
		update invoices set authority = '{"code":"614"}' where doc_id in (select doc_id from invoice_facts where customer_rnc = '101000001')`;
	await database.owner`analyze invoices`;
	await database.owner`analyze invoice_facts`;
}, 120_000);
afterAll(() => database.close());

/** The ids that are found, with not many more rows read than that. */
async function list(filter: InvoiceFilter): Promise<string[]> {
	const { sql } = database;
	const found = await readingFewerThan(ROWS_MAX, ["invoices", "invoice_facts"], sql, (tx) =>
		findInvoices(tx, tenantId, filter, LIMIT),
	);
	return found.map(({ docId }) => docId);
}

test("those that few filters fit, from an index of each", async () => {
	const { sql } = database;
	const odd = (
		await sql<{ docId: string }[]>`
			select doc_id as "docId" from invoice_facts where tenant_id = ${tenantId} and customer_rnc = '101000001' order by received_at desc`
	).map(({ docId }) => docId);
	expect(odd).toHaveLength(2);
	const filters: InvoiceFilter[] = [
		...[{ type: "44" }, { customerRnc: "101000001" }, { code: "614" }, { code: "614", type: "44" }],
		...[
			{ amountFrom: "500", amountTo: "1000" },
			{ date: "issued" as const, to: "2026-04-30" },
		],
		...["E440", "e44", "POS-", "101000001", "1010-0000", "ñan", "NANDU", "Nandú, s"].map((q) => ({ q })),
		...[
			{ q: "POS-", status: "accepted" },
			{ q: "POS-", customerRnc: "101000001" },
		],
	];
	for (const filter of filters) expect({ filter, found: await list(filter) }).toEqual({ filter, found: odd });
	expect(await list({ type: "44", after: odd[0] })).toEqual(odd.slice(1));
	expect(await list({ date: "issued", to: "2026-04-30", after: odd[0] })).toEqual(odd.slice(1));
	for (const q of ["E45", "POT", "1010-9", "Ñandul"]) expect(await list({ q })).toEqual([]);
});

test("those of a filter that thousands fit, in order of receipt", async () => {
	const all = (await list({})).slice(0, LIMIT);
	for (const filter of [{ type: "31" }, { amountFrom: "100" }, { q: "E31" }, { q: "CLI" }]) {
		const found = await findInvoices(database.sql, tenantId, filter, LIMIT);
		expect(found.slice(0, LIMIT).map(({ docId }) => docId)).toEqual(all);
	}
});

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
