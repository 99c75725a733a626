import { expect, test } from "bun:test";
import { explainLegacy } from "../../../../src/invoicing/invoices/check/legacy";
import { msg } from "../../../../src/platform/problem";

const unknown = (pointer: string) => ({ pointer, code: "unknown-field", detail: msg`The member is not known here.` });

test("a member of the older form is reported with the name to use", () => {
	expect(explainLegacy(unknown("/ecfType"))).toEqual({
		pointer: "/ecfType",
		code: "legacy-field",
		detail: msg`The member belongs to an older form. Use ${"/type"}.`,
		use: "/type",
	});
	expect(explainLegacy(unknown("/lines/12/unitPrice"))).toMatchObject({
		code: "legacy-field",
		use: "/lines/12/unit_price",
	});
	expect(explainLegacy(unknown("/tenantId"))).toMatchObject({ code: "not-accepted" });
});

test("other members stay unknown, including inherited names", () => {
	for (const pointer of [
		...["/colour", "/constructor", "/__proto__", "/toString", "/lines/0/constructor", "/lines/0/__proto__"],
		...["/lines/0/ecfType", "/qty", "/company/ecfType", "/customer/tenantId", "/lines/x/qty", ""],
	]) {
		expect([pointer, explainLegacy(unknown(pointer))]).toEqual([pointer, unknown(pointer)]);
	}
});

test("faults of other rules are left as they are", () => {
	const fault = { pointer: "/ecfType", code: "required", detail: msg`The member is required.` };
	expect(explainLegacy(fault)).toBe(fault);
});
