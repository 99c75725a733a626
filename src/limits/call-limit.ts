/** Holds callers to a policy: a call within it gets its headers, one beyond it is refused. */
import { retryOnFailure, type Sql } from "../database";
import { type Call, tenantOf } from "../operation";
import { Problem } from "../problem";
import type { Policy } from "./policy";
import { toRateHeaders } from "./rate-headers";
import { countCall } from "./store";

/** Counts a call of the tenant; answers the headers that tell what is left. Throws: the policy's slug, with `Retry-After`. */
export type CallLimit = (call: Call) => Promise<Record<string, string>>;

export function createCallLimit(sql: Sql, policy: Policy): CallLimit {
	const { name, windowSeconds } = policy;
	return async (call) => {
		const plan = call.principal?.plan;
		const quota = plan === undefined ? null : policy.quota[plan];
		if (quota === null) return {};
		const subjectId = tenantOf(call);
		const counted = await retryOnFailure(() => countCall(sql, { subjectId, policy: name, quota, windowSeconds }));
		const headers = toRateHeaders(policy, quota, counted.used, counted.freesInSeconds);
		if (counted.isWithin) return headers;
		throw new Problem(policy.slug, {
			detail: `The plan ${plan} allows ${quota} in ${windowSeconds} seconds.`,
			extensions: { limit: quota, windowSeconds },
			headers: { ...headers, "retry-after": String(Math.max(1, counted.freesInSeconds)) },
		});
	};
}
