/** A company with many documents moves to another environment of the authority. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { moveNumbers } from "../../src/companies/move-store";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { addCompany } from "../support/submission";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

/** A company with decided documents of the test environment that appear in reports, created with SQL. */
async function addDecided(documents: number): Promise<string> {
	const tenantId = await addCompany(database.sql);
	await database.owner`
		with made as (
			insert into invoices (doc_id, track_id, tenant_id, type, encf, request, acknowledgement, print, warnings, registry, signed_at, status, phase,
				received_at, decided_at, sums)
			select gen_random_uuid(), gen_random_uuid(), ${tenantId}, '31', 'E31' || lpad(n::text, 10, '0'), '{}', '{}',
				'{"qrUrl": "https://authority.example/testecf/ConsultaTimbre?"}', '[]', '{}', now(), 'accepted', 'decided', now(), now(),
				'{"issueDate": "2026-02-01", "subtotal": "100.00", "tax": "18.00"}'
			from generate_series(1, ${documents}::int) n
			returning doc_id, tenant_id, type, status
		)
		insert into report_documents (tenant_id, day, doc_id, type, status, branch, customer_rnc, subtotal, tax, sha256, authority_environment)
		select tenant_id, '2026-02-01', doc_id, type, status, '', '', 100, 18, sha256(doc_id::text::bytea), 'test' from made`;
	return tenantId;
}

test("thousands of documents release their numbers in time and stay in the reports", async () => {
	const { sql } = database;
	const [small, large] = [await addDecided(1), await addDecided(6_000)];
	await sql.begin(async (tx) => {
		// A sixth of the limit for the service's statements. A plan made for a single document, which compares each with each, would exceed all of it.
		await tx`set local statement_timeout = '5s'`;
		for (const tenantId of [small, large]) await moveNumbers(tx, tenantId, { from: "test", to: "certification" });
	});
	const rows = await sql`
		select count(*) filter (where encf_released and encf_elsewhere)::int as released,
			(select count(*)::int from report_documents r where r.tenant_id = i.tenant_id) as reported
		from invoices i group by i.tenant_id order by count(*)`;
	expect([...rows]).toEqual([
		{ released: 1, reported: 1 },
		{ released: 6_000, reported: 6_000 },
	]);
}, 60_000);
