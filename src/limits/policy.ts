/** What is limited, and by how much for each plan. */
import type { Plan } from "../operation";
import type { ProblemSlug } from "../problem";

export type Policy = {
	/** Told to callers in the headers, and the name under which it is counted. */
	readonly name: string;
	/** Calls in a window; null has no limit and is not counted. */
	readonly quota: Readonly<Record<Plan, number | null>>;
	readonly windowSeconds: number;
	/** What a call beyond the quota is answered with. */
	readonly slug: Extract<ProblemSlug, "rate-limit-exceeded" | "polling-limit-exceeded">;
};

/** Test events: each makes the service call somebody at once. Source: the plan of limits; Gap: the operator's plan has none. */
export const WEBHOOK_TESTS: Policy = {
	name: "webhook-test",
	quota: { demo: 10, free: 10, starter: 10, business: 10, enterprise: 10, unlimited: null },
	windowSeconds: 60,
	slug: "rate-limit-exceeded",
};

/** Questions about where documents stand, alone or in a batch. Source: the specification, Limits, for the free plan. Gap: the others. */
export const POLLS: Policy = {
	name: "poll",
	quota: { demo: 120, free: 120, starter: 1_200, business: 12_000, enterprise: 120_000, unlimited: null },
	windowSeconds: 3_600,
	slug: "polling-limit-exceeded",
};
