/** `X-Sandbox-Scenario`: what a caller of a sandbox wants to happen, and what becomes of the document. */
import { beforeAll, describe, expect, test } from "bun:test";
import { readPapers } from "../../support/documents";
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { batchInvoice, postBatch, readBatch } from "../support/batches";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const asking = (scenario: unknown) => ({
	"x-sandbox-scenario": typeof scenario === "string" ? scenario : JSON.stringify(scenario),
});
const consumer = () => ({
	type: "32",
	customer: { name: "CLIENTE" },
});

async function fateOf(scenario: unknown, over: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, over), asking(scenario));
	expect(answer.status).toBe(202);
	const { docId } = (await answer.json()) as { docId: string };
	return untilDecided(service, tenant, docId);
}

describe.each([
	["as a document", {}],
	["as a summary", consumer()],
])("sent %s, the scenario", (_, over) => {
	test("reject is a rejection with 1920 unless another code is named", async () => {
		expect(await fateOf("reject", over)).toMatchObject({ status: "rejected", authority: { code: "1920" } });
		const named = { scenario: "reject", code: "176", after: "10ms" };
		expect(await fateOf(named, over)).toMatchObject({ status: "rejected", authority: { code: "176" } });
	});

	test("conditional is an acceptance with a warning of the authority", async () => {
		const fate = await fateOf("conditional", over);
		expect(fate).toMatchObject({
			status: "accepted",
			authority: { warnings: [{ code: "type" in over ? "3205" : "1385" }] },
		});
	});

	test("accept is an acceptance, whatever the buyer's number asks for", async () => {
		const customer = { rnc: "000000002", name: "CLIENTE" };
		expect(await fateOf("accept", { ...over, customer })).toMatchObject({ status: "accepted" });
	});

	test("lost-answer is found by asking, and accepted", async () => {
		expect(await fateOf("lost-answer", over)).toMatchObject({ status: "accepted" });
	});

	test("fail is a failure on our side", async () => {
		expect(await fateOf("fail", over)).toMatchObject({ status: "failed" });
	});

	test("release gives the number back", async () => {
		const invoice = buildInvoice(tenant, over);
		const { docId } = (await (await postInvoice(service, tenant, invoice, asking("release"))).json()) as {
			docId: string;
		};
		expect(await untilDecided(service, tenant, docId)).toMatchObject({ status: "rejected" });
		expect((await postInvoice(service, tenant, invoice)).status).toBe(202);
	});
});

test("the scenario is not part of the request: a replay without it is the same", async () => {
	const invoice = buildInvoice(tenant);
	const key = { "idempotency-key": crypto.randomUUID() };
	const first = await (await postInvoice(service, tenant, invoice, { ...key, ...asking("reject") })).text();
	const repeat = await postInvoice(service, tenant, invoice, key);
	expect([repeat.status, await repeat.text()]).toEqual([200, first]);
	const { docId } = JSON.parse(first) as { docId: string };
	expect(await untilDecided(service, tenant, docId)).toMatchObject({ status: "rejected" });
	expect((await readPapers(service.sql, [docId])).get(docId)?.ecf).not.toContain("reject");
});

test("a batch's scenario is that of each of its invoices", async () => {
	const invoices = [batchInvoice(tenant), batchInvoice(tenant)];
	const { results } = await readBatch(await postBatch(service, tenant, { invoices }, asking("reject")));
	for (const { docId } of results) {
		expect(await untilDecided(service, tenant, String(docId))).toMatchObject({ status: "rejected" });
	}
});

describe("the header is refused, and nothing stored,", () => {
	const pointer = "#/headers/x-sandbox-scenario";

	test.each([
		"",
		"explode",
		"{",
		'{"scenario":"reject","code":"x"}',
		'{"scenario":"reject","when":"2s"}',
		'{"scenario":"silent","after":"11m"}',
		'{"scenario":"silent","after":"601s"}',
		'{"scenario":"fail","code":"614"}',
	])("as %j", async (header) => {
		const answer = await postInvoice(service, tenant, buildInvoice(tenant), { "x-sandbox-scenario": header });
		await expectProblem(answer, 400, "validation-error", [`${pointer} invalid-format`]);
	});

	test("in a dry run, which sends nothing", async () => {
		const answer = await fetch(`${service.url}/v1/invoices?dry_run=true`, {
			method: "POST",
			headers: { "content-type": "application/json", ...tenant.headers, ...asking("reject") },
			body: JSON.stringify(buildInvoice(tenant)),
		});
		await expectProblem(answer, 400, "validation-error", [`${pointer} no-effect`]);
	});
});
