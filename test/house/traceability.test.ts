import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findGaps, readTraceability, type Traceability, writeTraceability } from "../../scripts/check/traceability";

const root = join(import.meta.dir, "../..");

test("every promise of the specification names tests that exist", () => {
	const traceability = readTraceability(root);
	expect(traceability.sections.flatMap(({ rows }) => rows).length).toBeGreaterThan(50);
	expect(findGaps(root, traceability)).toEqual([]);
});

test("data/traceability.md is what its source gives", () => {
	expect(readFileSync(join(root, "data/traceability.md"), "utf8")).toBe(writeTraceability(readTraceability(root)));
});

test("a promise without a test, with a missing test or listed twice is found", () => {
	const planted: Traceability = {
		sections: [
			{
				title: "Limits",
				column: "limit",
				rows: [
					{ promise: "one", shownBy: [] },
					{ promise: "two", shownBy: ["test/gone.test.ts"] },
					{ promise: "two", shownBy: ["test/house"] },
				],
			},
		],
	};
	expect(findGaps(root, planted)).toEqual([
		"one: no test is named",
		"two: test/gone.test.ts does not exist",
		"two: listed twice",
	]);
	expect(writeTraceability(planted)).toContain("| two | `test/gone.test.ts` |");
});
