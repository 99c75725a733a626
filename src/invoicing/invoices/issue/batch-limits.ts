/** How many invoices one request may hold, by plan. */
import { PLAN_LIMITS } from "../../../identity/rate-limits";
import type { Call } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";

/** Most invoices of any plan. */
export const BATCH_MAX = 500;

/**
 * Tells how many a request asks for, and holds them to the caller's plan. Throws: validation-error when nothing is asked, or more than
 * the plan allows.
 */
export function checkCount(call: Call, pointer: string, count: number, batch: "issue" | "status"): void {
	const plan = call.principal?.plan;
	if (!plan) throw new Error(`operation ${call.operation.id} has no principal`);
	call.countItems?.(count);
	const maximum = PLAN_LIMITS[plan].batch[batch];
	const fault =
		count === 0
			? { pointer, code: "too-few", detail: "Send at least one.", minimum: 1 }
			: { pointer, code: "too-many", detail: `The plan ${plan} takes at most ${maximum} at once.`, maximum };
	if (count === 0 || count > maximum) throw new Problem("validation-error", { faults: [fault] });
}
