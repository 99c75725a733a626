/** What a limit tells its callers. Source: RateLimit header fields for HTTP, draft-ietf-httpapi-ratelimit-headers-10. */
import type { Policy } from "./policy";

/** `r` calls are left; in `t` seconds the oldest one counts no more. */
export function toRateHeaders(policy: Policy, quota: number, used: number, freesInSeconds: number) {
	return {
		"ratelimit-policy": `"${policy.name}";q=${quota};w=${policy.windowSeconds}`,
		ratelimit: `"${policy.name}";r=${Math.max(0, quota - used)};t=${freesInSeconds}`,
	};
}

/** The headers as an operation declares them. */
export const limitHeaders = {
	"RateLimit-Policy": "The limit of the plan: `q` calls in `w` seconds.",
	RateLimit: "`r` calls are left; in `t` seconds the oldest one counts no more.",
} as const;
