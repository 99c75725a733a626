import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import fc from "fast-check";
import { checkSchema } from "../../../src/platform/operation";
import { type Message, msg, Problem, writeMessage } from "../../../src/platform/problem";
import { DECIMAL_PATTERN } from "../../../src/platform/values";

const closed = { additionalProperties: false };
const Amount = Type.String({ pattern: DECIMAL_PATTERN, faultCode: "decimal-form", faultDetail: "Send a decimal." });
const schema = Type.Object(
	{
		type: Type.Union([Type.Literal("31"), Type.Literal("32")]),
		zone: Type.Optional(Type.Literal("local")),
		name: Type.String({ minLength: 2, maxLength: 5 }),
		amount: Amount,
		count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
		flag: Type.Optional(Type.Boolean()),
		code: Type.Optional(Type.String({ pattern: "^[A-Z]+$" })),
		list: Type.Optional(Type.Array(Type.Object({ a: Amount }, closed), { minItems: 1, maxItems: 2 })),
		either: Type.Optional(Type.Union([Type.Object({ a: Type.String() }, closed), Type.String()])),
		cleared: Type.Optional(Type.Union([Type.String({ maxLength: 5 }), Type.Null()])),
		picked: Type.Optional(Type.Union([Type.Union([Type.Literal("x"), Type.Literal("y")]), Type.Null()])),
		orNone: Type.Optional(Type.Union([Type.Literal("only"), Type.Null()])),
		sum: Type.Optional(Type.Union([Amount, Type.Null()])),
		metadata: Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: 2 })),
		named: Type.Optional(
			Type.Record(Type.String({ pattern: "^[a-z]{1,3}$" }), Type.String(), {
				...closed,
				faultDetail: msg`Names have 1 to 3 letters.`,
			}),
		),
		once: Type.Optional(Type.Array(Type.String(), { uniqueItems: true })),
	},
	closed,
);
const fits = { type: "31", name: "abc", amount: "1.00" };
const codesOf = (value: unknown) => checkSchema(schema, value).map(({ pointer, code }) => [pointer, code]);

test("a value that fits has no faults", () => {
	expect(checkSchema(schema, fits)).toEqual([]);
	expect(checkSchema(schema, { ...fits, count: 10, flag: false, code: "X", list: [{ a: "0" }], either: "x" })).toEqual(
		[],
	);
});

test("each rule has its code", () => {
	for (const [change, pointer, code] of [
		[{ type: "45" }, "/type", "not-in-list"],
		[{ type: 31 }, "/type", "not-in-list"],
		[{ zone: "other" }, "/zone", "not-in-list"],
		[{ name: "a" }, "/name", "too-short"],
		[{ name: "abcdef" }, "/name", "too-long"],
		[{ name: 5 }, "/name", "wrong-type"],
		[{ name: null }, "/name", "wrong-type"],
		[{ amount: 10 }, "/amount", "decimal-must-be-string"],
		[{ amount: "1e2" }, "/amount", "decimal-form"],
		[{ amount: null }, "/amount", "wrong-type"],
		[{ count: 0 }, "/count", "too-small"],
		[{ count: 11 }, "/count", "too-large"],
		[{ count: "5" }, "/count", "wrong-type"],
		[{ count: 1.5 }, "/count", "wrong-type"],
		[{ flag: "true" }, "/flag", "wrong-type"],
		[{ code: "x" }, "/code", "invalid-format"],
		[{ list: [] }, "/list", "too-few"],
		[{ list: [{ a: "1" }, { a: "1" }, { a: "1" }] }, "/list", "too-many"],
		[{ list: {} }, "/list", "wrong-type"],
		[{ once: ["a", "b", "a"] }, "/once", "repeated"],
		[{ list: [{}] }, "/list/0/a", "required"],
		[{ list: [{ a: 5 }] }, "/list/0/a", "decimal-must-be-string"],
		[{ either: 5 }, "/either", "wrong-type"],
		[{ either: {} }, "/either/a", "required"],
		[{ either: { a: 1 } }, "/either/a", "wrong-type"],
		[{ cleared: "abcdef" }, "/cleared", "too-long"],
		[{ cleared: 5 }, "/cleared", "wrong-type"],
		[{ picked: "z" }, "/picked", "not-in-list"],
		[{ orNone: "other" }, "/orNone", "not-in-list"],
		[{ orNone: 5 }, "/orNone", "not-in-list"],
		[{ sum: 5 }, "/sum", "decimal-must-be-string"],
		[{ sum: [] }, "/sum", "wrong-type"],
		[{ metadata: { a: "1", b: "2", c: "3" } }, "/metadata", "too-many"],
		[{ named: { long: "1" } }, "/named/long", "unknown-field"],
		[{ other: 1 }, "/other", "unknown-field"],
	] as const) {
		expect([change, codesOf({ ...fits, ...change })]).toEqual([change, [[pointer, code]]]);
	}
});

