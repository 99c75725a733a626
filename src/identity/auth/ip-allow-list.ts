import { BlockList, isIP } from "node:net";
import { parseRange } from "../../platform/values";

/** True for an address, or a range in CIDR form, that an allow-list may hold. */
export function isAddressRange(text: string): boolean {
	return parseRange(text) !== undefined;
}

/** Tells whether an address may use a key. An empty list allows all; an entry that cannot be read allows nobody. */
export function allowAddresses(list: readonly string[]): (address: string) => boolean {
	if (list.length === 0) return () => true;
	const allowed = new BlockList();
	for (const range of list.map(parseRange)) {
		if (range) allowed.addSubnet(range.address, range.bits, range.family);
	}
	return (address) => {
		// A socket that listens on both families shows an IPv4 caller as ::ffff:192.0.2.1.
		const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
		const version = isIP(plain);
		return version !== 0 && allowed.check(plain, version === 4 ? "ipv4" : "ipv6");
	};
}

/** True when every address of a range may use a key with this list; both have to be readable. */
export function isWithin(list: readonly string[], text: string): boolean {
	const inner = parseRange(text);
	if (!inner) return false;
	return list.map(parseRange).some((outer) => {
		if (!outer || outer.family !== inner.family || outer.bits > inner.bits) return false;
		const allowed = new BlockList();
		allowed.addSubnet(outer.address, outer.bits, outer.family);
		return allowed.check(inner.address, inner.family);
	});
}
