/** A list reads what it shows: neither the many that do not fit, nor what came since the days that are asked for, nor other companies' documents. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { findInvoices, type InvoiceFilter } from "../../../../src/invoicing/invoices/view/list-store";
import { newId } from "../../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { readingFewerThan } from "../../../support/rows-read";
import { addCompany, addInvoice, decide } from "../../../support/submission";

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
		const receivedAt = new Date(`2026-03-${String(day).padStart(2, "0")}T22:00:00Z`);
		const document = await addInvoice(sql, tenantId, { receivedAt });
		await decide(sql, [document], day === REJECTED_DAY ? "rejected" : "accepted");
		march.unshift(document.docId);
	}
	await addOthers(march[0] ?? "", 5_000_000);
	rejectedId = march[31 - REJECTED_DAY] ?? "";
	await sql`delete from outbox where tenant_id = ${tenantId}`;
	await addOthers((await addInvoice(sql, await addCompany(sql))).docId, 7_000_000);
	await database.owner`analyze documents, names, verdicts`;
}, 120_000);
afterAll(() => database.close());

/** Thousands of accepted documents of the tenant of this one, two of which have what each filter looks for. */
async function addOthers(docId: string, firstNumber: number): Promise<void> {
	await database.sql`
		with others as (
			select '2026-04-10T12:00:00Z'::timestamptz + n * interval '1 minute' as received_at, n, n in (500, 1000) as is_odd,
				'E' || case when n in (500, 1000) then '44' else '31' end || lpad((${firstNumber} + n)::text, 10, '0') as encf,
				case when n in (500, 1000) then 'POS-' else 'ERP-' end || n as client_id
			from generate_series(1, ${OTHERS}) n
		), stored as (
			insert into documents (tenant_id, doc_id, received_at, sha256, subtotal, tax, issue_date, type, environment, has_summary, encf,
				client_request_id, customer_rnc, customer_name)
			select d.tenant_id, uuidv7(o.received_at - now()), o.received_at, d.sha256,
				100 * (1000 + o.n - case when is_odd then 1000 else 0 end) - 1800, 1800,
				'2026-05-01'::date + o.n % 100 - case when is_odd then 100 else 0 end, case when is_odd then 44 else 31 end, 't', false, o.encf,
				o.client_id, case when is_odd then '101000001' else (200000000 + o.n % 500)::text end,
				case when is_odd then 'Ñandú, S.A.' else 'CLIENTE ' || o.n % 500 end
			from documents d cross join others o where d.doc_id = ${docId}
			returning tenant_id, doc_id, encf, client_request_id, type
		), decided as (
			insert into verdicts (tenant_id, doc_id, decided_at, version, status, consumed, attempts, code)
			select tenant_id, doc_id, now(), 4, 'a', true, 1, case when type = 44 then '614' else '1' end from stored
		)
		insert into names (tenant_id, kind, name, doc_id)
		select tenant_id, 't', encf, doc_id from stored union all select tenant_id, 'i', client_request_id, doc_id from stored`;
}

/** The ids that are found, with not many more rows read than that. */
async function list(filter: InvoiceFilter): Promise<string[]> {
	const { sql } = database;
	const found = await readingFewerThan(ROWS_MAX, ["documents", "names", "verdicts"], sql, (tx) =>
		findInvoices(tx, tenantId, filter, LIMIT),
	);
	return found.map(({ docId }) => docId);
}

test("those that few filters fit, from an index of each", async () => {
	const { sql } = database;
	const odd = (
		await sql<{ docId: string }[]>`
			select doc_id as "docId" from documents where tenant_id = ${tenantId} and customer_rnc = '101000001' order by received_at desc`
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
	const receivedAt = new Date("2026-05-01T00:00:00Z");
	for (let i = 0; i < 3; i++) ids.unshift((await addInvoice(sql, mine, { receivedAt })).docId);
	const read = async (after?: string) => (await findInvoices(sql, mine, { after }, LIMIT)).map(({ docId }) => docId);
	expect(await read()).toEqual(ids);
	expect(await read(ids[0])).toEqual(ids.slice(1));
});
