import { expect, test } from "bun:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { exampleOf } from "../../../src/api/openapi/example";
import { withoutFormats } from "../support/without-formats";

const bounds = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 })).map(([low, more]) => ({
	low,
	high: low + more,
}));
const leaf: fc.Arbitrary<TSchema> = fc.oneof(
	fc.constantFrom(
		Type.Boolean(),
		Type.Null(),
		Type.Literal("a"),
		Type.Literal(3),
		Type.String({ format: "date-time" }),
	),
	bounds.map(({ low, high }) => Type.String({ minLength: low, maxLength: high })),
	bounds.map(({ low, high }) => Type.Integer({ minimum: low, maximum: high })),
	bounds.map(({ low, high }) => Type.Number({ minimum: low + 0.5, maximum: high + 0.5 })),
	fc.constantFrom("^\\d{4}-\\d{2}-\\d{2}$", "^E[0-9]{12}$", "^x{7}$").map((pattern) => Type.String({ pattern })),
);
const names = fc.constantFrom("id", "status", "rnc", "createdAt", "items", "next", "warnings", "_links", "url");
const { schema: anySchema } = fc.letrec<{ schema: TSchema }>((tie) => ({
	schema: fc.oneof(
		{ maxDepth: 4 },
		leaf,
		fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((options) => Type.Union(options)),
		fc.tuple(tie("schema"), fc.nat({ max: 2 })).map(([items, minItems]) => Type.Array(items, { minItems })),
		fc
			.array(fc.tuple(names, tie("schema"), fc.boolean()), { maxLength: 4 })
			.map((members) =>
				Type.Object(
					Object.fromEntries(members.map(([name, one, isOptional]) => [name, isOptional ? Type.Optional(one) : one])),
					{ additionalProperties: false },
				),
			),
	),
}));

test("an example fits its schema, or there is none", () => {
	fc.assert(
		fc.property(anySchema, (schema) => {
			const example = exampleOf(schema);
			return example === undefined || Value.Check(withoutFormats(schema), example);
		}),
		{ numRuns: 1_000 },
	);
});

test("an example prefers the schema's own values", () => {
	expect(exampleOf(Type.String({ default: "given" }), "rnc")).toBe("given");
	expect(exampleOf(Type.Object({ a: Type.String() }, { examples: [{ a: "given" }] }))).toEqual({ a: "given" });
});

test("an example has required members, domain values, and null if unknown", () => {
	const schema = Type.Object({
		rnc: Type.String(),
		createdAt: Type.String(),
		holdReason: Type.Union([Type.String(), Type.Null()]),
		failure: Type.Optional(Type.String()),
	});
	expect(exampleOf(schema)).toEqual({ rnc: "990000001", createdAt: "2026-11-20T14:20:00.118Z", holdReason: null });
});

test("a format inside a list does not keep the list from having an example", () => {
	expect(exampleOf(Type.Array(Type.String({ format: "date" })))).toEqual(["2026-11-20"]);
});

test("a pattern without a known value gives no example", () => {
	expect(exampleOf(Type.Object({ odd: Type.String({ pattern: "^odd{9}$" }) }))).toBeUndefined();
});
