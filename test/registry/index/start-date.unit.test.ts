import { expect, test } from "bun:test";
import { dateOfDay, dayOfBytes, dayOfText } from "../../../src/registry/index/start-date";

test("every day from 1900 to 2079 survives, as the calendar has it", () => {
	const wrong: number[] = [];
	for (let day = 1; day <= 65_535; day++) {
		const [year, month, date] = (dateOfDay(day) ?? "").split("-");
		if (dayOfText(` ${date}/${month}/${year}  `) !== day) wrong.push(day);
	}
	expect(wrong).toEqual([]);
	expect([dateOfDay(1), dateOfDay(65_535)]).toEqual(["1900-01-01", "2079-06-05"]);
});

test.each([
	"00/00/0000",
	"",
	" ",
	"29/02/1900",
	"31/04/2014",
	"31/12/1899",
	"06/06/2079",
	"2014-02-03",
	"3/2/2014",
	"ab/cd/efgh",
])("%p is no date", (cell) => {
	expect(dayOfText(cell)).toBe(0);
	expect(dateOfDay(dayOfBytes(Buffer.from(`|${cell}|`), 1, 1 + cell.length))).toBeUndefined();
});
