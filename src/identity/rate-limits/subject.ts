/** Who is counted: a tenant, an owner, or behind a shared key an address. */
import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Call, LimitClass, Principal } from "../../platform/operation";

/** True where the caller is known by the address only. */
export function isShared(principal: Principal | undefined): boolean {
	return principal === undefined || principal.plan === "demo";
}

/** Whoever is limited by a call: the tenant or owner, behind a shared key the address. */
export function callerOf({ principal, remoteAddress }: Call, limit: LimitClass): string {
	return !principal || isShared(principal) ? toAddressSubject(remoteAddress) : subjectOf(principal, limit);
}

/** A tenant; for the registry and whatever only a key is sent for, the key's owner. The demo key of a newcomer's own sandbox has none. */
export function subjectOf(principal: Principal, limit: LimitClass): string {
	const { ownerId, tenantId, keyId } = principal;
	const isRegistry = limit === "lookup" || limit === "search";
	return (isRegistry ? (ownerId ?? tenantId) : (tenantId ?? ownerId)) ?? keyId ?? "nobody";
}

/**
 * An address as callers are told apart by it: IPv4 whole, of IPv6 the first 64 bits, since one customer of a provider has all of the rest.
 * Source: RFC 6177.
 */
export function toAddressSubject(address: string): string {
	const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/%.*$/, "");
	return isIPv6(plain) ? `${firstGroups(plain).join(":")}::/64` : plain;
}

/** An id for tables that hold ids; addresses are personal data and do not stand there as such. */
export function toAddressId(subject: string): string {
	const hex = createHash("sha256").update(`address|${subject}`).digest("hex");
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

function firstGroups(address: string): string[] {
	const [head = "", tail] = address.split("::");
	const before = groupsOf(head);
	const after = tail === undefined ? [] : groupsOf(tail);
	const zeros = new Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
	return [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4);
}

/** An IPv4 tail takes two groups, none of them among the first four. */
function groupsOf(text: string): string[] {
	if (text === "") return [];
	return text.split(":").flatMap((group) => {
		return group.includes(".") ? ["0", "0"] : [Number.parseInt(group, 16).toString(16)];
	});
}
