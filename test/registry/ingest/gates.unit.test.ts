import { describe, expect, test } from "bun:test";
import { checkGates, checkKept } from "../../../src/registry/ingest/gates";
import { entries, snapshotOf } from "../build";

const fine = {
	...{ rows: 1_000, refusedCount: 0, garbledCount: 0, unknownStatusCount: 0, endsCut: false },
	...{ refusedLines: [], guessed: 0, format: { name: "text" as const, encoding: "utf-8" as const, ignored: [] } },
	...{ spanishCount: 60, replacements: { count: 0, firstLine: 0 } },
};

test.each([
	[900, undefined],
	[899, "expected 90 to 150 %"],
	[1_500, undefined],
	[1_501, "expected 90 to 150 %"],
])("%d rows after 1000 are checked against the bounds", (rows, fault) => {
	const found = checkGates({ ...fine, rows }, 1_000, false);
	if (fault === undefined) expect(found).toBeUndefined();
	else expect(found).toContain(fault);
	expect(checkGates({ ...fine, rows }, 1_000, true)).toBeUndefined();
	expect(checkGates({ ...fine, rows }, undefined, false)).toBeUndefined();
});

test.each([
	[990, 10, undefined],
	[989, 11, "11 of 1000 lines cannot be read"],
])("of 1000 lines %d must be readable", (rows, refusedCount, fault) => {
	const found = checkGates({ ...fine, rows, refusedCount }, undefined, true);
	if (fault === undefined) expect(found).toBeUndefined();
	else expect(found).toContain(fault);
});

test("shifted columns, a truncated end and an empty file are refused, forced or not", () => {
	for (const force of [false, true]) {
		expect(checkGates({ ...fine, unknownStatusCount: 501 }, undefined, force)).toContain("columns");
		expect(checkGates({ ...fine, unknownStatusCount: 500 }, undefined, force)).toBeUndefined();
		expect(checkGates({ ...fine, endsCut: true }, undefined, force)).toContain("cut off");
		expect(checkGates({ ...fine, rows: 0 }, undefined, force)).toContain("no line");
	}
});

test("a refusal says what is wrong with most lines, and which columns are unknown", () => {
	const found = "7 columns, expected 6";
	const refusedLines = [found, "no number of 9 or 11 digits", found].map((one) => {
		return { reason: "column-count" as const, line: 1, found: one, text: "" };
	});
	const format = { name: "csv" as const, encoding: "utf-8" as const, ignored: ["FACTURADOR"] };
	const reason = checkGates({ ...fine, refusedCount: 900, refusedLines, format }, undefined, false);
	expect(reason).toBe("900 of 1900 lines cannot be read, more than 1 %: 7 columns, expected 6; unknown: FACTURADOR");
	expect(checkGates({ ...fine, guessed: 11 }, undefined, true)).toContain("11 of 1000 lines have bars inside texts");
});

const before = entries(1_000);
const kept = (after: typeof before, isErased?: (digits: string) => boolean) =>
	checkKept(snapshotOf(before), snapshotOf(after), isErased);

test.each([
	[900, undefined],
	[899, "expected 90 % of the 1000 numbers of the last good run, got 899 of them: force"],
	[0, "got 0 of them"],
])("%d of 1000 kept numbers are checked against the bound, erased ones included", (count, fault) => {
	const after = [...before.slice(1_000 - count), ...entries(1_000, 5_001)];
	if (fault === undefined) expect(kept(after)).toBeUndefined();
	else expect(kept(after)).toContain(fault);
	expect(kept(after, (digits) => Number(digits) <= 990_001_000)).toBeUndefined();
});

test.each([
	[500, undefined],
	[501, "501 of 1000 entries compared with the last good run name another taxpayer"],
])("%d of 1000 entries with another name are checked against the bound", (count, fault) => {
	const after = before.map((e, i) => (i < count ? { ...e, name: `OTRA ${i}` } : e));
	if (fault === undefined) expect(kept(after)).toBeUndefined();
	else expect(kept(after)).toContain(fault);
});

test("any two swapped text columns are detected, and one reworded column passes", () => {
	const texts = before.map((e, i) => ({ ...e, trade_name: `MARCA ${i}`, economic_activity: `OFICIO ${i}` }));
	const judge = (change: (e: (typeof before)[number], i: number) => Partial<(typeof before)[number]>) =>
		checkKept(snapshotOf(texts), snapshotOf(texts.map((e, i) => ({ ...e, ...change(e, i) }))), undefined);
	expect(judge((e) => ({ name: e.economic_activity, economic_activity: e.name }))).toContain("1000 of 1000");
	expect(judge((e) => ({ name: e.trade_name, trade_name: e.name }))).toContain("1000 of 1000");
	expect(judge((e) => ({ trade_name: e.economic_activity, economic_activity: e.trade_name }))).toContain("columns");
	expect(judge((_, i) => ({ name: texts[(i + 1) % 1_000]?.name ?? "" }))).toContain("1000 of 1000");
	expect(judge(() => ({ trade_name: "" }))).toBeUndefined();
	expect(judge((e) => ({ economic_activity: `${e.economic_activity} N.C.P.`, payment_regime: "RST" }))).toBeUndefined();
});

test("a registry of fewer than 100 entries may change completely", () => {
	const judge = (count: number) => checkKept(snapshotOf(entries(count)), snapshotOf(entries(count, 5_001)), undefined);
	expect(judge(99)).toBeUndefined();
	expect(judge(100)).toContain("got 0 of them");
});

test("of many entries some are compared, all over the file", () => {
	const many = entries(10_000);
	const change = (from: number) => many.map((e, i) => (i < from ? e : { ...e, name: `OTRA ${i}` }));
	expect(checkKept(snapshotOf(many), snapshotOf(change(6_000)), undefined)).toBeUndefined();
	expect(checkKept(snapshotOf(many), snapshotOf(change(4_000)), undefined)).toContain("1200 of 2000 entries");
});

describe("a wrong decoding is refused, forced or not:", () => {
	const judge = (garbledCount: number, spanishCount: number, rows = 1_000) => {
		const counts = { ...fine, rows, garbledCount, spanishCount };
		const found = [true, false].map((force) => checkGates({ ...counts, firstGarbledLine: 7 }, undefined, force));
		expect(found[0]).toBe(found[1]);
		return found[0];
	};

	test("more than 5 garbled lines in 1000", () => {
		expect(judge(5, 60)).toBeUndefined();
		expect(judge(6, 60)).toBe(
			"6 of 1000 lines are garbled by a wrong decoding, the first is line 7: the encoding of the source is damaged",
		);
		expect(judge(3_000, 60_000, 760_000)).toBeUndefined();
	});

	test("more garbled lines than Spanish letters", () => {
		expect(judge(3, 3)).toBeUndefined();
		expect(judge(3, 2)).toContain("3 of 1000 lines are garbled");
		expect(judge(0, 0)).toBeUndefined();
	});

	test("every line garbled", () => {
		expect(judge(1_000, 0)).toContain("1000 of 1000 lines are garbled");
	});
});

test("a single U+FFFD is refused unless forced, and many are always refused", () => {
	const judge = (count: number, force: boolean) =>
		checkGates({ ...fine, replacements: { count, firstLine: 12 } }, undefined, force);
	const refusal = (count: number) =>
		`U+FFFD stands in place of lost characters, ${count} in all, first in line 12: the encoding of the source is damaged`;
	expect([judge(1, false), judge(1, true)]).toEqual([refusal(1), undefined]);
	expect([judge(6, false), judge(6, true)]).toEqual([refusal(6), refusal(6)]);
});
