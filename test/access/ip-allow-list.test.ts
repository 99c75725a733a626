import { expect, test } from "bun:test";
import { allowAddresses, isAddressRange } from "../../src/access/ip-allow-list";

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

test("an entry that cannot be read allows nobody", () => {
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
