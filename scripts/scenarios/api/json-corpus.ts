/**
 * Texts on which JSON parsers are known to disagree, built from lists of parts in three positions each: alone, in an array, as a member.
 * Source: RFC 8259; the kinds are those of the public parsing suites.
 */

/** `refuse`: not JSON, or JSON that we refuse (duplicate members, invalid Unicode). `json`: JSON, valid for a schema or not. `either`: free. */
export type JsonCase = {
	readonly name: string;
	readonly bytes: Buffer;
	readonly verdict: "refuse" | "json" | "either";
};

const BAD_NUMBERS =
	"- + +1 ++1 --1 01 -01 00 -00 012 1. -1. .1 -.1 . 1.e1 .e1 1e 1e+ 1e- 1E 1eE2 0e 0e+ 1e1.0 1e0x1 0x1 0X1 -0x0 0b1 0o7 1_000 1,5 NaN -NaN nan Infinity -Infinity +Infinity infinity 1.2.3 1- -a 1a 0.1a １ ١ ∞ ½ 1e１ −1 0d1 1L 1n 1f".split(
		" ",
	);
const GOOD_NUMBERS =
	"0 -0 1 -1 10 0.0 -0.0 1.5 123456789 1e1 1E1 1e+1 1e-1 0e1 0e+1 1.5E-3 -1.5e10 9007199254740993 0.10000000000000000000000000001".split(
		" ",
	);
const FREE_NUMBERS = ["1e400", "-1e400", "1e-400", "9".repeat(400), `0.${"1".repeat(400)}`];
const BAD_LITERALS =
	"True TRUE tru truee t fals False falsee nul Null nulll NULL undefined None nil yes void NaN() true1 truefalse".split(
		" ",
	);
