/** How many invoices one request may hold, by plan. */
import type { Call, Plan } from "../operation";
import { Problem } from "../problem";

type Limits = Readonly<Record<Plan, number>>;

/** Most invoices of any plan. */
export const BATCH_MAX = 500;

export const ISSUE_MAX: Limits = {
	demo: 10,
	free: 50,
	starter: 200,
	business: BATCH_MAX,
	enterprise: BATCH_MAX,
	unlimited: BATCH_MAX,
};

export const STATUS_MAX: Limits = {
	demo: 10,
	free: 100,
	starter: 250,
	business: BATCH_MAX,
	enterprise: BATCH_MAX,
	unlimited: BATCH_MAX,
};

/** Throws: validation-error when nothing is asked, or more than the caller's plan allows. */
export function checkCount(call: Call, pointer: string, count: number, limits: Limits): void {
	const plan = call.principal?.plan;
	if (!plan) throw new Error(`operation ${call.operation.id} has no principal`);
	const maximum = limits[plan];
	const fault =
		count === 0
			? { pointer, code: "too-few", detail: "Send at least one.", minimum: 1 }
			: { pointer, code: "too-many", detail: `The plan ${plan} takes at most ${maximum} at once.`, maximum };
	if (count === 0 || count > maximum) throw new Problem("validation-error", { faults: [fault] });
}
