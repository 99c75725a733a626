/** Whose numbers fill a watchlist. */
import { expect, test } from "bun:test";
import { listIssuers } from "../../../src/exchange/reception";
import { listCounterparties } from "../../../src/invoicing/reports";
import { addArchived } from "../../support/archived";
import { openTestDatabase } from "../../support/database";

test("buyers are those of sales, suppliers those of purchases and received documents", async () => {
	const database = await openTestDatabase();
	const { tenantId } = await addArchived(database.owner, "sandbox");
	const add = (day: string, rnc: string, type: string, status = "a") => database.owner`
		insert into customer_sums (tenant_id, environment, month, customer_rnc, type, status, newest, count, subtotal, tax)
		values (${tenantId}, 't', date_trunc('month', ${day}::date), ${rnc}, ${type}, ${status}, ${day}, 1, 10000, 1800)`;
	await add("2026-11-20", "990000001", "31");
	await add("2026-11-22", "990000002", "32");
	await add("2026-11-23", "990000001", "34");
	await add("2026-11-24", "990000003", "31", "r");
	await add("2026-11-25", "990000004", "41");
	await add("2026-11-25", "", "43");
	const documents = async (found: ReturnType<typeof listIssuers>) => (await found).map(({ document }) => document);
	expect(await documents(listCounterparties(database.sql, tenantId, "buyers"))).toEqual(["990000001", "990000002"]);
	expect(await documents(listCounterparties(database.sql, tenantId, "sellers"))).toEqual(["990000004"]);
	expect(await documents(listIssuers(database.sql, tenantId))).toEqual(["101010101"]);
	await database.close();
});
