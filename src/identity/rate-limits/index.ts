/** How often and how much a caller may do something: by plan, as one for all processes. */

export { type CallerLimit, createCallerLimit } from "./concurrency-limit";
export { type Limits, openLimits, type RatesAtOnce } from "./limits";
export { PLAN_LIMITS, type PlanLimits } from "./plans";
export { limitClassOf } from "./policy";
export { beyondCount, type LimitHeaders, limitHeaders } from "./rate-headers";
export { callerOf } from "./subject";
export { sweepLimits } from "./sweep";
