/** How many webhooks a company may have: as many as its plan says. */
import { PLAN_LIMITS } from "../../identity/rate-limits";
import type { Plan } from "../../platform/operation";
import { type Fault, Problem } from "../../platform/problem";

/**
 * The fault of a company that would have so many webhooks; none when its plan has as many.
 *
 * Gap: what a webhook too many is answered with. It is a member too many of what was asked for, so a fault of a `validation-error` like
 * others; the company could have it in another plan, which the sentence says.
 */
export function findTooManyEndpoints(plan: Plan, count: number, pointer: string): Fault[] {
	const maximum = PLAN_LIMITS[plan].webhookEndpoints;
	if (count <= maximum) return [];
	const detail =
		maximum === 0
			? `The plan ${plan} has no webhooks: read the company's events at /v1/events.`
			: `The plan ${plan} has ${maximum} webhooks a company at most. Remove one first, or take a wider plan.`;
	return [{ pointer, code: "too-many-webhooks", detail, maximum }];
}

/** Throws: validation-error. */
export function checkEndpointCount(plan: Plan, count: number, pointer: string): void {
	const faults = findTooManyEndpoints(plan, count, pointer);
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}
