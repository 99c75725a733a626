import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
import { type ListCursor, listArchived } from "../../../src/archive/documents/store";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
const tenantId = newId();
const COUNT = 20_000;
const NIL = "00000000-0000-0000-0000-000000000000";
beforeAll(async () => {
	database = await openTestDatabase();
	const { sql } = database;
	// Of many tenants one with most of the documents; one in nine of them was rejected.
	// Places in the trees and chains are not what is asked for here.
	await sql`
		insert into seals (doc_id, n, tenant_id, shard, leaf, link, link_hash, sha256, bytes, decided_at, retain_until, encf, type, status)
		select d, 1, t, 0, n, n, sha256(uuid_send(d)), sha256(uuid_send(d)), 100, at, at + interval '10 years', 'E310000000001',
			case when n % 50 = 1 then '44' else '31' end, case when n % 10 = 3 then 'rejected' else 'accepted' end
		from (
			select n, gen_random_uuid() as d, case when n % 10 = 0 then gen_random_uuid() else ${tenantId}::uuid end as t,
				-- Ten of one instant each: their order is that of their ids.
				timestamptz '2026-01-01' + (n / 10) * interval '1 minute' as at
			from generate_series(1, ${COUNT}) n
		) rows`;
	await sql`analyze seals`;
});
afterAll(() => database.close());

test("pages have no gap and no repeat, even among documents of one instant", async () => {
	const { sql } = database;
	const all = await sql<{ id: string }[]>`
		select doc_id as id from seals where tenant_id = ${tenantId} and type = '44' order by decided_at desc, doc_id desc`;
	const paged: string[] = [];
	let after: ListCursor | undefined;
	do {
		const rows = await listArchived(sql, tenantId, { type: "44", after }, 7);
		const page = rows.slice(0, 7);
		paged.push(...page.map(({ docId }) => docId));
		after = rows.length > 7 ? page.at(-1) : undefined;
	} while (after);
	expect(paged).toEqual(all.map(({ id }) => id));
});

type Node = {
	readonly "Relation Name"?: string;
	readonly "Node Type": string;
	readonly "Actual Rows": number;
	readonly "Rows Removed by Filter"?: number;
	readonly Plans?: readonly Node[];
};

/** How many rows of the index a statement looked at. */
function countRead(node: Node): number {
	const own = node["Relation Name"]?.startsWith("seals")
		? node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)
		: 0;
	return (node.Plans ?? []).reduce((sum, one) => sum + countRead(one), own);
}

test.each([
	["no filter", {}],
	["days", { from: "2026-01-01", to: "2026-01-01" }],
	["a type that is rare", { type: "44" }],
	["what was rejected", { status: "rejected" }],
	["a cursor in the middle", { after: { decidedAt: new Date("2026-01-01T12:00:00Z"), docId: NIL, n: 1 } }],
])("a page with %s is a walk along an index: a page costs its rows", async (_, filter) => {
	const sent: { readonly text: string; readonly parameters: unknown[] }[] = [];
	const debug = (_: number, text: string, parameters: unknown[]) => void sent.push({ text, parameters });
	const sql = postgres(database.url, { debug, max: 1, fetch_types: false });
	try {
		expect(await listArchived(sql, tenantId, filter, 25)).toHaveLength(26);
		const { text = "", parameters = [] } = sent.find((one) => one.text.includes("from seals")) ?? {};
		const [row] = await sql.unsafe(`explain (analyze, format json) ${text}`, parameters as never[]);
		const [explained] = (row?.["QUERY PLAN"] ?? []) as { Plan: Node }[];
		if (!explained) throw new Error("expected a plan");
		// Each of the partitions may read a row ahead.
		expect(countRead(explained.Plan)).toBeLessThanOrEqual(30);
	} finally {
		await sql.end();
	}
});
