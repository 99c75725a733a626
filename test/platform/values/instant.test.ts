/** Moments as callers write them. */
import { expect, test } from "bun:test";
import { parseInstant } from "../../../src/platform/values";

test.each([
	["2026-11-20T10:00:00Z", "2026-11-20T10:00:00.000Z"],
	["2026-11-20T10:00-04:00", "2026-11-20T14:00:00.000Z"],
	["2024-02-29T00:00:00.5Z", "2024-02-29T00:00:00.500Z"],
	["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
	["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
])("%s is a moment", (text, moment) => {
	expect(parseInstant(text)?.toISOString()).toBe(moment);
});

test.each([
	"2026-11-20",
	"2026-11-20T10:00:00",
	"2026-02-30T10:00:00Z",
	"2026-11-20T25:00:00Z",
	"0000-01-01T00:00:00Z",
	"0001-01-01T00:00:00+01:00",
	"9999-12-31T24:00:00Z",
	"9999-12-31T23:59:59-01:00",
])("%s is no moment that the database and every text can hold", (text) => {
	expect(parseInstant(text)).toBeUndefined();
});
