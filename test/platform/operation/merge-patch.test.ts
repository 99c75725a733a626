import { expect, test } from "bun:test";
import fc from "fast-check";
import { applyMergePatch } from "../../../src/platform/operation";

/** Source: RFC 7396, appendix A, and the example of its section 3. */
const examples: readonly (readonly [string, string, string])[] = [
	['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
	['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
	['{"a":"b"}', '{"a":null}', "{}"],
	['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
	['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
	['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
	['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
	['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
	['["a","b"]', '["c","d"]', '["c","d"]'],
	['{"a":"b"}', '["c"]', '["c"]'],
	['{"a":"foo"}', "null", "null"],
	['{"a":"foo"}', '"bar"', '"bar"'],
	['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
	["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
	["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
	[
		'{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"This will be unchanged"}',
		'{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}',
		'{"title":"Hello!","author":{"givenName":"John"},"tags":["example"],"content":"This will be unchanged","phoneNumber":"+01-123-456-7890"}',
	],
];

test.each(examples)("%s changed by %s is %s", (target, patch, result) => {
	expect(applyMergePatch(JSON.parse(target), JSON.parse(patch))).toEqual(JSON.parse(result));
});

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
/** Names that an object of the language has by itself are among them. */
const odd = fc.dictionary(
	fc.constantFrom("__proto__", "constructor", "toString", "a", ""),
	fc.oneof(json, fc.constant(null)),
	{
		noNullPrototype: true,
	},
);
const values = fc.oneof(json, odd);
const text = (value: unknown) => JSON.stringify(value);

test("a change made twice is made once", () => {
	fc.assert(
		fc.property(values, values, (target, patch) => {
			const once = applyMergePatch(target, patch);
			expect(applyMergePatch(once, patch)).toEqual(once);
		}),
	);
});

test("a patch keeps what it does not name and changes neither argument", () => {
	fc.assert(
		fc.property(odd, odd, (target, patch) => {
			const before = [text(target), text(patch)];
			const merged = applyMergePatch(target, patch) as Record<string, unknown>;
			expect([text(target), text(patch)]).toEqual(before);
			for (const name of Object.keys(target)) {
				if (!Object.hasOwn(patch, name)) expect(text(Reflect.get(merged, name))).toBe(text(Reflect.get(target, name)));
			}
			for (const [name, value] of Object.entries(patch)) {
				expect(Object.hasOwn(merged, name)).toBe(value !== null);
			}
			expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
		}),
	);
});
