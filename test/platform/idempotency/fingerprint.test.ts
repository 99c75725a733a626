import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hashBytes, hashPayload, listDifferences } from "../../../src/platform/idempotency";

const hash = (text: string) => hashPayload(JSON.parse(text)).toString("hex");
const same = (a: unknown, b: unknown) => hashPayload(a).equals(hashPayload(b));

describe("a payload's fingerprint", () => {
	test("does not see the order of members, white space and escapes", () => {
		const one = hash('{"a":1,"b":{"c":"x","d":["é",2]}}');
		for (const text of [
			'{"b":{"d":["é",2],"c":"x"},"a":1}',
			' {\n\t"a" : 1 ,\r\n"b":{"c":"x", "d":[ "\\u00e9" , 2 ]} } ',
			'{"\\u0061":1,"b":{"c":"\\u0078","d":["é",2.0]}}',
		]) {
			expect([text, hash(text)]).toEqual([text, one]);
		}
	});

	test("sees equal amounts as equal", () => {
		for (const [a, b] of [
			["118.00", "118"],
			["118.50", "118.5"],
			["0.10", "0.1"],
			["0.000000", "0"],
			["10.00", "10"],
			["100", "100.0"],
		]) {
			expect([a, b, same({ amount: a }, { amount: b })]).toEqual([a, b, true]);
			expect([a, b, same({ description: a }, { description: b })]).toEqual([a, b, false]);
		}
	});

	test("sees everything else as different", () => {
		for (const [a, b] of [
			['{"a":"118.00"}', '{"a":"118.01"}'],
			['{"a":"100"}', '{"a":"10"}'],
			['{"a":"100"}', '{"a":"1"}'],
			['{"a":"118"}', '{"a":118}'],
			['{"a":"118.00"}', '{"b":"118.00"}'],
			['{"a":"x"}', '{"a":"x "}'],
			['{"a":"x"}', '{"a":"X"}'],
			['{"a":"é"}', '{"a":"e\\u0301"}'],
			['{"a":null}', "{}"],
			['{"a":[]}', '{"a":{}}'],
			['{"a":[1,2]}', '{"a":[2,1]}'],
			['{"a":["1","2"]}', '{"a":["1,2"]}'],
			['{"a":{"b":1},"c":2}', '{"a":{"b":1,"c":2}}'],
			['{"a":true}', '{"a":"true"}'],
			['{"a":"1e2"}', '{"a":"100"}'],
			['{"a":"0118.00"}', '{"a":"118"}'],
			['{"a":"-1.00"}', '{"a":"-1"}'],
		] as const) {
			expect([a, b, hash(a) === hash(b)]).toEqual([a, b, false]);
		}
	});

	test("of bytes is their SHA-256", () => {
		expect(hashBytes(Buffer.from("abc")).toString("hex")).toBe(
			"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		);
	});
});

/** Payloads of few members and few values, so that equal ones come up. */
const leaf = fc.constantFrom<unknown>("1", "1.0", "1.00", "10", "x", 1, null, true, "", "0.5", "0.50");
const { payload } = fc.letrec<{ payload: unknown }>((tie) => ({
	payload: fc.oneof(
		{ maxDepth: 3, withCrossShrink: true },
		leaf,
		fc.array(tie("payload"), { maxLength: 2 }),
		fc.dictionary(fc.constantFrom("a", "b", "a/b", "~", "__proto__", "constructor"), tie("payload"), { maxKeys: 2 }),
	),
}));

function shuffle(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(shuffle);
	if (typeof value !== "object" || value === null) return value;
	const members = Object.entries(value).toReversed();
	return JSON.parse(
		`{${members.map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(shuffle(member))}`).join(",")}}`,
	);
}

describe("being the same payload", () => {
	test("is an equivalence: reflexive, symmetric and transitive", () => {
		fc.assert(
			fc.property(payload, payload, payload, (a, b, c) => {
				expect(same(a, a) && same(a, shuffle(a))).toBe(true);
				expect(same(a, b)).toBe(same(b, a));
				if (same(a, b) && same(b, c)) expect(same(a, c)).toBe(true);
			}),
			{ numRuns: 3_000 },
		);
	});

	test("holds exactly when no difference can be listed", () => {
		fc.assert(
			fc.property(payload, payload, (a, b) => {
				expect(listDifferences(a, b).length === 0).toBe(same(a, b));
				expect(listDifferences(a, shuffle(a))).toEqual([]);
			}),
			{ numRuns: 3_000 },
		);
	});
});

describe("listed differences", () => {
	test("point at the members that differ, and only there", () => {
		const a = { totals: { subtotal: "100.00", tax: "18.00" }, lines: [{ n: 1 }, { n: 2 }], note: "x" };
		const b = { totals: { subtotal: "100", tax: "18.01" }, lines: [{ n: 1 }, { n: 3 }, { n: 4 }] };
		expect(listDifferences(a, b)).toEqual(["/totals/tax", "/lines/1/n", "/lines/2", "/note"]);
	});

	test("escape the names of members", () => {
		expect(listDifferences({ "a/b~": 1 }, { "a/b~": 2 })).toEqual(["/a~1b~0"]);
	});

	test("see a member that every object inherits like any other", () => {
		for (const name of ["constructor", "toString", "__proto__"]) {
			expect(listDifferences({}, JSON.parse(`{"${name}":{}}`))).toEqual([`/${name}`]);
		}
	});

	test("point at the whole when the kinds differ", () => {
		expect(listDifferences([], {})).toEqual([""]);
		expect(listDifferences("a", null)).toEqual([""]);
		expect(listDifferences({ a: [1] }, { a: { "0": 1 } })).toEqual(["/a"]);
	});

	test("are at most so many", () => {
		const lines = (value: number) => Array.from({ length: 100 }, () => ({ a: value, b: value }));
		expect(listDifferences(lines(1), lines(2))).toHaveLength(20);
		expect(listDifferences({ x: lines(1), y: lines(1) }, { x: lines(2), y: lines(2) }, 3)).toEqual([
			"/x/0/a",
			"/x/0/b",
			"/x/1/a",
		]);
	});
});
