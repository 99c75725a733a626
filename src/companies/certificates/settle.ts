import { lockCompany } from "../../events/endpoints";
import type { Sql } from "../../platform/database";
import { findTenantsDue, settleDue } from "./store";

/** Writes down for all companies that a scheduled certificate's day has come; it has signed since. Gives their number. */
export async function settleAllDue(sql: Sql, now: Date): Promise<number> {
	const tenants = await findTenantsDue(sql, now);
	for (const tenantId of tenants) {
		await sql.begin(async (tx) => {
			await lockCompany(tx, tenantId);
			await settleDue(tx, tenantId, now);
		});
	}
	return tenants.length;
}
