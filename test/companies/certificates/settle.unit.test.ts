import { afterAll, beforeAll, expect, test } from "bun:test";
import { settleAllDue } from "../../../src/companies";
import { listCertificates } from "../../../src/companies/certificates/store";
import { addTenant } from "../../events/webhooks/tenant";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCertificate } from "../support/certificate";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

test("a due scheduled certificate becomes active, and its predecessor retired", async () => {
	const day = new Date("2027-12-13T12:00:00.000Z");
	const tenantId = await addTenant(database.sql);
	const first = await addCertificate(database.sql, tenantId);
	const second = await addCertificate(database.sql, tenantId, { status: "scheduled", activateAt: day });
	const statuses = async () => {
		const rows = await listCertificates(database.sql, tenantId);
		return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
	};
	expect(await settleAllDue(database.sql, new Date(day.getTime() - 1))).toBe(0);
	expect(await statuses()).toEqual({ [first]: "active", [second]: "scheduled" });
	expect(await settleAllDue(database.sql, day)).toBe(1);
	expect(await statuses()).toEqual({ [first]: "retired", [second]: "active" });
	expect(await settleAllDue(database.sql, day)).toBe(0);
});
