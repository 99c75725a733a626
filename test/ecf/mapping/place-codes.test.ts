import { describe, expect, test } from "bun:test";
import { isPlaceCode } from "../../../src/ecf/mapping";

describe("a place code", () => {
	test("is one of the table's 582", () => {
		let count = 0;
		for (let code = 0; code < 1_000_000; code++) if (isPlaceCode(String(code).padStart(6, "0"))) count++;
		expect(count).toBe(582);
	});

	test("names a province, a municipality or a district", () => {
		for (const code of ["010000", "010100", "010101", "170110", "320703"]) {
			expect([code, isPlaceCode(code)]).toEqual([code, true]);
		}
	});

	test("is not made up, nor one of the table's holes", () => {
		for (const code of [
			"",
			"000000",
			"330000",
			"010200",
			"010102",
			"250103",
			"290401",
			"030100",
			"10100",
			"0101001",
			"01O100",
		]) {
			expect([code, isPlaceCode(code)]).toEqual([code, false]);
		}
		expect(isPlaceCode("030001")).toBe(true);
	});
});
