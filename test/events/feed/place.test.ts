import { expect, test } from "bun:test";
import { checkPlace, placeOf, readCursor, toCursor } from "../../../src/events/feed/place";

test("a place and its cursor are each other's, with a mark and without", () => {
	const marked = placeOf(48_213, "0192f190-7a00-7b11-9c22-334455667788");
	expect(toCursor(marked)).toBe("48213-55667788");
	for (const place of [marked, placeOf(48_213, null), placeOf(0, null)])
		expect(readCursor(toCursor(place))).toEqual(place);
});

test("what is neither a cursor nor the word for the newest place is told", () => {
	for (const good of ["0", "999999999999999", "7-00ffAA11".toLowerCase(), "latest"])
		expect(checkPlace(good)).toBeUndefined();
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
		expect(checkPlace(bad)).toMatchObject({ code: "invalid-cursor" });
});
