/**
 * The caller's address: the socket's peer, or, if the peer is a proxy that the operator trusts, what the proxy reports.
 *
 *   X-Forwarded-For: 203.0.113.9, 198.51.100.7, 10.0.0.5        peer 10.0.0.2
 *                    the caller's   ▲ the caller   trusted     trusted
 *                    own claim      └── right-most that is not trusted
 *
 * Each proxy appends the address that called it, so the header is read from its end. Whatever stands before the first untrusted address is the caller's
 * own claim and is not read. The header of an untrusted peer is ignored. An unreadable address, or a chain of trusted addresses only, gives the peer.
 */
import { BlockList, isIP } from "node:net";
import { parseAddress } from "../../platform/egress";
import { isForwarded, parseRange } from "../../platform/values";

/** `peer` is the socket's address; `forwardedFor` returns the `X-Forwarded-For` header, several joined by commas. */
export type ReadCallerAddress = (peer: string, forwardedFor: () => string | null) => string;

/** `trusted` lists addresses and CIDR ranges; without any the header is not read. */
export function trustProxies(trusted: readonly string[]): ReadCallerAddress {
	if (trusted.length === 0) return (peer) => peer;
	const isTrusted = listNetworks(trusted);
	return (peer, forwardedFor) => {
		const nearest = readHop(peer);
		if (nearest === undefined || !isTrusted(nearest)) return peer;
		for (const hop of (forwardedFor() ?? "").split(",").reverse()) {
			const address = readHop(hop.trim());
			if (address === undefined) return peer;
			if (!isTrusted(address)) return address;
		}
		return peer;
	};
}

/** Whether an address is in one of the ranges. */
export function listNetworks(texts: readonly string[]): (address: string) => boolean {
	const networks = new BlockList();
	for (const { address, bits, family } of texts.flatMap((text) => parseRange(text) ?? []))
		networks.addSubnet(address, bits, family);
	return (address) => isIP(address) !== 0 && networks.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

/**
 * Whether a request comes from the operator's networks. Behind a proxy that is not trusted every caller has the proxy's address, so what such a
 * proxy passes on does not count.
 */
export type IsFromOperator = (request: Request, address: { readonly peer: string; readonly caller: string }) => boolean;

export function admitOperators(networks: readonly string[]): IsFromOperator {
	const isOperators = listNetworks(networks);
	return ({ headers }, { peer, caller }) =>
		isOperators(readHop(caller) ?? "") && (caller !== peer || !isForwarded(headers));
}

/** One address of the chain without port and brackets, IPv4-mapped ones as IPv4; undefined for anything else, such as `unknown` and zones. */
function readHop(text: string): string | undefined {
	const [, bracketed, withPort] = FORMS.exec(text) ?? [];
	const address = bracketed ?? withPort ?? text;
	const bytes = parseAddress(address);
	if (!bytes || (bracketed !== undefined && bytes.length === 4)) return undefined;
	const isMapped = bytes.length === 16 && MAPPED.every((byte, i) => bytes[i] === byte);
	return isMapped ? bytes.subarray(12).join(".") : address;
}

/** `[2001:db8::1]` and `[2001:db8::1]:443`, and `192.0.2.1:443`; a bare IPv6 address has no port. */
const FORMS = /^(?:\[([^\]]*:[^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/;
/** Source: RFC 4291, 2.5.5.2. */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