const BAD_STRINGS = [
	...[
		'"',
		'"a',
		'a"',
		"'a'",
		'"\\"',
		'"\\',
		'"\\x41"',
		'"\\u"',
		'"\\u1"',
		'"\\u12"',
		'"\\u123"',
		'"\\u12G4"',
		'"\\U0041"',
		'"\\u{41}"',
	],
	...[
		'"\\0"',
		'"\\a"',
		'"\\v"',
		'"\\\'"',
		'"\\ "',
		'"\\\n"',
		'"\n"',
		'"\r"',
		'"\t"',
		'"\u0000"',
		'"\u0001"',
		'"\u001f"',
		'"\b"',
		'"\f"',
	],
	...[
		"“a”",
		"`a`",
		'"a" "b"',
		'"a""b"',
		'"a"b',
		"a",
		"é",
		"\\u0041",
		'"\\ud83d\\',
		'"\\ud83d\\u"',
		'"\\u00A"',
		'"\\🙂"',
	],
];
const GOOD_STRINGS = [
	'""',
	'"a"',
	'"\\""',
	'"\\\\"',
	'"\\/"',
	'"/"',
	'"\\b\\f\\n\\r\\t"',
	'"\\u0041"',
	'"\\u00e9"',
	'"é"',
	'"\\ud83d\\ude42"',
	'"🙂"',
	'"\u007f"',
	'"\u2028"',
	'"\u00a0"',
];
/** JSON that no document or database can hold. */
const UNFIT_STRINGS = [
	'"\\u0000"',
	'"\\ud800"',
	'"\\udc00"',
	'"\\ud800\\ud800"',
	'"\\udc00\\ud800"',
	'"\\ud800x"',
	'"\\uffff"',
	'"\\ufffe"',
	'"\\u0001"',
	'"a\\u0000b"',
];
const BAD_STRUCTURES = [
	...[
		"",
		" ",
		"\n",
		"[",
		"]",
		"{",
		"}",
		"[[",
		"]]",
		"[]]",
		"[[]",
		"{}}",
		"{{}",
		"[}",
		"{]",
		"[{]}",
		"][",
		"}{",
		"[,]",
		"[1,]",
		"[,1]",
		"[1,,2]",
		"[1 2]",
		"[1;2]",
		"[1:2]",
		"[1",
		"[1,",
		"[\n1,",
		'["a"',
		'["a",\n4\n,1,',
	],
	...[
		"{,}",
		'{"a"}',
		'{"a":}',
		'{"a":1,}',
		'{,"a":1}',
		'{"a":1,,"b":2}',
		'{"a":1 "b":2}',
		'{"a" 1}',
		'{"a"::1}',
		'{"a":1:2}',
		"{:1}",
		"{1:1}",
		"{null:1}",
		"{a:1}",
		"{'a':1}",
		'{"a":1',
		'{"a":',
		'{"a"',
		'{"',
		'{"a":"b"}#',
		'{"a":"b"}/**/',
		'{"a":1}//',
		'{"a":/*b*/1}',
		"[1]#",
		"/**/[1]",
		"//\n[1]",
		"<!--x-->[1]",
	],
	...[
		'{"a":1}{"b":2}',
		"[1][2]",
		"[1]x",
		"x[1]",
		"1 2",
		"1,2",
		"*",
		"&",
		"=",
		":",
		",",
		"\\",
		"\u0000",
		"()",
		"(1)",
		"{[1]}",
		"[{]",
		'{"a":[}',
		'[{"a":1]',
		"[1}",
		'{"a":1]',
		"=1",
		"<null>",
		"<html></html>",
		"a=1&b=2",
		"--- a: 1",
		"#!",
		")]}',\n[1]",
		"for(;;);[1]",
		"[\u2060]",
		"[\u00a0]",
		"[\f]",
		"[\v]",
		"\u00a0[]",
		"\f[]",
		"[\ufeff]",
		"[]\u0000",
		"[1\u0000]",
		"[\u3000]",
	],
];
const GOOD_STRUCTURES = [
	"[]",
	"{}",
	"[[]]",
	"[{}]",
	"[null]",
	'{"a":{}}',
	'{"a":[]}',
	'{"":0}',
	" [] ",
	"\t[]\n",
	"\r\n{}\r\n",
	"[1\n]",
	"[ 1 , 2 ]",
	'{ "a" : 1 }',
	'{"a":1,"b":2}',
	"[true,false,null]",
	"[".repeat(16) + "]".repeat(16),
	'{"é":1}',
	'{"\\u0061":1}',
	'"alone"',
	"7",
	"null",
	"true",
	"false",
];
const DUPLICATE_MEMBERS = [
	'{"a":1,"a":1}',
	'{"a":1,"a":2}',
	'{"a":1,"\\u0061":2}',
	'{"a":{"b":1,"b":1}}',
	'[{"a":1,"a":1}]',
	'{"a":1,"b":2,"a":3}',
	'{"":1,"":2}',
	'{"a":{},"a":[]}',
];
const DEEP = [17, 100, 1_000, 10_000].flatMap((depth) => [
	"[".repeat(depth),
	"[".repeat(depth) + "]".repeat(depth),
	'{"a":'.repeat(depth),
	`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
	'[{"a":'.repeat(depth / 2),
]);
/** Bytes that are no UTF-8, for the inside of a text. */
const BAD_BYTES = [
	...[
		[0xff],
		[0xfe],
		[0x80],
		[0xbf],
		[0xc0, 0x80],
		[0xc0, 0xaf],
		[0xc1, 0xbf],
		[0xc3],
		[0xc3, 0x28],
		[0xe0, 0x80, 0xaf],
		[0xe2, 0x82],
		[0xe2, 0x28, 0xa1],
	],
	...[
		[0xed, 0xa0, 0x80],
		[0xed, 0xbf, 0xbf],
		[0xf0, 0x80, 0x80, 0xaf],
		[0xf0, 0x9f, 0x98],
		[0xf4, 0x90, 0x80, 0x80],
		[0xf8, 0x88, 0x80, 0x80, 0x80],
		[0xfc],
		[0xe9],
	],
].map((bytes) => Buffer.from(bytes));

export function listJsonCases(): JsonCase[] {
	const cases = new Map<string, JsonCase>();
	const add = (kind: string, verdict: JsonCase["verdict"], content: string | Buffer) => {
		const bytes = typeof content === "string" ? Buffer.from(content) : content;
		const id = bytes.toString("hex");
		if (!cases.has(id)) cases.set(id, { name: `${kind}: ${bytes.toString("latin1").slice(0, 40)}`, bytes, verdict });
	};
	const inPlaces = (kind: string, verdict: JsonCase["verdict"], parts: readonly string[]) => {
		for (const part of parts) for (const text of [part, `[${part}]`, `{"a":${part}}`]) add(kind, verdict, text);
	};
	inPlaces(
		"number",
		"refuse",
		BAD_NUMBERS.filter((one) => one !== "1,5"),
	);
	inPlaces("number", "json", GOOD_NUMBERS);
	inPlaces("number", "either", FREE_NUMBERS);
	inPlaces("word", "refuse", BAD_LITERALS);
	inPlaces(
		"text",
		"refuse",
		BAD_STRINGS.filter((one) => !/^"a"( |)"b"$/.test(one)),
	);
	inPlaces("text", "json", GOOD_STRINGS);
	inPlaces("unfit text", "refuse", UNFIT_STRINGS);
	for (const text of BAD_STRUCTURES) add("structure", "refuse", text);
	for (const text of GOOD_STRUCTURES) add("structure", "json", text);
	for (const text of DUPLICATE_MEMBERS) add("duplicate member", "refuse", text);
	for (const text of DEEP) add("depth", "refuse", text);
	for (const bytes of BAD_BYTES) {
		add("bytes", "refuse", Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')]));
		add("bytes", "refuse", Buffer.concat([Buffer.from('{"'), bytes, Buffer.from('":1}')]));
		add("bytes", "refuse", Buffer.concat([Buffer.from("[1"), bytes, Buffer.from("]")]));
	}
	for (const text of ["{}", '{"a":"é"}', "[1]"]) {
		add("mark", "json", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]));
		add("mark", "refuse", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]));
		add("encoding", "refuse", Buffer.from(text, "utf16le"));
		add("encoding", "refuse", Buffer.from(text, "utf16le").swap16());
	}
	return [...cases.values()];
}
