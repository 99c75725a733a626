import { expect, test } from "bun:test";
import { checkSchema, cutPage, PageLimit } from "../../../src/platform/operation";
import { msg } from "../../../src/platform/problem";

test("a page has 1 to 100 entries, and other limits are refused", () => {
	for (const text of ["1", "9", "10", "25", "99", "100"]) expect(checkSchema(PageLimit, text)).toEqual([]);
	for (const text of ["", "0", "00", "01", "101", "1000", "-1", "1.0", "1e1", "0x10", " 1", "1\n", "x"]) {
		const fault = { pointer: "", code: "invalid-format", detail: msg`Send a number from 1 to 100.` };
		expect(checkSchema(PageLimit, text)).toEqual([fault]);
	}
});

test("a page names its last row as the next one's beginning, while there are others", () => {
	const cut = (rows: readonly number[]) => cutPage(rows, 2, String);
	expect(cut([])).toEqual({ page: [], place: { count: 0, partial: false, next: null } });
	expect(cut([7, 6])).toEqual({ page: [7, 6], place: { count: 2, partial: false, next: null } });
	expect(cut([7, 6, 5])).toEqual({ page: [7, 6], place: { count: 2, partial: true, next: "6" } });
});
