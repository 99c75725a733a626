import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checkText, parseJson } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import { problemFrom } from "./support/call";

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseJson(bytes(text));
const slugOf = async (body: Uint8Array) => (await problemFrom(() => parseJson(body))).slug;
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

/** Texts that are no JSON document, in the manner of the public JSON test suites: name, then text. */
const REFUSED: readonly (readonly [string, string])[] = [
	...([
		["nothing", ""],
		["a space", " "],
		["only a mark", "\ufeff"],
	] as const),
	...([
		["an open object", "{"],
		["an open array", "["],
		["a closed one", "}"],
		["a wrong end", "[}"],
		["two ends", "[]]"],
	] as const),
	...([
		["two documents", "{}{}"],
		["two in lines", "{}\n{}"],
		["text after", "{} x"],
		["a comma after", "{},"],
	] as const),
	...([
		["a trailing comma", '{"a":1,}'],
		["one in an array", "[1,]"],
		["a leading comma", "[,1]"],
		["two commas", "[1,,2]"],
	] as const),
	...([
		["only a comma", "[,]"],
		["no comma", "[1 2]"],
		["none between members", '{"a":1 "b":2}'],
	] as const),
	...([
		["a name without quotes", "{a:1}"],
		["single quotes", "{'a':1}"],
		["a number as name", "{1:1}"],
		["no value", '{"a":}'],
	] as const),
	...([
		["no colon", '{"a" 1}'],
		["two colons", '{"a"::1}'],
		["an equals sign", '{"a"=1}'],
		["no name", "{:1}"],
	] as const),
	...([
		["a line comment", "{} // x"],
		["a block comment", "/**/{}"],
		["a hash comment", "# x\n{}"],
	] as const),
	...([
		["NaN", "[NaN]"],
		["Infinity", "[Infinity]"],
		["minus Infinity", "[-Infinity]"],
		["undefined", "[undefined]"],
	] as const),
	...([
		["True", "[True]"],
		["TRUE", "[TRUE]"],
		["half of true", "[tru]"],
		["nul", "[nul]"],
		["None", "[None]"],
	] as const),
	...([
		["a plus sign", "[+1]"],
		["a leading zero", "[01]"],
		["minus and zero", "[-01]"],
		["a bare minus", "[-]"],
	] as const),
	...([
		["a point first", "[.5]"],
		["a point last", "[5.]"],
		["an empty exponent", "[1e]"],
		["a signed one", "[1e+]"],
	] as const),
	...([
		["two points", "[1.2.3]"],
		["hexadecimal", "[0x1F]"],
		["octal", "[0o17]"],
		["an underscore", "[1_000]"],
	] as const),
	...([
		["a big-integer suffix", "[5n]"],
		["full-width digits", "[\uff15]"],
		["two minus signs", "[--1]"],
	] as const),
	...([
		["an open string", '["a'],
		["a new line in one", '["a\nb"]'],
		["a tab in one", '["a\tb"]'],
		["a NUL in one", '["a\u0000b"]'],
	] as const),
	...([
		["an unknown escape", '["\\x41"]'],
		["a short escape", '["\\u12"]'],
		["no digits", '["\\u00zz"]'],
		["a lone backslash", '["\\"]'],
	] as const),
	...([
		["a braced escape", '["\\u{41}"]'],
		["an apostrophe escape", '["\\\'"]'],
		["an escape outside", "[\\n]"],
	] as const),
	...([
		["a no-break space", "[\u00a01]"],
		["a form feed", "[\f1]"],
		["a vertical tab", "[\v1]"],
		["a NUL after", "{}\u0000"],
	] as const),
	...([
		["a backtick string", "[`a`]"],
		["an em space", "\u2003[]"],
		["a spread", "[...[]]"],
		["a regular expression", "[/a/]"],
	] as const),
];

