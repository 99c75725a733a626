/** Bodies that are no batch, and batches that are too long for their plan. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Plan } from "../../../src/platform/operation";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { batchInvoice, fates, postBatch, readBatch } from "../support/batches";
import { expectProblem } from "../support/problem";
import { freeTenant, tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

test.each<[string, string[]]>([
	["{}", ["/invoices required"]],
	["[]", [" wrong-type"]],
	['{"invoices":{}}', ["/invoices wrong-type"]],
	['{"invoices":null}', ["/invoices wrong-type"]],
	['{"invoices":[]}', ["/invoices too-few"]],
	['{"invoices":[],"atomic":true}', ["/atomic unknown-field"]],
])("%s", async (body, faults) => {
	await expectProblem(postBatch(service, tenant, body), 400, "validation-error", faults);
});

test("no JSON at all", async () => {
	for (const body of ["", "{", '{"invoices":[}', '{"invoices":[1],"invoices":[2]}'])
		await expectProblem(postBatch(service, tenant, body), 400, "malformed-json");
});

test("a rehearsal, which a batch has none of, issues nothing", async () => {
	const invoice = batchInvoice(tenant);
	const batch = { invoices: [invoice] };
	const answer = post(service, "/v1/invoices:batch?dry_run=true", tenant.headers, batch);
	await expectProblem(answer, 400, "validation-error", ["#/query/dry_run unknown-parameter"]);
	const asked = await post(service, "/v1/invoices:status", tenant.headers, { encfs: [String(invoice.encf)] });
	expect(await asked.json()).toMatchObject({ results: [{ outcome: "not_found" }] });
});

test("no lines", async () => {
	for (const lines of [[], ["", " ", "\r"]])
		await expectProblem(postBatch(service, tenant, lines), 400, "validation-error", ["/invoices too-few"]);
});

test("a key that is none", async () => {
	const answer = postBatch(service, tenant, { invoices: [batchInvoice(tenant)] }, { "idempotency-key": "x" });
	await expectProblem(answer, 400, "validation-error", ["#/headers/idempotency-key invalid-format"]);
});

describe("a plan", () => {
	const limits: [Plan, number][] = [
		["demo", 10],
		["free", 50],
		["starter", 200],
		["business", 500],
		["enterprise", 500],
		["unlimited", 500],
	];
	test.each(limits)("%s takes at most %i at once, in either form", async (plan, maximum) => {
		const own = plan === "free" ? await freeTenant() : await createTenant(service, { plan });
		for (const body of [{ invoices: Array(maximum + 1).fill(0) }, Array(maximum + 1).fill("0")]) {
			const problem = await expectProblem(postBatch(service, own, body), 400, "validation-error", [
				"/invoices too-many",
			]);
			expect(problem.errors).toMatchObject([{ maximum }]);
		}
		const full = await readBatch(postBatch(service, own, { invoices: Array(maximum).fill(0) }));
		expect(fates(full)).toEqual(Array(maximum).fill("validation-error"));
	});
});
