import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import fc from "fast-check";
import { createPlainQuery, readQuery } from "../../../src/platform/operation";
import type { Parameter } from "../../../src/platform/operation/operation";
import { Problem } from "../../../src/platform/problem";
import { makeCall, makeOperation } from "./support/call";

const inQuery = { in: "query", description: "one" } as const;
const parameters: readonly Parameter[] = [
	{ ...inQuery, name: "q", required: true, schema: Type.String({ minLength: 3, maxLength: 20 }) },
	{ ...inQuery, name: "limit", required: false, schema: Type.String({ pattern: "^[1-9][0-9]{0,2}$" }) },
	{ ...inQuery, name: "x-header", required: true, schema: Type.String(), in: "header" },
];
const operation = makeOperation({ method: "GET", path: "/v1/things", parameters });
const readPlain = createPlainQuery(parameters);

/** What the reader of all queries says; undefined where it refuses. */
function readWhole(query: string): Record<string, string | undefined> | undefined {
	try {
		return readQuery({ ...makeCall({}), url: new URL(`http://sello.test/v1/things?${query}`), operation });
	} catch (error) {
		if (error instanceof Problem) return undefined;
		throw error;
	}
}

describe("a query that is plainly written", () => {
	test("is read like any other", () => {
		for (const query of [
			"q=abc",
			"limit=25&q=el+progreso",
			"q=a%C3%B1ejo",
			"q=a%2Bb%26c%3Dd",
			"q='a?b=c'",
			'q="<abc>',
			"q=%EF%BB%BFabc",
		]) {
			expect(readPlain(query)).toEqual(readWhole(query));
			expect(readPlain(query)).toBeDefined();
		}
	});

	test("is left to the other reader when it has a fault or another form", () => {
		const faulty = [
			"",
			"limit=25",
			"q=ab",
			"q=abc&q=abc",
			"q=abc&colour=red",
			"q=abc&limit=0",
			"q=%FFabc",
			"q=ab%00c",
			"q",
		];
		for (const query of faulty)
			expect([query, readPlain(query), readWhole(query)]).toEqual([query, undefined, undefined]);
		for (const query of ["q=abc#d", "%71=abc", "q=abc&", "q=añejo", "x-header=abc&q=abc", "q=a bc"]) {
			expect([query, readPlain(query)]).toEqual([query, undefined]);
		}
	});

	test("never gives anything else than what the other reader gives", () => {
		const piece = fc.constantFrom(
			"q",
			"limit",
			"=",
			"&",
			"abc",
			"25",
			"%",
			"%20",
			"%C3%B1",
			"%C3",
			"+",
			"#",
			"?",
			"'",
			"ñ",
			"%26",
			"\\",
			"%EF%BB%BF",
			"%uABCD",
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
				for (const query of [pieces.join(""), `q=abc${pieces.join("")}`, `limit=5&q=${pieces.join("")}`]) {
					const values = readPlain(query);
					if (values) expect([query, values]).toEqual([query, readWhole(query) ?? {}]);
				}
			}),
			{ numRuns: 2_000 },
		);
	});
});
