import { expect, test } from "bun:test";
import { checkCursor, cursorOf, formatCursor, readCursor } from "../../../src/events/feed/cursor";

test("a cursor with or without a mark survives formatting and reading", () => {
	const marked = cursorOf(48_213, "0192f190-7a00-7b11-9c22-334455667788");
	expect(formatCursor(marked)).toBe("48213-55667788");
	for (const cursor of [marked, cursorOf(48_213, null), cursorOf(0, null)])
		expect(readCursor(formatCursor(cursor))).toEqual(cursor);
});

test("a text that is neither a cursor nor `latest` is refused", () => {
	for (const good of ["0", "999999999999999", "7-00ffAA11".toLowerCase(), "latest"])
		expect(checkCursor(good)).toBeUndefined();
	for (const bad of [
		"",
		"-1",
		"01",
		"1.5",
		"1e3",
		"1-",
		"1-0",
		"1-00FFAA11",
		"1-00ffaa11 ",
		"1000000000000000",
		"newest",
	])
		expect(checkCursor(bad)).toMatchObject({ code: "invalid-cursor" });
});
