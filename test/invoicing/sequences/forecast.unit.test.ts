import { describe, expect, test } from "bun:test";
import { toSequenceRecords } from "../../../src/invoicing/sequences/forecast";
import type { SequenceRow } from "../../../src/invoicing/sequences/list-store";
import { reachedThreshold } from "../../../src/invoicing/sequences/low-sequence";

const TODAY = "2026-11-20";
const row = (change: Partial<SequenceRow> = {}): SequenceRow => ({
	...{ id: "a", type: "32", first: 1, last: 10_000, next: 5_251, available: 4_750, expiresOn: null },
	...change,
});

describe("a forecast", () => {
	test("divides what is left by the mean of the days since the first number", () => {
		const usage = [{ type: "32", given: 5_050, firstDay: "2026-11-11" }];
		const [record] = toSequenceRecords([row()], usage, TODAY);
		expect(record).toMatchObject({ next: "E320000005251", available: 4_750, status: "active" });
		expect(record?.forecast).toEqual({ perDay: 505, exhaustedOn: "2026-11-30" });
	});

	test("of a sequence without use names no day", () => {
		expect(toSequenceRecords([row()], [], TODAY)[0]?.forecast).toEqual({ perDay: 0, exhaustedOn: null });
	});

	test("uses sequences of a type one after another and skips expired ones", () => {
		const usage = [{ type: "32", given: 100, firstDay: TODAY }];
		const rows = [
			row({ id: "old", available: 900, expiresOn: "2026-11-19" }),
			row({ id: "first", available: 100 }),
			row({ id: "next", available: 200 }),
			row({ id: "done", available: 0, next: null }),
		];
		const result = toSequenceRecords(rows, usage, TODAY).map(({ id, status, next, forecast }) => [
			...[id, status, next === null, forecast.exhaustedOn],
		]);
		expect(result).toEqual([
			["old", "expired", true, null],
			["first", "active", false, "2026-11-21"],
			["next", "active", false, "2026-11-23"],
			["done", "exhausted", true, null],
		]);
	});

	test("gives no day if the sequence expires first", () => {
		const usage = [{ type: "31", given: 100, firstDay: TODAY }];
		const of31 = (change: Partial<SequenceRow>) => row({ type: "31", ...change });
		const rows = [
			of31({ id: "first", available: 10_000, expiresOn: "2026-11-22" }),
			of31({ id: "next", available: 300, expiresOn: "2026-12-31" }),
			of31({ id: "last", available: 100, expiresOn: "2027-12-31" }),
		];
		const daysOf = (tenantsDay?: string) =>
			toSequenceRecords(rows, usage, TODAY, tenantsDay).map(({ forecast }) => forecast.exhaustedOn);
		expect(daysOf()).toEqual([null, "2026-11-25", "2026-11-26"]);
		// By a test clock that is a day ahead the first one has a day less.
		expect(daysOf("2026-11-21")).toEqual([null, "2026-11-24", "2026-11-25"]);
	});

	test("names the last day of the sequence when its last number goes on it", () => {
		const usage = [{ type: "31", given: 100, firstDay: TODAY }];
		const rows = [row({ type: "31", available: 200, expiresOn: "2026-11-22" })];
		expect(toSequenceRecords(rows, usage, TODAY)[0]?.forecast.exhaustedOn).toBe("2026-11-22");
	});

	test("further away than ten years is none", () => {
		const usage = [{ type: "32", given: 1, firstDay: TODAY }];
		expect(toSequenceRecords([row()], usage, TODAY)[0]?.forecast.exhaustedOn).toBeNull();
	});
});

test("each threshold is notified once, and only the lowest of several", () => {
	expect(reachedThreshold(21, 100, null)).toBeUndefined();
	expect(reachedThreshold(20, 100, null)).toBe(20);
	expect(reachedThreshold(19, 100, 20)).toBeUndefined();
	expect(reachedThreshold(5, 100, 20)).toBe(5);
	expect(reachedThreshold(0, 100, 20)).toBe(0);
	expect(reachedThreshold(0, 100, 0)).toBeUndefined();
	expect(reachedThreshold(0, 100, null)).toBe(0);
});
