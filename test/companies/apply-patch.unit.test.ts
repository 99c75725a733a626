import { expect, test } from "bun:test";
import fc from "fast-check";
import { readContainer } from "../../src/companies/certificates/read-upload";
import { applyPatch, listChanged, pickPatchable, renewWarnings } from "../../src/companies/change-company";
import { defaultSettings, members } from "../../src/companies/company";
import type { PatchCompanyRequest } from "../../src/companies/company-request";
import { checkSchema } from "../../src/platform/operation";
import { companyRow } from "./support/row";

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const text = fc.string({ minLength: 1, maxLength: 20 });
const patches: fc.Arbitrary<PatchCompanyRequest> = fc.record(
	{
		...{ name: text, tradeName: orNull(text), economicActivity: orNull(text) },
		address: orNull(
			fc.record({ street: orNull(text), provinceCode: orNull(fc.constant("010000")) }, { requiredKeys: [] }),
		),
		settings: orNull(
			fc.record(
				{ strictValidation: orNull(fc.boolean()), printFormat: orNull(fc.constantFrom("a4", "thermal_80")) },
				{ requiredKeys: [] },
			),
		),
		contactEmails: orNull(fc.array(fc.constantFrom("a@b.example", "c@d.example"), { maxLength: 3 })),
		metadata: orNull(fc.dictionary(fc.constantFrom("a", "b", "__proto__", "constructor"), orNull(text))),
	},
	{ requiredKeys: [] },
);

test("applying a patch twice has the same effect as applying it once", () => {
	fc.assert(
		fc.property(patches, patches, (first, second) => {
			const between = companyRow(applyPatch(companyRow(), first));
			const once = applyPatch(between, second);
			expect(applyPatch(companyRow(once), second)).toEqual(once);
			expect(listChanged(once, applyPatch(companyRow(once), second))).toEqual([]);
		}),
	);
});

test("unnamed members stay, settings are complete, and the differences are listed", () => {
	fc.assert(
		fc.property(patches, patches, (first, second) => {
			const row = companyRow(applyPatch(companyRow(), first));
			const before = pickPatchable(row);
			const after = applyPatch(row, second);
			for (const name of Object.keys(before) as (keyof typeof before)[]) {
				if (!(name in second)) expect(after[name]).toEqual(before[name]);
			}
			expect(Object.keys(after.settings).sort()).toEqual(Object.keys(defaultSettings("sandbox")).sort());
			const listed = new Set(listChanged(before, after).map((path) => path.split(".")[0]));
			for (const name of Object.keys(before) as (keyof typeof before)[]) {
				expect(listed.has(name)).toBe(!Bun.deepEquals(before[name], after[name]));
			}
		}),
	);
});

test("warnings about the issuer are renewed, others stay", () => {
	const inactive = { code: "rnc-inactive", detail: "x" };
	const before = companyRow({ warnings: [inactive, { code: "address-missing", detail: "x" }] });
	expect(renewWarnings(before.warnings, before, { ...before, address: { street: "Calle 1" } })).toEqual([inactive]);
	const elsewhere = renewWarnings(before.warnings, before, {
		...before,
		address: { street: "x", provinceCode: "999999" },
	});
	expect(elsewhere.map(({ code }) => code)).toEqual(["rnc-inactive", "place-unknown"]);
});

test("a telephone number is kept in one form, however it is written", () => {
	for (const phone of [
		"809-555-0101",
		"(809) 555-0101",
		"809.555.0101",
		"8095550101",
		"+1 809 555-0101",
		"1-809-555-0101",
	]) {
		expect(checkSchema(members.phone, phone)).toEqual([]);
		expect(applyPatch(companyRow({}), { phone }).phone).toBe("809-555-0101");
	}
});

test("a container may carry the prefix that browsers put before a file", () => {
	const base64 = Buffer.from("container").toString("base64");
	for (const prefix of ["", "data:application/x-pkcs12;base64,", "data:;base64,"]) {
		expect(Buffer.from(readContainer(prefix + base64)).toString()).toBe("container");
	}
});
