/**
 * What a key gives, it has itself: nobody gets more by a key that one's own key makes or renews, neither scopes nor time nor
 * addresses. Otherwise a key that was lent for a week, or bound to an office, would make one that is neither.
 */
import type { Fault } from "../../../platform/problem";
import type { ApiKey } from "../api-key";
import { isWithin } from "../ip-allow-list";

/** The scopes wanted that the giver lacks. */
export function missingScopes(given: ReadonlySet<string>, wanted: readonly string[]): string[] {
	return wanted.filter((scope) => !given.has(scope));
}

/** What of a key's time and addresses goes beyond those of the key that gives it. */
export function findExcess(giver: ApiKey, wanted: Pick<ApiKey, "expiresAt" | "ipAllowList">): Fault[] {
	return [...findLateEnd(giver, wanted.expiresAt), ...findWideList(giver, wanted.ipAllowList)];
}

/** Faults of an end that the giver's own comes before; null is none at all. */
export function findLateEnd({ expiresAt: end }: ApiKey, wanted: Date | null): Fault[] {
	if (end === null || (wanted !== null && wanted <= end)) return [];
	const detail = `The key that you send ends at ${end.toISOString()}, and so must this one.`;
	return [{ pointer: "/expiresAt", code: "beyond-own-end", detail }];
}

/** Faults of an allow-list that lets in whom the giver's own does not. */
export function findWideList({ ipAllowList: own }: ApiKey, wanted: readonly string[]): Fault[] {
	if (own.length === 0) return [];
	const detail = "The key that you send is bound to addresses, and this goes beyond them.";
	if (wanted.length === 0) return [{ pointer: "/ipAllowList", code: "beyond-own-list", detail }];
	return wanted.flatMap((range, i) =>
		isWithin(own, range) ? [] : [{ pointer: `/ipAllowList/${i}`, code: "beyond-own-list", detail }],
	);
}
