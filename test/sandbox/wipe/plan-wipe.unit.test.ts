import { afterAll, beforeAll, expect, test } from "bun:test";
import { planDocumentWipe, planWipe, type Rows, tenantColumnOf } from "../../../src/sandbox/wipe/plan-wipe";
import { readCatalogue } from "../../../src/sandbox/wipe/store";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

/** Tables without tenant data, whatever refers to them. */
const WITHOUT_TENANT = [
	...[
		"announcement_mails",
		"api_keys",
		"authority_breaker",
		"deployment",
		"owners",
		"registry_change_sets",
		"registry_changes",
	],
	...[
		"peer_seeds_used",
		"registry_runs",
		"registry_tombstones",
		"revoked_tokens",
		"schema_migrations",
		"token_signing_keys",
	],
];

test("every table with a tenant's rows is in the plan, and all that refer to one", async () => {
	const catalogue = await readCatalogue(database.sql);
	const planned = planWipe(catalogue).map(({ table }) => table);
	const withTenant = await database.sql<{ name: string }[]>`
		select table_name as name from information_schema.columns
		where table_schema = 'public' and column_name = 'tenant_id'
			and not (select relispartition from pg_class where oid = to_regclass(quote_ident(table_name)))`;
	// The archive's rows contain digests and stay.
	const kept = ["seals", "seal_chains"];
	for (const { name } of withTenant) if (!kept.includes(name)) expect(planned).toContain(name);
	for (const table of kept) expect(planned).not.toContain(table);
	for (const { table, parent } of catalogue.references) if (planned.includes(parent)) expect(planned).toContain(table);
	expect(planned).toContain("idempotency_keys");
	expect(planned).toContain("call_counts");
	for (const table of WITHOUT_TENANT) expect(planned).not.toContain(table);
});

test("rows that refer to others go before them, and companies last of all", async () => {
	const catalogue = await readCatalogue(database.sql);
	for (const plan of [planWipe(catalogue), planDocumentWipe(catalogue)]) {
		const placeOf = new Map(plan.map(({ table }, n) => [table, n]));
		for (const { table, parent } of catalogue.references) {
			const [child, other] = [placeOf.get(table), placeOf.get(parent)];
			if (table !== parent && child !== undefined && other !== undefined) expect(child).toBeLessThan(other);
		}
	}
	expect(planWipe(catalogue).at(-1)?.table).toBe("companies");
});

test("documents of a company go without the company, its numbers and its credentials", async () => {
	const planned = planDocumentWipe(await readCatalogue(database.sql)).map(({ table }) => table);
	const wanted = [
		"invoices",
		"signed_documents",
		"events",
		"deliveries",
		"outbox",
		"idempotency_keys",
		"received_documents",
		"received_standings",
		"approvals",
		"approval_documents",
		"approval_deliveries",
		"approval_attempts",
		"approval_answers",
		"test_sets",
		"test_set_cases",
	];
	for (const table of wanted) expect(planned).toContain(table);
	for (const table of ["companies", "oauth_clients", "sequences"]) expect(planned).not.toContain(table);
});

test("tables with composite keys, and tables that refer to them, are found", () => {
	const column = (table: string, name: string) => ({ table, column: name, type: "uuid" });
	const catalogue = {
		columns: [column("things", "tenant_id"), column("parts", "n"), column("screws", "n"), column("others", "n")],
		references: [
			{ table: "parts", columns: ["a", "b"], parent: "things", parentColumns: ["x", "y"] },
			{ table: "screws", columns: ["part"], parent: "parts", parentColumns: ["id"] },
		],
	};
	const things: Rows = {
		table: "things",
		hasTenant: true,
		column: { name: "tenant_id", type: "uuid" },
		references: [],
	};
	const parts: Rows = {
		table: "parts",
		hasTenant: false,
		references: [{ columns: ["a", "b"], parentColumns: ["x", "y"], rows: things }],
	};
	const screws: Rows = {
		table: "screws",
		hasTenant: false,
		references: [{ columns: ["part"], parentColumns: ["id"], rows: parts }],
	};
	expect(planWipe(catalogue)).toEqual([screws, parts, things]);
	expect(tenantColumnOf(catalogue, "others")).toBeUndefined();
});

test("a table with a document column is also selected by its other references", () => {
	const columnsOf = (table: string, ...names: string[]) => names.map((column) => ({ table, column, type: "uuid" }));
	const reference = (table: string, column: string, parent: string, parentColumn: string) => ({
		...{ table, columns: [column], parent, parentColumns: [parentColumn] },
	});
	const catalogue = {
		columns: [
			...columnsOf("words", "id", "tenant_id", "doc_id", "received_id"),
			...columnsOf("invoices", "doc_id", "tenant_id"),
			...columnsOf("received_documents", "id", "tenant_id"),
		],
		references: [
			reference("words", "doc_id", "invoices", "doc_id"),
			reference("words", "received_id", "received_documents", "id"),
		],
	};
	const byColumn = (table: string, name: string) => ({ table, hasTenant: true, column: { name, type: "uuid" } });
	const received: Rows = { ...byColumn("received_documents", "id"), references: [] };
	expect(planDocumentWipe(catalogue)).toEqual([
		{
			...byColumn("words", "doc_id"),
			references: [{ columns: ["received_id"], parentColumns: ["id"], rows: received }],
		},
		{ ...byColumn("invoices", "doc_id"), references: [] },
		received,
	]);
	const [words] = planWipe(catalogue);
	expect(words).toEqual({ ...byColumn("words", "tenant_id"), references: [] });
});

test("circular references between tables are reported", () => {
	const reference = (table: string, parent: string) => ({ table, columns: ["a"], parent, parentColumns: ["id"] });
	const catalogue = {
		columns: ["one", "two"].map((table) => ({ table, column: "tenant_id", type: "uuid" })),
		references: [reference("one", "two"), reference("two", "one")],
	};
	expect(() => planWipe(catalogue)).toThrow("in a circle: one, two");
});
