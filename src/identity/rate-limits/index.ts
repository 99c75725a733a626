/** Rate limits and quotas by plan, shared by all processes. */

export { type CallerLimit, createCallerLimit, type Limits, openLimits, type RatesAtOnce, sweepLimits } from "./limits";
export { DOWNLOAD_LEVELS, PLAN_LIMITS, type PlanLimits } from "./plans";
export { callerOf, countedPolicyOf, isShared, limitClassOf, subjectIdOf, subjectOf } from "./policy";
export { beyondCount, type LimitHeaders, limitHeaders } from "./rate-headers";
