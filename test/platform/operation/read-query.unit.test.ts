import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { type Call, findDocumentDayFault, readQuery } from "../../../src/platform/operation";
import type { Parameter } from "../../../src/platform/operation/operation";
import { makeCall, makeOperation, problemFrom } from "./support/call";

const parameter = (name: string, required: boolean, schema: Parameter["schema"]): Parameter => ({
	name,
	in: "query",
	required,
	description: name,
	schema,
});
const operation = makeOperation({
	method: "GET",
	path: "/v1/things",
	parameters: [
		parameter("q", true, Type.String({ minLength: 3, maxLength: 20 })),
		parameter("limit", false, Type.String({ pattern: "^[1-9][0-9]{0,2}$" })),
		{ ...parameter("x-header", true, Type.String()), in: "header" },
	],
});

function callWith(query: string): Call {
	return { ...makeCall({}), url: new URL(`http://sello.test/v1/things${query}`), operation };
}
const faultsOf = async (query: string) =>
	(await problemFrom(() => readQuery(callWith(query)))).faults.map(({ pointer, code }) => [pointer, code]);

test("declared parameters are read as text, percent-decoded", () => {
	expect(readQuery(callWith("?q=a%C3%B1ejo&limit=25"))).toEqual({ q: "añejo", limit: "25" });
	expect(readQuery(callWith("?q=el+progreso"))).toEqual({ q: "el progreso" });
	expect(readQuery(callWith("?q=a%2Bb%26c"))).toEqual({ q: "a+b&c" });
});

test("a number has one form only", async () => {
	for (const limit of [
		"0x10",
		"1e2",
		"%2B5",
		"+5",
		"-1",
		"0",
		"05",
		"5.0",
		"1000",
		"",
		"%205",
		"5%20",
		"5%0A",
		"five",
		"NaN",
		"٥",
	]) {
		expect([limit, await faultsOf(`?q=abc&limit=${limit}`)]).toEqual([limit, [["#/query/limit", "invalid-format"]]]);
	}
});

test("a parameter may be sent once", async () => {
	for (const query of ["?q=abc&limit=5&limit=9", "?q=abc&limit=5&limit=5", "?q=abc&limit=5&%6Cimit=9"]) {
		expect(await faultsOf(query)).toEqual([["#/query/limit", "repeated"]]);
	}
});

test("an undeclared parameter is unknown, even if every object has it", async () => {
	for (const name of ["limt", "Limit", "q[]", "x-header", "constructor", "__proto__"]) {
		expect(await faultsOf(`?q=abc&${name}=1`)).toEqual([[`#/query/${name}`, "unknown-parameter"]]);
	}
	expect(await faultsOf("?q=abc&a/b~=1")).toEqual([["#/query/a~1b~0", "unknown-parameter"]]);
});

test("invalid percent-encoding is refused once, with its parameter", async () => {
	for (const query of ["?q=abc%", "?q=abc%zz", "?q=abc%C3", "?q=abc%C0%80", "?q=abc%ED%A0%80", "?q=abc%FF"]) {
		expect([query, await faultsOf(query)]).toEqual([query, [["#/query/q", "invalid-encoding"]]]);
	}
	expect(await faultsOf("?q=%FF&q=abc")).toEqual([["#/query/q", "invalid-encoding"]]);
	expect(await faultsOf("?q=%FF&limit=%FE&other=%80")).toEqual([
		["#/query/q", "invalid-encoding"],
		["#/query/limit", "invalid-encoding"],
		["#/query/other", "invalid-encoding"],
	]);
	expect(await faultsOf("?q=ab&%zz=1&other=1")).toEqual([
		["#/query/%zz", "invalid-encoding"],
		["#/query/other", "unknown-parameter"],
		["#/query/q", "too-short"],
	]);
});

test("characters that no text of ours may hold are refused", async () => {
	for (const character of ["%00", "%01", "%0B", "%EF%BF%BF"]) {
		expect(await faultsOf(`?q=abc${character}`)).toEqual([["#/query/q", "illegal-character"]]);
	}
});

test("all violations are reported at once", async () => {
	expect(await faultsOf("?limit=0&other=1&another=2")).toEqual([
		["#/query/other", "unknown-parameter"],
		["#/query/another", "unknown-parameter"],
		["#/query/q", "required"],
		["#/query/limit", "invalid-format"],
	]);
	expect(await faultsOf("")).toEqual([["#/query/q", "required"]]);
	expect(await faultsOf("?q=ab")).toEqual([["#/query/q", "too-short"]]);
});

test("a document has no day before 1900 or after 2099", () => {
	for (const text of ["1900-01-01", "2026-11-20", "2099-12-31"]) expect(findDocumentDayFault(text)).toBeUndefined();
	for (const text of ["2100-01-01", "2199-12-31", "9999-12-31", "0001-01-01", "1899-12-31"]) {
		expect([text, findDocumentDayFault(text)?.toString()]).toEqual([text, "Send a day of the years 1900 to 2099."]);
	}
	for (const text of ["2026-02-30", "2026-13-01", "2099-02-29"]) {
		expect([text, findDocumentDayFault(text)?.toString()]).toEqual([text, "Is not a day of the calendar."]);
	}
});
