/** Forgets what no limit asks for any more. */
import type { Sql } from "../../platform/database";
import { PLAN_LIMITS } from "./plans";
import { deleteCounts, deleteFullBuckets } from "./store";
import { SLICES } from "./window";

/** Buckets that are full again, and counts of addresses whose window is over: those of tenants are one row each. Answers how many. */
export async function sweepLimits(sql: Sql): Promise<number> {
	let swept = await deleteFullBuckets(sql);
	for (const [kind, quota] of Object.entries(PLAN_LIMITS.demo.counted)) {
		swept += await deleteCounts(sql, `demo-${kind}`, quota.windowSeconds / SLICES);
	}
	return swept;
}
