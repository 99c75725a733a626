import { expect, test } from "bun:test";
import { checkGates } from "../../../src/registry/ingest/gates";

const fine = { rows: 1_000, refusedCount: 0, unknownStatusCount: 0, endsCut: false };

test.each([
	[900, undefined],
	[899, "expected 90 to 150 %"],
	[1_500, undefined],
	[1_501, "expected 90 to 150 %"],
])("%d rows after 1000 are judged by the bounds", (rows, fault) => {
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

test("columns in other places, a cut end and an empty file are refused, forced or not", () => {
	for (const force of [false, true]) {
		expect(checkGates({ ...fine, unknownStatusCount: 501 }, undefined, force)).toContain("columns");
		expect(checkGates({ ...fine, unknownStatusCount: 500 }, undefined, force)).toBeUndefined();
		expect(checkGates({ ...fine, endsCut: true }, undefined, force)).toContain("cut off");
		expect(checkGates({ ...fine, rows: 0 }, undefined, force)).toContain("no line");
	}
});
