/** How often and how much a caller may do something: by plan, as one for all processes. */

export { type CallerLimit, createCallerLimit, type Limits, openLimits, type RatesAtOnce, sweepLimits } from "./limits";
export { PLAN_LIMITS, type PlanLimits } from "./plans";
export { callerOf, limitClassOf } from "./policy";
export { beyondCount, type LimitHeaders, limitHeaders } from "./rate-headers";
