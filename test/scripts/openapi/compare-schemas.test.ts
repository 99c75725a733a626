import { expect, test } from "bun:test";
import { compareSchemas, type Schema } from "../../../scripts/openapi/compare-schemas";

const plain = (schema: Schema) => schema;
const breaks = (direction: "input" | "output", old: Schema, now: Schema) =>
	compareSchemas({ direction, before: plain, after: plain }, old, now).length > 0;

const text = { type: "string" };
const number = { type: "number" };
const object = (properties: Schema, required: string[] = [], over: Schema = {}) => {
	return { type: "object", properties, required, additionalProperties: false, ...over };
};

/** Of two parts, of which the second is one of two forms. */
const inParts = (a: Schema) => ({
	allOf: [
		{ type: "object", properties: { a } },
		{ anyOf: [{ required: ["a"] }, { required: ["a"], properties: { b: text } }] },
	],
});

const event = (name: string) => object({ event: { const: name } }, ["event"]);

/** What has changed, and whether that breaks who sends it and who reads it. */
const changes: readonly (readonly [string, Schema, Schema, boolean, boolean])[] = [
	["nothing", object({ a: text }, ["a"]), object({ a: text }, ["a"]), false, false],
	["a new optional member", object({ a: text }), object({ a: text, b: text }), false, false],
	["a new required member", object({ a: text }), object({ a: text, b: text }, ["b"]), true, false],
	["a member that is gone", object({ a: text, b: text }), object({ a: text }), true, true],
	["an optional member that is required now", object({ a: text }), object({ a: text }, ["a"]), true, false],
	["a required member that is optional now", object({ a: text }, ["a"]), object({ a: text }), false, true],
	["another type", text, number, true, true],
	["an integer that is any number now", { type: "integer" }, number, false, true],
	["a number that is an integer now", number, { type: "integer" }, true, false],
	["a type more", text, { type: ["string", "null"] }, false, true],
	["a type less", { type: ["string", "null"] }, text, true, false],
	["any type where one was", text, {}, false, true],
	["one type where any was", {}, text, true, false],
	["another event among several", { anyOf: [event("a")] }, { anyOf: [event("a"), event("b")] }, false, false],
	["a value of an enumeration less", { enum: ["a", "b"] }, { enum: ["a"] }, true, false],
	["a value of an enumeration more", { enum: ["a"] }, { enum: ["a", "b"] }, false, false],
	["an enumeration where any text was", text, { type: "string", enum: ["a"] }, true, false],
	[
		"an enumeration of the words of a pattern",
		{ type: "string", pattern: "^(a|b)$" },
		{ type: "string", enum: ["a", "b"] },
		false,
		false,
	],
	[
		"an enumeration of fewer words than a pattern",
		{ type: "string", pattern: "^(a|b)$" },
		{ type: "string", enum: ["a"] },
		true,
		false,
	],
	["any text where an enumeration was", { type: "string", enum: ["a"] }, text, false, false],
	["another constant", { const: "a" }, { const: "b" }, true, false],
	["a shorter text", { type: "string", maxLength: 9 }, { type: "string", maxLength: 8 }, true, false],
	["a longer text", { type: "string", maxLength: 8 }, { type: "string", maxLength: 9 }, false, false],
	["a bound where none was", number, { type: "number", minimum: 0 }, true, false],
	["a bound less", { type: "number", minimum: 0 }, number, false, false],
	["another pattern", { type: "string", pattern: "a" }, { type: "string", pattern: "b" }, true, false],
	["a pattern where none was", text, { type: "string", pattern: "a" }, true, false],
	["a format where none was", text, { type: "string", format: "uri" }, true, false],
	["a format less", { type: "string", format: "uri" }, text, false, true],
	["a closed object", object({ a: text }, [], { additionalProperties: true }), object({ a: text }), true, false],
	["an opened object", object({ a: text }), object({ a: text }, [], { additionalProperties: true }), false, false],
	["the same in several parts", object({ a: text }, ["a"]), inParts(text), false, false],
	["another type in several parts", object({ a: text }, ["a"]), inParts(number), true, true],
	["a member less in several parts", object({ a: text, b: text, c: text }, ["a"]), inParts(text), true, true],
	["fewer items", { type: "array", maxItems: 9 }, { type: "array", maxItems: 8 }, true, false],
	["other items", { type: "array", items: text }, { type: "array", items: number }, true, true],
	[
		"a deep member that is required now",
		object({ a: object({ b: text }) }),
		object({ a: object({ b: text }, ["b"]) }),
		true,
		false,
	],
	["a form more", { anyOf: [text] }, { anyOf: [text, number] }, false, true],
	["a form less", { anyOf: [text, number] }, { anyOf: [text] }, true, false],
	["forms in another order", { anyOf: [text, number] }, { anyOf: [number, text] }, false, false],
	["a second form where one schema was", text, { anyOf: [text, { type: "null" }] }, false, true],
	["other values of a map", { additionalProperties: text }, { additionalProperties: number }, true, true],
];

test.each(changes)("%s", (_, old, now, breaksSenders, breaksReaders) => {
	const found = { senders: breaks("input", old, now), readers: breaks("output", old, now) };
	expect(found).toEqual({ senders: breaksSenders, readers: breaksReaders });
});

test("schemas that refer to themselves are compared once", () => {
	const tree = (leaf: Schema) => object({ leaf, branches: { type: "array", items: { $ref: "Tree" } } });
	const resolve = (leaf: Schema) => (schema: Schema) => (schema.$ref === "Tree" ? tree(leaf) : schema);
	const on = { direction: "output", before: resolve(text), after: resolve(number) } as const;
	expect(compareSchemas(on, { $ref: "Tree" }, { $ref: "Tree" })).toEqual(["/leaf: its type was string and is number"]);
});

test("every break of a document is reported with its location", () => {
	const old = object({ lines: { type: "array", items: object({ price: text }, ["price"]) }, note: text });
	const now = object({ lines: { type: "array", items: object({ price: number }) } });
	const on = { direction: "output", before: plain, after: plain } as const;
	expect(compareSchemas(on, old, now, "200").sort()).toEqual([
		"200/lines/0/price: it may be missing now",
		"200/lines/0/price: its type was string and is number",
		"200/note: it is gone",
	]);
});
