/** The headers and problems of limits. Source: RateLimit header fields for HTTP, draft-ietf-httpapi-ratelimit-headers-10. */
import { Problem } from "../../platform/problem";
import type { Policy, RatePolicy } from "./policy";

/** What callers see of a limit, wherever it is counted. */
type ShownPolicy = Omit<Policy, "place" | "ofWhatIsMade">;
type Window = Pick<Policy, "name" | "quota" | "windowSeconds">;

export type LimitHeaders = { readonly "ratelimit-policy": string; readonly ratelimit: string };

export const limitHeaders = {
	"RateLimit-Policy": "The plan's limits for this operation, by name: `q` calls in `w` seconds.",
	RateLimit:
		"What is left, by name: `r` calls. More are available in `t` seconds: all of them for a rate, one for a counted limit.",
} as const;

export const toPolicyText = ({ name, quota, windowSeconds }: Window) => `"${name}";q=${quota};w=${windowSeconds}`;
const toLeftText = ({ name }: Window, left: number, seconds: number) => `"${name}";r=${left};t=${seconds}`;

export function toHeaders(policy: Window, left: number, seconds: number): LimitHeaders {
	return { "ratelimit-policy": toPolicyText(policy), ratelimit: toLeftText(policy, left, seconds) };
}

/** What is left of a rate, in whole calls: so few texts that each is built once. */
export function createLeftTexts(policy: RatePolicy): (level: number) => string {
	const texts: string[] = [];
	return (level) => {
		const left = Math.max(0, Math.floor(level));
		const known = texts[left];
		if (known !== undefined) return known;
		const text = toLeftText(policy, left, Math.ceil((policy.quota - left) / policy.perSecond));
		texts[left] = text;
		return text;
	};
}

/** For two limits that apply together. */
export function joinHeaders(one: LimitHeaders | undefined, other: LimitHeaders | undefined): LimitHeaders | undefined {
	if (!one || !other) return one ?? other;
	return {
		"ratelimit-policy": `${one["ratelimit-policy"]}, ${other["ratelimit-policy"]}`,
		ratelimit: `${one.ratelimit}, ${other.ratelimit}`,
	};
}

export function beyond(policy: ShownPolicy, retryAfter: number, headers: LimitHeaders | undefined): Problem {
	const { quota: limit, windowSeconds, name } = policy;
	return new Problem(policy.slug, {
		detail: policy.detail,
		extensions: { limit, windowSeconds, retryAfter, policy: name },
		headers: { ...headers, "retry-after": String(retryAfter) },
	});
}

/** The same for exact counts, where the next call is possible when the oldest leaves the window. */
export function beyondCount(policy: ShownPolicy, retryAfter: number): Problem {
	return beyond(policy, retryAfter, toHeaders(policy, 0, retryAfter));
}