/** Texts that are JSON documents, with what they say. */
const ACCEPTED: readonly (readonly [string, unknown])[] = [
	...([
		["{}", {}],
		["[]", []],
		["null", null],
		["true", true],
		["false", false],
		["0", 0],
		['""', ""],
	] as const),
	...([
		[" \t\r\n{} \t\r\n", {}],
		["[1]", [1]],
		["[-1]", [-1]],
		["[0.5]", [0.5]],
		["[1e2]", [100]],
		["[1E+2]", [100]],
	] as const),
	...([
		["[1e-2]", [0.01]],
		["[-0]", [-0]],
		["[123456789]", [123456789]],
		["[1.0]", [1]],
		['["a"]', ["a"]],
	] as const),
	...([
		['["\\n\\t\\r\\b\\f"]', ["\n\t\r\b\f"]],
		['["\\"\\\\\\/"]', ['"\\/']],
		['["\\u00d1"]', ["Ñ"]],
		['["Ñ"]', ["Ñ"]],
	] as const),
	...([
		['["\\ud83e\\uddfe"]', ["\u{1f9fe}"]],
		['["\u{1f9fe}"]', ["\u{1f9fe}"]],
		['["\u007f"]', ["\u007f"]],
		['["\u2028"]', ["\u2028"]],
	] as const),
	...([
		['{"a":1,"b":2}', { a: 1, b: 2 }],
		['{"a":{"a":{"a":1}}}', { a: { a: { a: 1 } } }],
		['{"":0}', { "": 0 }],
	] as const),
	...([
		['[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
		['{"a":"a"}', { a: "a" }],
		['{"a":["a","a"]}', { a: ["a", "a"] }],
	] as const),
	...([
		['["[[[[[[[[[[[[[[[[[[[["]', ["[".repeat(20)]],
		['["{\\"a\\":1,\\"a\\":2}"]', ['{"a":1,"a":2}']],
		["[[],[]]", [[], []]],
	] as const),
	...([
		['{"A":1,"a":2}', { A: 1, a: 2 }],
		['{"a\\\\":1,"a":2}', { "a\\": 1, a: 2 }],
		['{"n":null,"a":[1,2,3]}', { n: null, a: [1, 2, 3] }],
	] as const),
];

describe("the corpus", () => {
	test("is large enough to mean something", () => {
		expect(new Set(REFUSED.map(([, text]) => text)).size).toBe(REFUSED.length);
		expect(REFUSED.length).toBeGreaterThanOrEqual(60);
		expect(ACCEPTED.length).toBeGreaterThanOrEqual(30);
	});

	test("a byte order mark before the document is ignored", () => {
		expect(parseJson(new TextEncoder().encode("\ufeff{}"))).toEqual({});
	});

	test("what is no JSON document is malformed-json", async () => {
		for (const [name, text] of REFUSED) expect([name, await slugOf(bytes(text))]).toEqual([name, "malformed-json"]);
	});

	test("what is one is read as what it says", () => {
		for (const [text, value] of ACCEPTED) expect([text, parse(text)]).toEqual([text, value]);
	});

	test("every truncated text is refused or parses as the platform does", () => {
		for (const [text] of ACCEPTED) for (let end = 0; end < text.length; end++) agreesWithPlatform(text.slice(0, end));
	});
});

/** Either both refuse, or both read the same; and a refusal is always a Problem. */
function agreesWithPlatform(text: string): void {
	let read: unknown;
	try {
		read = parse(text);
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		return;
	}
	expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(text)));
}

