/** What cannot be converted without a guess. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const convert = (over: Record<string, unknown>) =>
	post(service, "/v1/tools/convert-legacy", tenant.headers, {
		...{ ecfType: "31", encf: "E310000000001", buyer: { rnc: "131880681", name: "CLIENTE SRL" } },
		lines: [{ description: "Cemento", qty: 1, unitPrice: 1, taxRate: 18 }],
		...{ subtotal: 1, tax: 0.18, grandTotal: 1.18 },
		...over,
	});
const line = (over: Record<string, unknown>) => ({ lines: [{ description: "C", qty: 1, unitPrice: 1, ...over }] });

test.each<[string, Record<string, unknown>, string]>([
	["a number that JSON cannot hold exactly", { subtotal: 9007199254740.992 }, "/subtotal decimal-inexact"],
	["a number in exponents", { tax: 1e-7 }, "/tax decimal-form"],
	["a negative amount", line({ qty: -1 }), "/lines/0/qty decimal-form"],
	["a rate as a fraction", line({ taxRate: 0.18 }), "/lines/0/taxRate not-in-list"],
	["a line beyond the decimals", line({ qty: "9999999999999999", unitPrice: "10" }), "/lines/0 decimal-form"],
	["a number of no form that one can have", { encf: "hello world" }, "/encf encf-form"],
	["an amount that is none", { grandTotal: null }, "/grandTotal wrong-type"],
	["a day with a time", { issueDate: "2026-11-20T14:00:00Z" }, "/issueDate invalid-date"],
	["a canonical member", { totals: {} }, "/totals unknown-field"],
])("%s is refused with its place in the older body", async (_, over, fault) => {
	const { errors = [] } = await expectProblem(convert(over), 400, "validation-error");
	expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([fault]);
});

test("a type outside the catalogue is reported", async () => {
	await expectProblem(convert({ ecfType: "45" }), 400, "unsupported-ecf-type");
	await expectProblem(convert({ ecfType: 45 }), 400, "unsupported-ecf-type");
});
