import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSummaryRoad, planEcf, writeEcf, writeSummary } from "../../src/signing";
import { readExamples, SECURITY_CODE } from "../signing/samples";

const GOLDEN = join(import.meta.dir, "../../data/golden/ecf");
const isUpdate = process.env.UPDATE === "1";

/** What the mapping has to say of the examples; of all others nothing. */
const WARNINGS: Readonly<Record<string, readonly string[]>> = {
	"31-rich": ["text-cut"],
	"31-tax-not-derivable": ["tax-not-derivable"],
	"44-rich": ["text-cut"],
};

function compare(file: string, written: string): void {
	const path = join(GOLDEN, file);
	if (isUpdate) writeFileSync(path, written);
	expect(existsSync(path) ? readFileSync(path, "utf8") : "no golden file; run with UPDATE=1").toBe(written);
}

describe("the e-CF of an example", () => {
	const examples = readExamples();
	for (const { name, input } of examples) {
		test(`${name} is what it was`, () => {
			const plan = planEcf(input);
			expect(plan.faults).toEqual([]);
			expect([...new Set(plan.warnings.map((warning) => warning.code))].sort()).toEqual([...(WARNINGS[name] ?? [])]);
			compare(`${name}.xml`, writeEcf(plan));
			if (isSummaryRoad(input)) compare(`${name}.summary.xml`, writeSummary(plan, SECURITY_CODE));
		});
	}

	test("has no golden file without an example", () => {
		const names = new Set(examples.flatMap(({ name }) => [`${name}.xml`, `${name}.summary.xml`]));
		const files = readdirSync(GOLDEN).filter((file) => file.endsWith(".xml"));
		expect(files.filter((file) => !names.has(file))).toEqual([]);
	});

	test("exists at least twice for each type, once with the canonical members alone", () => {
		const names = examples.map((example) => example.name);
		for (const type of ["31", "32", "33", "34", "41", "44"]) {
			expect(names.filter((name) => name.startsWith(type)).length).toBeGreaterThanOrEqual(2);
			expect(names).toContain(`${type}-minimal`);
		}
	});
});
