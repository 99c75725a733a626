import { expect, test } from "bun:test";
import fc from "fast-check";
import { allowAddresses, isAddressRange, isWithin } from "../../../src/identity/auth/directory";

test("an empty list allows every address, even an unknown one", () => {
	const allows = allowAddresses([]);
	for (const address of ["192.0.2.1", "2001:db8::1", ""]) expect(allows(address)).toBe(true);
});

test("a list allows its addresses and ranges and nothing else", () => {
	const allows = allowAddresses(["192.0.2.7", "10.0.0.0/8", "2001:db8::/32"]);
	for (const address of ["192.0.2.7", "10.255.0.1", "2001:db8:ffff::1", "::ffff:10.1.2.3", "::FFFF:192.0.2.7"]) {
		expect([address, allows(address)]).toEqual([address, true]);
	}
	for (const address of [
		"192.0.2.8",
		"11.0.0.1",
		"2001:db9::1",
		"::ffff:11.1.2.3",
		"",
		"localhost",
		"10.1.2.3, 1.1.1.1",
	]) {
		expect([address, allows(address)]).toEqual([address, false]);
	}
});

test("a malformed entry allows no address", () => {
	expect(allowAddresses(["everybody"])("192.0.2.1")).toBe(false);
});

test("only addresses and ranges within their width count as such", () => {
	for (const text of ["192.0.2.7", "192.0.2.0/24", "0.0.0.0/0", "::1", "2001:db8::/128"]) {
		expect([text, isAddressRange(text)]).toEqual([text, true]);
	}
	for (const text of [
		"",
		"192.0.2",
		"192.0.2.0/33",
		"::/129",
		"192.0.2.0/",
		"192.0.2.0/024",
		"example.com",
		"1.2.3.4/-1",
	]) {
		expect([text, isAddressRange(text)]).toEqual([text, false]);
	}
});

type Range = { readonly text: string; readonly first: string; readonly last: string };

/** Ranges of both families, close enough to one another to overlap often. */
const ranges = fc
	.record({ isV4: fc.boolean(), offset: fc.integer({ min: 0, max: 255 }), free: fc.integer({ min: 0, max: 9 }) })
	.map(({ isV4, offset, free }): Range => {
		const first = (offset >> free) << free;
		const last = first + (1 << free) - 1;
		const at = (n: number) => (isV4 ? `10.0.${n >> 8}.${n & 255}` : `2001:db8::${n.toString(16)}`);
		return { text: `${at(offset)}/${(isV4 ? 32 : 128) - free}`, first: at(first), last: at(last) };
	});

test("a range is within a list when all its addresses are, for lists of one range", () => {
	fc.assert(
		fc.property(ranges, ranges, (outer, inner) => {
			const allows = allowAddresses([outer.text]);
			expect(isWithin([outer.text], inner.text)).toBe(allows(inner.first) && allows(inner.last));
		}),
		{ numRuns: 2_000 },
	);
});

test("nothing is within an empty list, and what cannot be read is within none", () => {
	expect(isWithin([], "10.0.0.1")).toBe(false);
	expect(isWithin(["0.0.0.0/0", "::/0"], "everybody")).toBe(false);
	expect(isWithin(["everybody", "10.0.0.0/8"], "10.0.0.1")).toBe(true);
});

test("an IPv4-mapped IPv6 address is no valid entry", () => {
	for (const text of ["::ffff:10.0.0.1", "::FFFF:10.0.0.0/104", "::ffff:a00:1"]) {
		expect([text, isAddressRange(text)]).toEqual([text, false]);
	}
});
