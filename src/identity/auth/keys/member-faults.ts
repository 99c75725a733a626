/** What a schema cannot say of the members of a key. */
import type { Fault } from "../../../platform/problem";
import { isAddressRange } from "../ip-allow-list";

/** Faults of an end; undefined is one that could not be read. */
export function findEndFaults(end: Date | undefined, now: Date): Fault[] {
	const pointer = "/expiresAt";
	if (!end) {
		const detail = "Send an instant with its zone, such as 2026-12-01T00:00:00-04:00.";
		return [{ pointer, code: "invalid-instant", detail }];
	}
	return end > now ? [] : [{ pointer, code: "not-to-come", detail: "Send a moment to come; to end a key, delete it." }];
}

export function findRangeFaults(range: string, i: number): Fault[] {
	if (isAddressRange(range)) return [];
	const detail = "Send an IPv4 or IPv6 address or a range such as 192.0.2.0/24 or 2001:db8::/32.";
	return [{ pointer: `/ipAllowList/${i}`, code: "invalid-address", detail }];
}
