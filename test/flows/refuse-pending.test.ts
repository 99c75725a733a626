/** A move between the authority's environments also waits for a document that is just being stored. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { beginMove, refusePending } from "../../src/companies";
import { storeParts } from "../../src/invoicing/invoices/issue";
import type { Tx } from "../../src/platform/database";
import { Problem } from "../../src/platform/problem";
import { documentUnder, encfOf, insertTenant } from "../invoicing/sequences/support/numbered";
import { runBeside } from "../support/beside";
import { openTestDatabase, type TestDatabase } from "../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

async function move(tx: Tx, tenantId: string): Promise<void> {
	await beginMove(tx, tenantId);
	await refusePending(tx, tenantId);
}

test("a company does not move past a document that is being stored", async () => {
	const { sql } = database;
	const tenantId = await insertTenant(sql);
	await sql.begin((tx) => move(tx, tenantId));
	const refused = await runBeside(
		sql,
		(tx) => storeParts(tx, [documentUnder(tenantId, encfOf(1))]),
		() => sql.begin((tx) => move(tx, tenantId)).catch((error: unknown) => error),
		"pg_advisory_xact_lock",
	);
	if (!(refused instanceof Problem)) throw new Error(`expected a problem, got ${refused}`);
	expect(refused.faults).toMatchObject([{ pointer: "/authorityEnvironment", code: "documents-pending" }]);
});
