import { expect, test } from "bun:test";
import fc from "fast-check";
import { classifyAddress, parseAddress } from "../../../src/platform/egress";

function classify(text: string): string {
	const bytes = parseAddress(text);
	return bytes ? classifyAddress(bytes) : "unreadable";
}

/** Each range with its first and last address, and the neighbours just outside. */
const ranges: [first: string, last: string, is: string, before: string, after: string][] = [
	["0.0.0.0", "0.255.255.255", "unspecified", "", "1.0.0.0"],
	["10.0.0.0", "10.255.255.255", "private", "9.255.255.255", "11.0.0.0"],
	["100.64.0.0", "100.127.255.255", "shared", "100.63.255.255", "100.128.0.0"],
	["127.0.0.0", "127.255.255.255", "loopback", "126.255.255.255", "128.0.0.0"],
	["169.254.0.0", "169.254.255.255", "link-local", "169.253.255.255", "169.255.0.0"],
	["172.16.0.0", "172.31.255.255", "private", "172.15.255.255", "172.32.0.0"],
	["192.0.0.0", "192.0.0.255", "protocol-assignment", "191.255.255.255", "192.0.1.0"],
	["192.0.2.0", "192.0.2.255", "documentation", "192.0.1.255", "192.0.3.0"],
	["192.88.99.0", "192.88.99.255", "tunnel", "192.88.98.255", "192.88.100.0"],
	["192.168.0.0", "192.168.255.255", "private", "192.167.255.255", "192.169.0.0"],
	["198.18.0.0", "198.19.255.255", "benchmarking", "198.17.255.255", "198.20.0.0"],
	["198.51.100.0", "198.51.100.255", "documentation", "198.51.99.255", "198.51.101.0"],
	["203.0.113.0", "203.0.113.255", "documentation", "203.0.112.255", "203.0.114.0"],
	["168.63.129.16", "168.63.129.16", "platform", "168.63.129.15", "168.63.129.17"],
	["224.0.0.0", "239.255.255.255", "multicast", "223.255.255.255", ""],
	["240.0.0.0", "255.255.255.255", "reserved", "", ""],
	["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "tunnel", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""],
	["2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "protocol-assignment", "", "2001:200::"],
	["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation", "2001:db7:ffff::", "2001:db9::"],
	["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "tunnel", "2001:ffff::", "2003::"],
	["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation", "3ffe:ffff::", "3fff:1000::"],
	["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "translation", "", ""],
	["100::", "100:0:0:1:ffff:ffff:ffff:ffff", "reserved", "", ""],
	["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private", "", ""],
	["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local", "", ""],
	["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private", "", ""],
	["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast", "", ""],
];

test("every special range is refused to its edges, and its neighbours pass", () => {
	for (const [first, last, is, before, after] of ranges) {
		expect([first, classify(first)]).toEqual([first, is]);
		expect([last, classify(last)]).toEqual([last, is]);
		for (const neighbour of [before, after].filter((text) => text !== "")) {
			expect([neighbour, classify(neighbour)]).toEqual([neighbour, "public"]);
		}
	}
});

test("nothing outside 2000::/3 is public", () => {
	const outside = [
		"::",
		"::1",
		"::2",
		"::8.8.8.8",
		"1fff:ffff::1",
		"4000::",
		"5f00::1",
		"f000::1",
		"fbff::1",
		"fe00::1",
	];
	for (const text of outside) expect([text, classify(text)]).not.toEqual([text, "public"]);
	for (const text of ["2000::", "2606:4700:4700::1111", "3ffe::1"])
		expect([text, classify(text)]).toEqual([text, "public"]);
});

test("an IPv4 address inside an IPv6 one is judged as what it is", () => {
	const octet = fc.integer({ min: 0, max: 255 });
	fc.assert(
		fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
			const plain = classifyAddress(Uint8Array.from(octets));
			const quad = octets.join(".");
			expect(classify(quad)).toBe(plain);
			expect(classify(`::ffff:${quad}`)).toBe(plain);
			expect(classify(`64:ff9b::${quad}`)).toBe(plain);
		}),
	);
	expect(classify("::ffff:a9fe:a9fe")).toBe("link-local");
	expect(classify("64:ff9b::7f00:1")).toBe("loopback");
	// 6to4 and Teredo are refused whatever they carry.
	expect(classify("2002:808:808::1")).toBe("tunnel");
	expect(classify("2001:0:808:808::1")).toBe("tunnel");
});

test("an address written in any legal IPv6 form gives the same bytes", () => {
	fc.assert(
		fc.property(fc.ipV6(), (text) => {
			// The runtime's URL parser refuses a few legal forms, such as `1::0:0:0:1.2.3.4`.
			fc.pre(URL.canParse(`http://[${text}]/`));
			const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
			expect(parseAddress(text)).toEqual(parseAddress(canonical));
			expect(parseAddress(text)).toHaveLength(16);
		}),
	);
});

test("a text that is no plain address is unreadable", () => {
	const texts = [
		"",
		"1.2.3",
		"1.2.3.4.5",
		"01.2.3.4",
		"256.1.1.1",
		"0x7f.0.0.1",
		"2130706433",
		"1.2.3.4 ",
		"a.b.c.d",
		"-1.2.3.4",
	];
	const six = [
		":",
		":::",
		"1::2::3",
		"1:2:3:4:5:6:7:8:9",
		"1:2:3:4:5:6:7",
		"fe80::1%eth0",
		"12345::",
		"::g",
		"1.2.3.4::",
		"::1.2.3",
		"[::1]",
	];
	for (const text of [...texts, ...six]) expect([text, classify(text)]).toEqual([text, "unreadable"]);
	expect(classifyAddress(new Uint8Array(5))).toBe("reserved");
});
