/** Partitions of documents: made ahead, out of the service's reach, and opened only where the documents are. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { decideDocuments } from "../../../scripts/random/decided-documents";
import { insertArchiveObjects } from "../../../src/archive";
import { runPreflight, storeParts } from "../../../src/invoicing/invoices/issue/issue-store";
import { findInvoice, findStatuses } from "../../../src/invoicing/invoices/model/store";
import { findSubmissionStates } from "../../../src/invoicing/invoices/submit/submission-state";
import { findFailed, findRejected } from "../../../src/invoicing/invoices/view/attention-store";
import { findInvoices } from "../../../src/invoicing/invoices/view/list-store";
import { measureLoad } from "../../../src/invoicing/invoices/view/load-store";
import { maintainPartitions, type Sql, type Tx } from "../../../src/platform/database";
import { toLocalIsoDate } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany, addInvoice, FACTS, toInvoice } from "../../support/submission";

const [MONTHLY, DAILY] = [
	["documents", "verdicts", "seals"],
	["papers", "steps"],
];
const MONTHS = 120;
const DAYS = 10;

let database: TestDatabase;
let keys: { readonly tenantId: string; readonly docId: string; readonly encf: string }[];
beforeAll(async () => {
	database = await openTestDatabase();
	const { sql, owner } = database;
	await owner.unsafe(`do $$ declare p record; begin
		for p in
			select t, m, first_id_at(m at time zone 'UTC') as low, first_id_at((m + ('1 ' || u)::interval) at time zone 'UTC') as high
			from (values ('{${MONTHLY}}'::text[], 'month', ${MONTHS}), ('{${DAILY}}', 'day', ${DAYS})) v (tables, u, count),
				unnest(tables) t, generate_series(1, count) n,
				lateral (select date_trunc(u, now() at time zone 'UTC') - n * ('1 ' || u)::interval as m) l
			-- A run over midnight begins with the partitions of the day before.
			where to_regclass(t || to_char(m, case u when 'day' then '_YYYY_MM_DD' else '_YYYY_MM' end)) is null
		loop
			execute format('create table %I partition of %I for values from (%L) to (%L)', p.t || to_char(p.m, '_YYYYMMDD'), p.t, p.low, p.high);
		end loop;
	end $$`);
	const tenantId = await addCompany(sql);
	const facts = { ...FACTS, issueDate: toLocalIsoDate(new Date()) };
	keys = [];
	while (keys.length < 4) keys.push(await addInvoice(sql, tenantId, { facts }));
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

test("statements of the hot path open two partitions of a table at most", async () => {
	const [first] = keys;
	if (!first) throw new Error("expected a document");
	const { tenantId, docId } = first;
	const note = await addInvoice(database.sql, tenantId, { type: "34", modifies: first.encf });
	const place = { scopeId: tenantId, operation: "POST /v1/invoices", key: crypto.randomUUID() };
	const list = (filter: object) => (tx: Tx) => findInvoices(tx, tenantId, filter, 1);
	const sealed = { tenantId, docId, sha256: "ab".repeat(32), bytes: 1, versionId: null };
	const works: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
		"look up": (tx) => runPreflight(tx as never, [{ place, encf: "E310000000009", clientRequestId: "a" }], new Date()),
		intake: (tx) => storeParts(tx, [{ row: toInvoice(tenantId), key: { place, rawSha256: Buffer.alloc(32) } }]),
		load: (tx) => findSubmissionStates(tx, keys),
		"load of a note": (tx) => findSubmissionStates(tx, [note]),
		verdict: (tx) => decideDocuments(asSql(tx), [{ docId, fate: "accepted" }]),
		seal: (tx) =>
			insertArchiveObjects(tx, [{ ...sealed, decidedAt: new Date(), retainUntil: new Date(Date.now() + 1_000) }]),
		"newest page": list({}),
		"page behind another": list({ after: keys.at(-1)?.docId }),
		"page of a month": list({ from: "2026-02-01", to: "2026-02-25" }),
		"page of an issue date": list({ date: "issued" }),
		figures: (tx) => measureLoad(asSql(tx), tenantId, new Date()),
		"rejected of ten days": (tx) => findRejected(asSql(tx), tenantId, new Date(), 10),
		failed: (tx) => findFailed(asSql(tx), tenantId),
		status: (tx) => findStatuses(asSql(tx), keys),
		invoice: (tx) => findInvoice(tx, tenantId, docId),
	};
	for (const [name, work] of Object.entries(works)) {
		const opened = await database.sql.begin(async (tx) => {
			await work(tx);
			return tx`
				select i.inhparent::regclass::text as table, count(*)::int as count from pg_locks l join pg_inherits i on i.inhrelid = l.relation
				where l.pid = pg_backend_pid() and i.inhparent = any(${[...MONTHLY, ...DAILY]}::text[]::regclass[]) group by 1 having count(*) > 2`;
		});
		expect({ name, opened: [...opened] }).toEqual({ name, opened: [] });
	}
});

/** A transaction in which other ones are nested. */
function asSql(tx: Tx): Sql {
	return new Proxy(tx, {
		get: (of, name) => (name === "begin" ? (work: (tx: Tx) => unknown) => work(tx) : Reflect.get(of, name)),
	}) as unknown as Sql;
}
