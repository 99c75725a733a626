import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ECF_TYPES, InvoiceRequest, carries, isSummaryPlan, planEcf, toTypeSchema, type EcfType, writeEcf, writeSummary } from "../../src/ecf/mapping";
import { ECF, RFCE } from "../../src/ecf/format";
import { findUnfit } from "../ecf/signing/fits-table";
import { readExamples, SECURITY_CODE } from "../ecf/signing/samples";

const GOLDEN = join(import.meta.dir, "../../data/golden/ecf");
const isUpdate = process.env.UPDATE === "1";

/** What the mapping has to say of the examples; of all others nothing. */
const WARNINGS: Readonly<Record<string, readonly string[]>> = {
	"31-rich": ["text-cut"],
	"31-tax-not-derivable": ["tax-not-derivable"],
	"44-rich": ["text-cut"],
};

/** Written all the same; the caller has been warned. */
const WITHOUT_REFERENCE = ["33-minimal", "34-minimal"];

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
			if (isSummaryPlan(plan)) compare(`${name}.summary.xml`, writeSummary(plan, SECURITY_CODE));
		});
	}

	test("fits the element table", () => {
		for (const { name, input } of examples) {
			const plan = planEcf(input);
			if (WITHOUT_REFERENCE.includes(name)) continue;
			expect([name, findUnfit(writeEcf(plan), ECF, plan.type)]).toEqual([name, []]);
			if (!isSummaryPlan(plan)) continue;
			expect([name, findUnfit(writeSummary(plan, SECURITY_CODE), RFCE, plan.type)]).toEqual([name, []]);
		}
	});

	test("that has everything leaves no optional member of the request out", () => {
		const optional = (type: EcfType) => ({
			request: Object.keys(toTypeSchema(type).properties).filter((name) => type !== "41" || name !== "income_type"),
			line: Object.keys(InvoiceRequest.properties.lines.items.properties)
				.filter((name) => name !== "withholding" || carries(type, "Retencion"))
				.filter((name) => name !== "additional_taxes" || type !== "41")
				.filter((name) => name !== "excise" || carries(type, "CantidadReferencia"))
				.filter((name) => !name.startsWith("gross") || carries(type, "IndicadorMontoGravado")),
		});
		for (const type of ECF_TYPES) {
			const invoice = examples.find(({ name }) => name === `${type}-everything`)?.input.invoice;
			const { request, line } = optional(type);
			expect(Object.keys(invoice ?? {}).sort()).toEqual(request.sort());
			expect(Object.keys(invoice?.lines[0] ?? {}).sort()).toEqual(line.sort());
		}
	});

	test("has no golden file without an example", () => {
		const names = new Set(examples.flatMap(({ name }) => [`${name}.xml`, `${name}.summary.xml`]));
		const files = readdirSync(GOLDEN).filter((file) => file.endsWith(".xml"));
		expect(files.filter((file) => !names.has(file))).toEqual([]);
	});

	test("exists for each type with the required members alone, and with every member", () => {
		const names = examples.map((example) => example.name);
		for (const type of ["31", "32", "33", "34", "41", "44"]) {
			expect(names).toContain(`${type}-minimal`);
			expect(names).toContain(`${type}-everything`);
		}
	});
});
