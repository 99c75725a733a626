import { describe, expect, test } from "bun:test";
import { toXml } from "../../../src/simulator/http/answer";
import { queryMessages, receptionTime } from "../../../src/simulator/http/wire-forms";

describe("the time of reception", () => {
	test.each([
		["2023-08-15T10:06:57Z", "8/15/2023 6:06:57 AM"],
		["2026-01-01T03:59:59Z", "12/31/2025 11:59:59 PM"],
		["2026-01-01T04:00:00Z", "1/1/2026 12:00:00 AM"],
		["2026-01-01T16:00:00Z", "1/1/2026 12:00:00 PM"],
	])("%s is %s on the authority's clock", (instant, text) => {
		expect(receptionTime(Date.parse(instant), true)).toBe(text);
	});
});

test("codes of queries are numbers except 004; in uniform mode all are text", () => {
	const messages = [
		{ code: "614", text: "a" },
		{ code: "004", text: "b" },
	];
	expect(queryMessages(messages, true).map((message) => message.codigo)).toEqual([614, "004"]);
	expect(queryMessages(messages, false).map((message) => message.codigo)).toEqual(["614", "004"]);
	expect(queryMessages([], true)).toEqual([{ valor: "", codigo: 0 }]);
});

test("a list in XML repeats its element, at the top inside an ArrayOf", () => {
	expect(toXml("R", { a: 1, b: null, c: [{ d: "x" }, { d: '<&">' }] })).toBe(
		'<?xml version="1.0" encoding="utf-8"?><R><a>1</a><c><d>x</d></c><c><d>&lt;&amp;&quot;&gt;</d></c></R>',
	);
	expect(toXml("R", ["a", "b"])).toEndWith("<ArrayOfR><R>a</R><R>b</R></ArrayOfR>");
});