describe("bytes", () => {
	test("that are not strict UTF-8 are malformed-json, wherever they stand", async () => {
		const bad: Record<string, number[]> = {
			"a lone continuation": [0x80],
			"a cut sequence": [0xc3],
			"an overlong slash": [0xc0, 0xaf],
			"an overlong NUL": [0xe0, 0x80, 0x80],
			"a surrogate": [0xed, 0xa0, 0x80],
			"a pair of surrogates": [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
			"beyond the last code point": [0xf4, 0x90, 0x80, 0x80],
			"five bytes": [0xf8, 0x88, 0x80, 0x80, 0x80],
			"FE and FF": [0xfe, 0xff],
			"Latin-1": [0xd1, 0x41],
		};
		for (const [name, sequence] of Object.entries(bad)) {
			const inValue = Buffer.concat([bytes('{"a":"'), Buffer.from(sequence), bytes('"}')]);
			const inName = Buffer.concat([bytes('{"'), Buffer.from(sequence), bytes('":1}')]);
			for (const body of [inValue, inName]) expect([name, await slugOf(body)]).toEqual([name, "malformed-json"]);
		}
	});

	test("of another encoding are malformed-json", async () => {
		expect(await slugOf(Buffer.from("{}", "utf16le"))).toBe("malformed-json");
		expect(await slugOf(Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]))).toBe("malformed-json");
	});

	test("the empty body says that it is empty", async () => {
		expect(String((await problemFrom(() => parse(""))).detail)).toBe("The body is empty.");
		expect(String((await problemFrom(() => parse(" \r\n"))).detail)).toBe("The body is empty.");
	});
});

describe("members that appear twice", () => {
	test("are refused at every depth, equal values or not", async () => {
		for (const text of [
			'{"a":1,"a":2}',
			'{"a":1,"a":1}',
			'{"a":1,"b":{"c":1,"c":2}}',
			'[{"x":0},{"a":1,"b":[],"a":2}]',
			'{"a":{"a":1},"a":2}',
			'{"":1,"":2}',
			'{"a" :1,"a"\n:2}',
			'{"__proto__":1,"__proto__":2}',
		]) {
			expect([text, await slugOf(bytes(text))]).toEqual([text, "malformed-json"]);
		}
	});

	test("are the same member however they are escaped", async () => {
		for (const text of [
			'{"a":1,"\\u0061":2}',
			'{"\\u0061":1,"a":2}',
			'{"\\u0061":1,"\\u0061":2}',
			'{"Ñ":1,"\\u00d1":2}',
			'{"\\u00D1":1,"\\u00d1":2}',
			'{"a/b":1,"a\\/b":2}',
			'{"\\n":1,"\\u000a":2}',
			'{"\\"":1,"\\u0022":2}',
			'{"\u{1f9fe}":1,"\\ud83e\\uddfe":2}',
		]) {
			expect([text, await slugOf(bytes(text))]).toEqual([text, "malformed-json"]);
		}
	});

	test("are named in the detail, once quoted and cut", async () => {
		expect(String((await problemFrom(() => parse('{"a":1,"a":2}'))).detail)).toBe(
			'The member "a" appears twice in one object.',
		);
		const long = "n".repeat(100_000);
		const problem = await problemFrom(() => parse(`{"${long}":1,"${long}":2}`));
		expect(String(problem.detail).length).toBeLessThan(200);
	});

	test("are found in any object that has one, and in no other", () => {
		const names = fc.array(fc.constantFrom("a", "b", "c", "d", "é", '"', "\\", "\n"), { maxLength: 5 });
		const spell = fc.boolean();
		fc.assert(
			fc.property(names, spell, (list, escaped) => {
				const write = (name: string) =>
					escaped ? `"\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}"` : JSON.stringify(name);
				const text = `[{${list.map((name, i) => `${i % 2 ? write(name) : JSON.stringify(name)}:${i}`).join(",")}}]`;
				let isRefused = false;
				try {
					parse(text);
				} catch {
					isRefused = true;
				}
				expect(isRefused).toBe(new Set(list).size < list.length);
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe("depth", () => {
	test("sixteen is read and seventeen is refused, in arrays, objects and both", async () => {
		const object = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
		for (const text of [nested("[", "]", 16), object(16), nested('[{"a":', "}]", 8).replace(":}", ":1}")]) parse(text);
		for (const text of [nested("[", "]", 17), object(17)]) {
			const problem = await problemFrom(() => parse(text));
			expect([problem.slug, problem.faults[0]?.code]).toEqual(["validation-error", "too-deep"]);
		}
	});

	test("beside one another is not inside one another", () => {
		expect(parse(`[${Array(1_000).fill("[[]]").join(",")}]`)).toHaveLength(1_000);
	});

	test("arrays 200,000 deep are refused without a stack overflow", async () => {
		expect(await slugOf(bytes(nested("[", "]", 200_000)))).toBe("validation-error");
		expect(await slugOf(bytes("[".repeat(200_000)))).toBe("validation-error");
		expect(await slugOf(bytes('{"a":'.repeat(200_000)))).toBe("validation-error");
	});
});

describe("any text at all", () => {
	test("that JSON.stringify writes is read back", () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
				const text = JSON.stringify(value);
				expect(JSON.stringify(parse(text))).toBe(text);
			}),
		);
	});

	test("with one character changed is a Problem or parses as elsewhere", () => {
		const change = fc.tuple(fc.nat(), fc.constantFrom(..."{}[]\",:\\0-+.eE \n\u0000tfn/'"));
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 3 }), fc.array(change, { minLength: 1, maxLength: 3 }), (value, changes) => {
				let text = JSON.stringify(value);
				for (const [place, character] of changes) {
					const at = place % (text.length + 1);
					text = text.slice(0, at) + character + text.slice(at + (place % 2));
				}
				agreesWithPlatform(text);
			}),
			{ numRuns: 3_000 },
		);
	});

	test("a long run of quotes, backslashes or spaces takes no longer than reading it", () => {
		for (const unit of ['"', "\\", '"\\', '"" ', '{"a"        ', '["a",']) {
			agreesWithPlatform(unit.repeat(500_000 / unit.length));
		}
	});
});

