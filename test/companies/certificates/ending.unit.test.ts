/** How many active certificates end soon, as operators see it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { countEnding } from "../../../src/companies";
import type { CertificateRow } from "../../../src/companies/certificates/store";
import { addTenant } from "../../events/webhooks/tenant";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCertificate } from "../support/certificate";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	// Leftovers of earlier tests do not count.
	await database.sql`update companies set status = 'closed'`;
});

const now = new Date("2028-06-30T12:00:00.000Z");
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const count = () => countEnding(database.sql, now);

async function addCompany(over: Partial<CertificateRow> = {}): Promise<string> {
	const tenantId = await addTenant(database.sql);
	await addCertificate(database.sql, tenantId, over);
	return tenantId;
}

test("a certificate counts in every period in which it ends, and then as ended", async () => {
	for (const days of [-40, -0.001, 0, 0.5, 1, 1.001, 7, 29, 30, 30.001, 400])
		await addCompany({ notAfter: inDays(days) });
	expect(await count()).toEqual({ ended: 2, in1d: 3, in7d: 5, in30d: 7 });
});

test("a certificate replaced in time is left out, one replaced too late is not", async () => {
	const plan = async (activateAt: Date, notAfter: Date) => {
		const tenantId = await addCompany({ notAfter: inDays(5) });
		await addCertificate(database.sql, tenantId, { status: "scheduled", activateAt, notAfter });
	};
	await plan(inDays(3), inDays(700));
	expect(await count()).toMatchObject({ in7d: 0, in30d: 0 });
	await plan(inDays(6), inDays(700));
	await plan(inDays(3), inDays(4));
	expect(await count()).toMatchObject({ in7d: 2 });
});

test("a scheduled certificate whose day has come counts instead of its predecessor", async () => {
	const tenantId = await addCompany({ notAfter: inDays(-1) });
	await addCertificate(database.sql, tenantId, { status: "scheduled", activateAt: inDays(-2), notAfter: inDays(20) });
	expect(await count()).toEqual({ ended: 0, in1d: 0, in7d: 0, in30d: 1 });
});

test("removed certificates and closed companies are left out, suspended ones count", async () => {
	const notAfter = inDays(2);
	await addCompany({ notAfter, status: "retired" });
	await addCompany({ notAfter, status: "removed", sealedKey: null });
	const [closed, suspended] = [await addCompany({ notAfter }), await addCompany({ notAfter })];
	await database.sql`update companies set status = 'closed' where tenant_id = ${closed}`;
	await database.sql`update companies set status = 'suspended' where tenant_id = ${suspended}`;
	expect(await count()).toMatchObject({ in7d: 1 });
});