test("a Spanish reader sees the expected type in Spanish", () => {
	const [fault] = checkSchema(schema, { ...fits, count: "5" });
	expect((["en", "es"] as const).map((language) => writeMessage(fault?.detail as Message, language))).toEqual([
		"Expected integer.",
		"Se esperaba un número entero.",
	]);
});

test("all violations are reported at once, one for each place", () => {
	const faults = codesOf({ type: "99", amount: 1, count: 0, list: [{ a: 1 }, { b: 1 }], "x/y~z": 1 });
	expect(faults.toSorted()).toEqual(
		[
			["/amount", "decimal-must-be-string"],
			["/count", "too-small"],
			["/list/0/a", "decimal-must-be-string"],
			["/list/1/a", "required"],
			["/list/1/b", "unknown-field"],
			["/name", "required"],
			["/type", "not-in-list"],
			["/x~1y~0z", "unknown-field"],
		].toSorted(),
	);
	expect(new Set(faults.map(([pointer]) => pointer)).size).toBe(faults.length);
});

test("a body that is not an object has one fault at its root", () => {
	for (const value of [null, [], "text", 5, true]) {
		expect(codesOf(value).filter(([pointer]) => pointer === "")).toEqual([["", "wrong-type"]]);
	}
});

test("a number in place of an amount gets advice", () => {
	expect(checkSchema(schema, { ...fits, amount: 10.5 })).toEqual([
		{
			pointer: "/amount",
			code: "decimal-must-be-string",
			detail: msg`Send "${10.5}" instead of ${10.5}.`,
			received: "number",
		},
	]);
});

test("what is allowed comes with the refusal", () => {
	expect(checkSchema(schema, { ...fits, type: "45" })[0]).toMatchObject({ allowed: ["31", "32"] });
	expect(checkSchema(schema, { ...fits, name: "a" })[0]).toMatchObject({ minimum: 2 });
	expect(checkSchema(schema, { ...fits, count: 11 })[0]).toMatchObject({ maximum: 10 });
	expect(checkSchema(schema, { ...fits, named: { long: "1" } })[0]?.detail).toEqual(msg`Names have 1 to 3 letters.`);
	expect(checkSchema(schema, { ...fits, orNone: "other" })[0]).toMatchObject({ allowed: ["only"] });
	expect(checkSchema(schema, { ...fits, cleared: 5 })[0]).toMatchObject({
		detail: msg`Expected a string.`,
		received: "number",
	});
});

test("members that every object inherits are unknown like others", () => {
	const value: unknown = JSON.parse(
		'{"type":"31","name":"abc","amount":"1","__proto__":{},"constructor":1,"toString":1}',
	);
	expect(codesOf(value).toSorted()).toEqual([
		["/__proto__", "unknown-field"],
		["/constructor", "unknown-field"],
		["/toString", "unknown-field"],
	]);
	expect(codesOf(JSON.parse('{"__proto__":{"type":"31","name":"abc","amount":"1"}}'))).toContainEqual([
		"/type",
		"required",
	]);
});

