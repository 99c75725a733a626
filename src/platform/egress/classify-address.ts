/**
 * Decides whether an IP address is on the public internet, by its bytes: one address has many spellings.
 *
 * Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates); the metadata addresses of cloud platforms. An
 * IPv6 address that carries an IPv4 address as its destination is judged by that one.
 */

/** `public`, or the reason why not. */
type AddressClass =
	| "public"
	| "unspecified"
	| "private"
	| "shared"
	| "loopback"
	| "link-local"
	| "protocol-assignment"
	| "documentation"
	| "benchmarking"
	| "tunnel"
	| "translation"
	| "multicast"
	| "reserved"
	| "platform";

type Range = { readonly start: Uint8Array; readonly bits: number; readonly is: AddressClass };

/** Ranges that are not public; all other IPv4 addresses are. */
const ranges4: readonly Range[] = [
	range("0.0.0.0/8", "unspecified"),
	range("10.0.0.0/8", "private"),
	range("100.64.0.0/10", "shared"),
	range("127.0.0.0/8", "loopback"),
	// Includes 169.254.169.254, where clouds serve credentials.
	range("169.254.0.0/16", "link-local"),
	range("172.16.0.0/12", "private"),
	range("192.0.0.0/24", "protocol-assignment"),
	range("192.0.2.0/24", "documentation"),
	range("192.88.99.0/24", "tunnel"),
	range("192.168.0.0/16", "private"),
	range("198.18.0.0/15", "benchmarking"),
	range("198.51.100.0/24", "documentation"),
	range("203.0.113.0/24", "documentation"),
	range("224.0.0.0/4", "multicast"),
	range("240.0.0.0/4", "reserved"),
	// Azure's endpoint for its machines: a public number that is answered internally.
	range("168.63.129.16/32", "platform"),
];

/** Ranges inside 2000::/3 that are not public, and names of ranges outside it, none of which is public. */
const ranges6: readonly Range[] = [
	range("::/128", "unspecified"),
	range("::1/128", "loopback"),
	range("64:ff9b:1::/48", "translation"),
	range("100::/63", "reserved"),
	range("fc00::/7", "private"),
	range("fe80::/10", "link-local"),
	range("fec0::/10", "private"),
	range("ff00::/8", "multicast"),
	// Teredo: its IPv4 address is only claimed by the sender.
	range("2001::/32", "tunnel"),
	range("2001::/23", "protocol-assignment"),
	range("2001:db8::/32", "documentation"),
	// 6to4 wraps any IPv4 address, including private ones, and is withdrawn (RFC 7526).
	range("2002::/16", "tunnel"),
	range("3fff::/20", "documentation"),
];

const globalUnicast = range("2000::/3", "public");
/** The last four bytes are the IPv4 destination: mapped (RFC 4291) and translated (RFC 6052). */
const carriers = [range("::ffff:0:0/96", "translation"), range("64:ff9b::/96", "translation")];

/** Classifies an address of 4 or 16 bytes. */
export function classifyAddress(address: Uint8Array): AddressClass {
	if (address.length === 4) return ranges4.find((r) => contains(r, address))?.is ?? "public";
	if (address.length !== 16) return "reserved";
	if (carriers.some((r) => contains(r, address))) return classifyAddress(address.subarray(12));
	const special = ranges6.find((r) => contains(r, address));
	if (special) return special.is;
	return contains(globalUnicast, address) ? "public" : "reserved";
}

/** The bytes of an IPv4 or IPv6 address; undefined for any other text, including scoped addresses (`fe80::1%eth0`). */
export function parseAddress(text: string): Uint8Array | undefined {
	return text.includes(":") ? parse6(text) : parse4(text);
}

function parse4(text: string): Uint8Array | undefined {
	const parts = text.split(".");
	// Some readers take a leading zero for octal.
	if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) {
		return undefined;
	}
	return Uint8Array.from(parts, Number);
}

function parse6(text: string): Uint8Array | undefined {
	const halves = text.split("::").map((half, i, all) => parseGroups(half, i === all.length - 1));
	const [head, tail] = halves;
	if (!head || halves.length > 2) return undefined;
	if (halves.length === 1) return head.length === 16 ? Uint8Array.from(head) : undefined;
	if (!tail || head.length + tail.length > 14) return undefined;
	return Uint8Array.from([...head, ...new Array<number>(16 - head.length - tail.length).fill(0), ...tail]);
}

/** Bytes of groups such as `64:ff9b`, or in the last half `ffff:10.0.0.1`; undefined when malformed. */
function parseGroups(text: string, isLast: boolean): number[] | undefined {
	if (text === "") return [];
	const groups = text.split(":");
	const bytes: number[] = [];
	for (const [i, group] of groups.entries()) {
		const quad = isLast && i === groups.length - 1 ? parse4(group) : undefined;
		if (quad) bytes.push(...quad);
		else if (/^[0-9a-fA-F]{1,4}$/.test(group))
			bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255);
		else return undefined;
	}
	return bytes;
}

function range(cidr: string, is: AddressClass): Range {
	const [address = "", bits] = cidr.split("/");
	const start = parseAddress(address);
	if (!start) throw new RangeError(`not an address range: ${cidr}`);
	return { start, bits: Number(bits), is };
}

function contains(range: Range, address: Uint8Array): boolean {
	if (range.start.length !== address.length) return false;
	for (let i = 0, left = range.bits; left > 0; i++, left -= 8) {
		const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff;
		if (((address[i] ?? 0) & mask) !== ((range.start[i] ?? 0) & mask)) return false;
	}
	return true;
}
