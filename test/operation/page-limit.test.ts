import { expect, test } from "bun:test";
import { checkSchema, PageLimit } from "../../src/operation";

test("a page has 1 to 100 entries, and whoever asks for others is told so", () => {
	for (const text of ["1", "9", "10", "25", "99", "100"]) expect(checkSchema(PageLimit, text)).toEqual([]);
	for (const text of ["", "0", "00", "01", "101", "1000", "-1", "1.0", "1e1", "0x10", " 1", "1\n", "x"]) {
		const fault = { pointer: "", code: "invalid-format", detail: "Send a number from 1 to 100." };
		expect(checkSchema(PageLimit, text)).toEqual([fault]);
	}
});