describe("texts that neither an XML document nor the database can hold", () => {
	const faultsOf = (text: string) => checkText(parse(text), 100).map(({ pointer, code }) => [pointer, code]);

	test("are reported in values, with their pointers", () => {
		expect(faultsOf('{"a":"x\\u0000","b":["ok","\\ud800"],"c":{"d~/e":"\\uffff"}}')).toEqual([
			["/a", "illegal-character"],
			["/b/1", "illegal-character"],
			["/c/d~0~1e", "illegal-character"],
		]);
	});

	test("are reported in members' names, at their object", () => {
		expect(faultsOf('{"a":{"x\\u0000":1}}')).toEqual([["/a", "illegal-character"]]);
		expect(faultsOf('{"\\udfff":1,"ok":"\\u0001"}')).toEqual([
			["", "illegal-character"],
			["/ok", "illegal-character"],
		]);
	});

	test("are described in words that fit searches too", () => {
		for (const { detail } of checkText(parse('{"a":"\\u0000","b\\u0000":1}'), 100))
			expect(String(detail)).not.toContain("XML");
	});

	test("are reported when the body is a single text", () => {
		expect(faultsOf('"\\ud83e"')).toEqual([["", "illegal-character"]]);
	});

	test("do not include pairs of surrogates, tabs and new lines", () => {
		expect(faultsOf('{"a":"\\ud83e\\uddfe\\t\\r\\n","b":null,"c":1}')).toEqual([]);
	});

	test("a text over the limit is too long, unless the limit is lifted", () => {
		expect(checkText({ a: "x".repeat(100) }, 100)).toEqual([]);
		expect(checkText({ a: "x".repeat(101) }, 100)).toMatchObject([{ pointer: "/a", code: "too-long", maximum: 100 }]);
		expect(checkText({ a: "😀".repeat(100) }, 100)).toEqual([]);
		expect(checkText({ a: "😀".repeat(101) }, 100)).toMatchObject([{ pointer: "/a", code: "too-long" }]);
		expect(checkText({ a: "x".repeat(1_000_000) }, undefined)).toEqual([]);
	});
});

test("very wide objects and very many values are refused", () => {
	const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"n${i}":{"a":1}`).join(",")}}`;
	const read = (text: string) => parseJson(Buffer.from(text));
	expect(Object.keys(read(members(1_000)) as object)).toHaveLength(1_000);
	expect(() => read(members(1_001))).toThrow("1 field is invalid.");
	expect(() => read(`[${"1,".repeat(250_000)}1]`)).toThrow("1 field is invalid.");
});
