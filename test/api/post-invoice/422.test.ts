/** Invoices that are well-formed and cannot be issued. */
import { beforeAll, describe, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const send = (over: Record<string, unknown>, headers: Record<string, string> = {}) =>
	postInvoice(service, tenant, buildInvoice(tenant, over), headers);
const totals = (subtotal: string, tax: string, grand_total: string) => ({ totals: { subtotal, tax, grand_total } });

describe("mathematical-discrepancy", () => {
	test("the sum of the lines, more than 0.01 away", async () => {
		for (const subtotal of ["4500.02", "4499.98", "4500.010001", "4499.989999"]) {
			const grand = (Number(subtotal) + 810).toFixed(6);
			const problem = await expectProblem(send(totals(subtotal, "810", grand)), 422, "mathematical-discrepancy", [
				"/totals/subtotal line-sum",
			]);
			expect(problem.errors?.[0]).toMatchObject({ expected: "4500.00", received: subtotal });
		}
	});

	test("subtotal and tax against the total, to the last digit", async () => {
		for (const grand of ["5310.01", "5309.99", "5310.000001", "0"]) {
			const problem = await expectProblem(send(totals("4500.00", "810.00", grand)), 422, "mathematical-discrepancy", [
				"/totals/grand_total total-sum",
			]);
			expect(problem.errors?.[0]).toMatchObject({ expected: "5310.00", received: grand });
		}
	});

	test("both at once", async () => {
		await expectProblem(send(totals("1.00", "1.00", "3.00")), 422, "mathematical-discrepancy", [
			"/totals/subtotal line-sum",
			"/totals/grand_total total-sum",
		]);
	});

	test("amounts of sixteen digits, which a float would round", async () => {
		const subtotal = "9999999999999999.00";
		const lines = [{ line_number: 1, description: "x", quantity: "1", unit_price: subtotal, subtotal }];
		await expectProblem(
			send({ lines, ...totals(subtotal, "0.00", "9999999999999998.99") }),
			422,
			"mathematical-discrepancy",
			["/totals/grand_total total-sum"],
		);
	});
});

describe("company-rnc-mismatch", () => {
	test("the RNC of another registered tenant: nothing is signed or stored", async () => {
		const other = await tenantB();
		const invoice = buildInvoice(tenant, { company: { rnc: other.rnc, name: other.name } });
		await expectProblem(postInvoice(service, tenant, invoice), 422, "company-rnc-mismatch", [
			"/company/rnc company-rnc-mismatch",
		]);
		const rows = await service.sql`select 1 from documents where encf = ${String(invoice.encf)}`;
		expect(rows).toHaveLength(0);
		const receptions = await (await fetch(`${service.simulatorUrl}/_simulator/receptions`)).text();
		expect(receptions).not.toContain(String(invoice.encf));
	});

	test("an unknown RNC", async () => {
		await expectProblem(send({ company: { rnc: "999999999", name: "X" } }), 422, "company-rnc-mismatch");
	});
});

describe("idempotency-key-reused", () => {
	test("another payload under a used key gets the first document's id", async () => {
		const key = crypto.randomUUID();
		const { docId } = (await (await send({}, { "idempotency-key": key })).json()) as { docId: string };
		const problem = await expectProblem(send({}, { "idempotency-key": key }), 422, "idempotency-key-reused");
		expect(problem.docId).toBe(docId);
		// Even a payload that would not be valid is first of all another one.
		await expectProblem(send({ lines: [] }, { "idempotency-key": key }), 422, "idempotency-key-reused");
	});
});

describe("client-request-id-conflict", () => {
	test("other content under a used id gets the document and the differences", async () => {
		const invoice = buildInvoice(tenant, { client_request_id: `crid-${crypto.randomUUID()}` });
		const first = (await (await postInvoice(service, tenant, invoice)).json()) as { docId: string; receivedAt: string };
		const changed = { ...invoice, ...totals("4500.00", "811.00", "5311.00") };
		const problem = await expectProblem(postInvoice(service, tenant, changed), 422, "client-request-id-conflict");
		expect(problem).toMatchObject({ docId: first.docId, firstSeenAt: first.receivedAt });
		expect([...(problem.differs as string[])].sort()).toEqual(["/totals/grand_total", "/totals/tax"]);
	});

	test("comes before the number's own collision", async () => {
		const invoice = buildInvoice(tenant, { client_request_id: `crid-${crypto.randomUUID()}` });
		expect((await postInvoice(service, tenant, invoice)).status).toBe(202);
		const changed = { ...invoice, notes: "other" };
		await expectProblem(postInvoice(service, tenant, changed), 422, "client-request-id-conflict");
	});
});

describe("encf-already-used", () => {
	test("a number is taken from its acceptance on, also when two ask at once", async () => {
		const one = buildInvoice(tenant);
		const other = buildInvoice(tenant, { encf: one.encf, notes: "another document" });
		const answers = await Promise.all([postInvoice(service, tenant, one), postInvoice(service, tenant, other)]);
		expect(answers.map((answer) => answer.status).sort()).toEqual([202, 422]);
		const [won, lost] = answers[0].status === 202 ? answers : [answers[1], answers[0]];
		const { docId } = (await won.json()) as { docId: string };
		const problem = await expectProblem(lost, 422, "encf-already-used", ["/encf encf-already-used"]);
		expect(problem.docId).toBe(docId);
	});

	test("a rejection keeps the number only if it was consumed", async () => {
		for (const [rnc, status] of [
			["000000002", 422],
			["000000007", 202],
		] as const) {
			const invoice = buildInvoice(tenant, { customer: { rnc, name: "RECHAZADO" } });
			const { docId } = (await (await postInvoice(service, tenant, invoice)).json()) as { docId: string };
			expect(await untilDecided(service, tenant, docId)).toMatchObject({
				status: "rejected",
				reissue: { allowed: true, encf: status === 202 ? "same" : "new" },
			});
			const again = buildInvoice(tenant, { encf: invoice.encf });
			expect((await postInvoice(service, tenant, again)).status).toBe(status);
		}
	});

	test("another tenant has numbers of its own", async () => {
		const other = await tenantB();
		const invoice = buildInvoice(tenant);
		expect((await postInvoice(service, tenant, invoice)).status).toBe(202);
		const theirs = await postInvoice(service, other, buildInvoice(other, { encf: invoice.encf }));
		expect(theirs.status).toBe(202);
	});
});

describe("tenant-config-missing", () => {
	test("a company whose certificate is gone or has expired, and one that is suspended", async () => {
		const company = await createTenant(service);
		const { sql } = service;
		const refused = async (missing: string[]) => {
			const answer = postInvoice(service, company, buildInvoice(company));
			const problem = await expectProblem(answer, 422, "tenant-config-missing");
			expect(problem).toMatchObject({ missing, fix: `/v1/company/${company.tenantId}` });
		};
		const { tenantId } = company;
		await sql`update signing_certificates set not_after = now() - interval '1 second' where tenant_id = ${tenantId}`;
		await refused(["certificate"]);
		await sql`update companies set status = 'suspended' where tenant_id = ${tenantId}`;
		await refused(["certificate", "active"]);
		await sql`update signing_certificates set not_after = now() + interval '1 year' where tenant_id = ${tenantId}`;
		await sql`update signing_certificates set not_before = now() + interval '1 hour' where tenant_id = ${tenantId}`;
		await sql`update companies set status = 'active' where tenant_id = ${tenantId}`;
		await refused(["certificate"]);
	});
});

describe("authority-rejected", () => {
	test("comes to a caller who waits; the document is kept", async () => {
		const customer = { rnc: "000000002", name: "RECHAZADO" };
		const answer = await send({ customer }, { prefer: "wait=10" });
		const problem = await expectProblem(answer, 422, "authority-rejected");
		expect(problem).toMatchObject({
			detail: "[1920] El campo MontoGravadoTotal del área Totales de la sección Encabezado no es válido.",
			authorityCode: "1920",
			authority: { code: "1920", messages: [{ code: "1920" }], sequenceConsumed: true },
			reissue: { allowed: true, encf: "new" },
		});
		const status = await get(service, `/v1/invoices/${problem.docId}/status`, tenant.headers);
		expect(await status.json()).toMatchObject({ status: "rejected", trackId: problem.trackId });
	});
});
