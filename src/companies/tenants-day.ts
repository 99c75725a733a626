import { toLocalIsoDate } from "../platform/values";

/** A tenant's day (`YYYY-MM-DD`, UTC-4) at an instant, by a test clock that is ahead of it. */
export function tenantsDay(now: Date, aheadSeconds: number): string {
	return toLocalIsoDate(new Date(now.getTime() + aheadSeconds * 1_000));
}
