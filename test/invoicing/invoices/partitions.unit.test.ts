/** Partitions of documents: made ahead, out of the service's reach, and opened only where the documents are. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { findInvoice, findStatuses } from "../../../src/invoicing/invoices/model/store";
import { findSubmissionStates } from "../../../src/invoicing/invoices/submit/submission-store";
import { maintainPartitions, type Tx } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany, addInvoice } from "../../support/submission";

const TABLES = ["documents", "verdicts", "papers", "steps"];
const OLDER = 24;

let database: TestDatabase;
let keys: { readonly tenantId: string; readonly docId: string }[];
beforeAll(async () => {
	database = await openTestDatabase();
	const { sql, owner } = database;
	const idOf = (n: number) => `${n.toString(16).padStart(8, "0")}-0000-0000-0000-000000000000`;
	for (const table of TABLES)
		for (let n = 1; n <= OLDER; n++)
			await owner.unsafe(
				`create table ${table}_old_${n} partition of ${table} for values from ('${idOf(n)}') to ('${idOf(n + 1)}')`,
			);
	const tenantId = await addCompany(sql);
	keys = [await addInvoice(sql, tenantId), await addInvoice(sql, tenantId)];
}, 60_000);
afterAll(() => database.close());

test("a document lies in the partitions of its month and its day", async () => {
	const [row] = await database.sql`
		select d.tableoid::regclass::text as document, p.tableoid::regclass::text as papers
		from documents d join papers p using (tenant_id, doc_id) where doc_id = ${keys[0]?.docId ?? null}`;
	expect(row?.document).toMatch(/^documents_\d{4}_\d\d$/);
	expect(row?.papers).toMatch(/^papers_\d{4}_\d\d_\d\d$/);
});

test("the service has missing partitions made, and gets no right on them", async () => {
	const { sql, owner } = database;
	const [next] = await owner<{ name: string }[]>`
		select max(inhrelid::regclass::text) as name from pg_inherits
		where inhparent = 'papers'::regclass and inhrelid::regclass::text ~ '^papers_\\d'`;
	const name = next?.name ?? "";
	await owner.unsafe(`drop table ${name}`);
	await maintainPartitions(sql);
	const [made] = await sql`
		select to_regclass(${name}) is not null as "isThere", has_table_privilege(${name}, 'SELECT, INSERT, UPDATE, DELETE') as "isOpen"`;
	expect(made).toEqual({ isThere: true, isOpen: false });
});

test("statements of the hot path open no partition of other times", async () => {
	const [first] = keys;
	if (!first) throw new Error("expected a document");
	const works: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
		states: (tx) => findSubmissionStates(tx, keys),
		statuses: (tx) => findStatuses(tx as never, keys),
		invoice: (tx) => findInvoice(tx, first.tenantId, first.docId),
	};
	for (const [name, work] of Object.entries(works)) {
		const opened = await database.sql.begin(async (tx) => {
			await work(tx);
			return tx`
				select i.inhparent::regclass::text as table, count(*)::int as count from pg_locks l join pg_inherits i on i.inhrelid = l.relation
				where l.pid = pg_backend_pid() and i.inhparent = any(${TABLES}::text[]::regclass[]) group by 1 having count(*) > 2`;
		});
		expect({ name, opened: [...opened] }).toEqual({ name, opened: [] });
	}
});
