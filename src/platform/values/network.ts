/** The address of an API, which paths are put behind and callers are told. */
import { isIP } from "node:net";

/**
 * An address over HTTP that ends with its path, since what follows would stand before the paths, and has no login, which everybody would read. As it is
 * written, not as a URL's reader repairs it: a line end of the file that it was set in would stand in each link.
 */
export function isBaseUrl(text: string): boolean {
	return /^https?:\/\/(?!\/)[^\s\p{Cc}\\@?#]+$/iu.test(text) && URL.canParse(text);
}

/** A range of IPv4 or IPv6 addresses, as an allow-list or a setting holds it. */

export type AddressRange = { readonly address: string; readonly bits: number; readonly family: "ipv4" | "ipv6" };

/** Reads an address, or a range in CIDR form; undefined for any other text. */
export function parseRange(text: string): AddressRange | undefined {
	// Callers are told by their plain IPv4 address, so a list that spells it as IPv6 would match nobody.
	if (/^::ffff:/i.test(text)) return undefined;
	const match = /^([0-9A-Fa-f.:]{2,45})(?:\/(0|[1-9][0-9]{0,2}))?$/.exec(text);
	const address = match?.[1] ?? "";
	const version = isIP(address);
	const bitsMax = version === 4 ? 32 : 128;
	const bits = match?.[2] === undefined ? bitsMax : Number(match[2]);
	if (version === 0 || bits > bitsMax) return undefined;
	return { address, bits, family: version === 4 ? "ipv4" : "ipv6" };
}
