/** The public address of the API, to which paths are appended. */
import { isIP } from "node:net";

/**
 * An HTTP address that ends with its path, since a query would stand before the paths, and without a login, which everyone would read. The
 * text is checked as written: a URL parser would repair a line break that then stood in every link.
 */
export function isBaseUrl(text: string): boolean {
	return /^https?:\/\/(?!\/)[^\s\p{Cc}\\@?#]+$/iu.test(text) && URL.canParse(text);
}

/** A range of IPv4 or IPv6 addresses, as allow-lists and settings use it. */

type AddressRange = { readonly address: string; readonly bits: number; readonly family: "ipv4" | "ipv6" };

/** This machine's own. */
export const LOOPBACK_RANGES: readonly string[] = ["127.0.0.0/8", "::1"];

/** Reads an address or a CIDR range; undefined for any other text. */
export function parseRange(text: string): AddressRange | undefined {
	// Callers are known by their plain IPv4 address, so a list that writes it as IPv6 would match none.
	if (/^::ffff:/i.test(text)) return undefined;
	const match = /^([0-9A-Fa-f.:]{2,45})(?:\/(0|[1-9][0-9]{0,2}))?$/.exec(text);
	const address = match?.[1] ?? "";
	const version = isIP(address);
	const bitsMax = version === 4 ? 32 : 128;
	const bits = match?.[2] === undefined ? bitsMax : Number(match[2]);
	if (version === 0 || bits > bitsMax) return undefined;
	return { address, bits, family: version === 4 ? "ipv4" : "ipv6" };
}

const FORWARDING = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/** Whether a proxy says that it passes a request on. */
export function isForwarded(headers: Headers): boolean {
	return FORWARDING.some((name) => headers.has(name));
}

/** Names and addresses of this machine. */
export function isLoopbackHost(host: string): boolean {
	return host === "localhost" || host === "[::1]" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
