/** What the answer to a note says of the document that it modifies. */
import { beforeAll, describe, expect, test } from "bun:test";
import { buildInvoice, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { strictTenant, tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

type Over = Record<string, unknown>;
type Warning = { readonly code: string; readonly authorityCode?: string; readonly detailEs?: string };

const DAY = "2026-01-05";

async function issue(over: Over): Promise<{ encf: string; warnings: Warning[] }> {
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, over));
	const text = await answer.text();
	expect({ status: answer.status, text }).toEqual({ status: 202, text });
	return JSON.parse(text);
}

/** A credit note of the whole of a document of its own, issued just before, unless changed. */
async function issueNote(over: Over = {}, reference: Over = {}): Promise<string[]> {
	const { encf } = await issue({ issue_date: DAY });
	const { warnings } = await issue({
		type: "34",
		reference: { encf, issue_date: DAY, code: 1, ...reference },
		...over,
	});
	return warnings.map(({ code, authorityCode }) => `${code} ${authorityCode ?? ""}`.trim());
}

describe("a note on a document that was issued here", () => {
	test("that fits it gives no warning", async () => {
		expect(await issueNote()).toEqual([]);
	});

	test("with another date is warned of in the authority's own number", async () => {
		expect(await issueNote({}, { issue_date: "2026-01-04" })).toEqual(["reference-date 634"]);
	});

	test("for another buyer is warned of", async () => {
		const customer = { rnc: "990000007", name: "OTRO SRL" };
		expect(await issueNote({ customer })).toEqual(["reference-buyer 615"]);
	});

	test("after which nothing is left is warned of, but not when it is sent once more", async () => {
		const { encf } = await issue({ issue_date: DAY });
		const reference = { encf, issue_date: DAY, code: 3 };
		const first = buildInvoice(tenant, { type: "34", reference, client_request_id: `note-${encf}` });
		expect((await (await postInvoice(service, tenant, first)).json()) as object).toMatchObject({ warnings: [] });
		const again = await postInvoice(service, tenant, first);
		expect(again.status).toBe(200);
		expect((await again.json()) as object).toMatchObject({ warnings: [] });

		const { warnings } = await issue({ type: "34", reference });
		expect(warnings).toMatchObject([{ code: "reference-balance", authorityCode: "615", verdict: "rejected" }]);
		expect(warnings[0]?.detailEs).toContain("0.00");
	});

	test("of another taxpayer is not compared with one of the same number here", async () => {
		expect(await issueNote({}, { issue_date: "2026-01-04", customer_rnc: "990000009" })).toEqual([]);
	});

	test("is compared with it even if the original's issuer is named wrongly", async () => {
		const other = { issue_date: "2026-01-04" };
		for (const customer_rnc of ["131880681", tenant.rnc]) {
			expect(await issueNote({}, { ...other, customer_rnc })).toEqual(["not-in-format", "reference-date 634"]);
		}
	});
});

test("a rule of the authority is a warning, or a violation in strict mode", async () => {
	const over = { type: "33", reference: { encf: "E319999999977", issue_date: DAY, code: 4 } };
	expect((await issue(over)).warnings).toMatchObject([
		{ code: "reference-replaces-electronic", authorityCode: "613", verdict: "rejected" },
	]);
	const strict = await strictTenant();
	const problem = await expectProblem(
		postInvoice(service, strict, buildInvoice(strict, over)),
		400,
		"validation-error",
		["/reference/code reference-replaces-electronic"],
	);
	expect(problem.errors).toMatchObject([
		{ authorityCode: "613", detailEs: "Los comprobantes electrónicos no pueden reemplazarse entre sí." },
	]);
});
