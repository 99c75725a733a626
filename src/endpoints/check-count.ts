/** How many webhooks a company may have: as many as its plan says. */
import { PLAN_LIMITS } from "../limits";
import type { Plan } from "../operation";
import { Problem } from "../problem";

/**
 * Gap: what a webhook too many is answered with. It is a member too many of what was asked for, so a `validation-error` like others; the
 * company could have it in another plan, which the sentence says. Throws: validation-error.
 */
export function checkEndpointCount(plan: Plan, count: number, pointer: string): void {
	const maximum = PLAN_LIMITS[plan].webhookEndpoints;
	if (count <= maximum) return;
	const detail =
		maximum === 0
			? `The plan ${plan} has no webhooks: read the company's events at /v1/events.`
			: `The plan ${plan} has ${maximum} webhooks a company at most. Remove one first, or take a wider plan.`;
	throw new Problem("validation-error", { faults: [{ pointer, code: "too-many-webhooks", detail, maximum }] });
}