/** Texts of few characters, with and without those that are two UTF-16 units. */
const text = fc.string({ unit: fc.constantFrom("a", "ñ", "😀", "𐐷"), maxLength: 12 });

test("lengths are counted in characters, wherever a text stands", () => {
	const Text = Type.String({ minLength: 3, maxLength: 5 });
	const Few = Type.String({ minLength: 1, maxLength: 5 });
	const Deep = Type.Object({
		...{ a: Type.Optional(Text), b: Type.Object({ c: Text }, closed), d: Type.Array(Few) },
		...{ e: Type.Union([Few, Type.Null()]), f: Type.Record(Type.String(), Few) },
	});
	const judge = (value: string, least: number) => {
		const characters = Array.from(value).length;
		return characters < least ? ["too-short"] : characters > 5 ? ["too-long"] : [];
	};
	fc.assert(
		fc.property(fc.tuple(text, text, text, text, text), ([a, c, d, e, f]) => {
			const faults = checkSchema(Deep, { a, b: { c }, d: [d], e, f: { x: f } });
			const reported = (pointer: string) => faults.filter((fault) => fault.pointer === pointer).map(({ code }) => code);
			expect(["/a", "/b/c", "/d/0", "/e", "/f/x"].map(reported)).toEqual([
				...[judge(a, 3), judge(c, 3), judge(d, 1), judge(e, 1), judge(f, 1)],
			]);
			expect(checkSchema(Text, a).map(({ code }) => code)).toEqual(judge(a, 3));
		}),
	);
});

test("names of record members are counted in characters too", () => {
	const Named = Type.Record(Type.String({ pattern: "^[\\s\\S]{1,3}$" }), Type.String({ maxLength: 2 }), closed);
	fc.assert(
		fc.property(text, (name) => {
			const characters = Array.from(name).length;
			const fits = characters >= 1 && characters <= 3;
			expect(checkSchema(Type.Object({ m: Named }), { m: { [name]: "😀😀" } }).map(({ code }) => code)).toEqual(
				fits ? [] : ["unknown-field"],
			);
			if (fits)
				expect(checkSchema(Named, { [name]: "😀😀😀" })).toMatchObject([{ pointer: `/${name}`, code: "too-long" }]);
		}),
	);
	expect(checkSchema(Named, { "😀/~": "abc" })).toMatchObject([{ pointer: "/😀~1~0", code: "too-long" }]);
});

test("a text that is not too long by its characters has its other faults", () => {
	const Word = Type.String({ minLength: 2, maxLength: 3, pattern: "^[^ ]*$" });
	expect(checkSchema(Word, "😀 😀")).toMatchObject([{ pointer: "", code: "invalid-format" }]);
	expect(checkSchema(Word, "😀")).toEqual([
		{ pointer: "", code: "too-short", detail: msg`Shorter than ${2} characters.`, minimum: 2 },
	]);
	expect(checkSchema(Type.Object({ word: Word }), null)).toMatchObject([{ pointer: "", code: "wrong-type" }]);
});

test("of many violations a hundred are listed and the others are counted", () => {
	const refuse = (count: number) =>
		new Problem("validation-error", { faults: checkSchema(Type.Array(Amount), Array(count).fill(1)) });
	expect(refuse(300).faults).toHaveLength(100);
	expect(String(refuse(300).detail)).toBe("100 fields are invalid, and 200 more.");
	expect(String(refuse(10_000).detail)).toBe("100 fields are invalid, and at least 900 more.");
});

describe("privacy", () => {
	test("no text of the value is ever repeated, whatever is wrong with it", () => {
		const secret = "PÉREZ-00112345678";
		const places = ["type", "zone", "name", "amount", "count", "flag", "code", "list", "either", "metadata"];
		fc.assert(
			fc.property(
				fc.constantFrom(...places),
				fc.constantFrom(secret, [secret], { a: secret }, [{ a: secret }]),
				(name, value) => {
					expect(JSON.stringify(checkSchema(schema, { ...fits, [name]: value }))).not.toContain(secret);
				},
			),
		);
	});
});
