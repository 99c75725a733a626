/** The document declares the headers that callers act on, at the answers that have them. */
import { beforeAll, expect, test } from "bun:test";
import { createOpenApi, type OpenApiDocument } from "../../../src/api/openapi";
import {
	buildInvoice,
	createTenant,
	get,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { until } from "../../support/until";
import { answersOf } from "../support/answers-of";
import { BASE_URL, declaredOperations } from "../support/declared-operations";
import { receivedBy } from "../support/received";
import { stallSet } from "../support/test-sets";

const ACTED_ON = [
	...["location", "etag", "retry-after", "idempotency-replayed", "preference-applied"],
	...["content-disposition", "content-range", "accept-ranges", "content-language", "www-authenticate"],
];

let document: OpenApiDocument;
let service: TestService;
let tenant: Tenant;
/** An accepted document. */
let docId: string;
beforeAll(async () => {
	document = await createOpenApi(declaredOperations(), { baseUrl: BASE_URL });
	service = await sharedService();
	tenant = await createTenant(service);
	const answer = await postInvoice(service, tenant, buildInvoice(tenant));
	({ docId } = (await answer.json()) as { docId: string });
	await untilDecided(service, tenant, docId);
}, 120_000);

/** Headers of an answer that its operation does not declare. */
function unsent(operationId: string, answer: Response): string[] {
	const operation = Object.values(document.paths)
		.flatMap((methods) => Object.values(methods))
		.find((one) => one.operationId === operationId);
	const found = Object.keys(answersOf(document, operation)[answer.status]?.headers ?? {}).map((name) =>
		name.toLowerCase(),
	);
	return ACTED_ON.filter((name) => answer.headers.has(name) && !found.includes(name));
}

const key = () => ({ "idempotency-key": crypto.randomUUID() });

test.each<[string, string, Record<string, unknown>]>([
	["createApiKey", "/v1/api-keys", { label: "declared", scopes: ["registry:read"] }],
	["createWebhook", "/v1/webhooks", { url: "https://erp.example.com/declared", events: ["invoice.*"] }],
	["createArchiveExport", "/v1/archive/exports", { from: "2026-11-01", to: "2026-11-02", format: "zip" }],
	["voidNumbers", "/v1/sequences/void", { type: "31", from: "E310000000901", to: "E310000000902", reason: "declared" }],
])("%s declares the headers of its first answer and of a replay", async (operationId, path, body) => {
	const headers = { ...tenant.headers, ...key() };
	const answers = [await post(service, path, headers, body), await post(service, path, headers, body)];
	expect(answers.map(({ status }) => [201, 202, 200].includes(status))).toEqual([true, true]);
	expect(answers[1]?.headers.get("idempotency-replayed")).toBe("true");
	expect(answers.map((answer) => unsent(operationId, answer))).toEqual([[], []]);
});

test("a company's registration declares its location and version", async () => {
	const apiKey = await service.createKey();
	const headers = { "x-api-key": apiKey, ...key() };
	const register = () => post(service, "/v1/company", headers, { rnc: "990000011" });
	const answers = [await register(), await register()];
	expect(answers.map(({ status }) => status)).toEqual([201, 200]);
	expect(answers.map((answer) => unsent("createCompany", answer))).toEqual([[], []]);
});

test("an invoice declares its wait, its verdict and the location of a replay", async () => {
	const headers = { ...tenant.headers, ...key(), prefer: "wait=10" };
	const invoice = buildInvoice(tenant);
	const answers = [
		await post(service, "/v1/invoices", headers, invoice),
		await post(service, "/v1/invoices", headers, invoice),
	];
	expect(answers.map(({ status }) => status)).toEqual([202, 200]);
	expect(answers.map((answer) => unsent("postInvoice", answer))).toEqual([[], []]);
	const members = Object.keys(document.components.schemas.Acknowledgement?.properties ?? {});
	const found = (await answers[0]?.json()) as Record<string, unknown>;
	expect(found).toMatchObject({ status: "accepted", authority: expect.anything() });
	expect(members).toEqual(expect.arrayContaining(Object.keys(found)));
});

test("an invoice that is rejected during the wait declares the wait", async () => {
	const headers = { ...tenant.headers, ...key(), prefer: "wait=10", "x-sandbox-scenario": "reject" };
	const answer = await post(service, "/v1/invoices", headers, buildInvoice(tenant));
	expect([answer.status, answer.headers.get("preference-applied")]).toEqual([422, "wait=10"]);
	expect(unsent("postInvoice", answer)).toEqual([]);
});

test("every 304 declares its ETag", async () => {
	for (const [operationId, path] of [
		["getInvoiceXml", `/v1/invoices/${docId}/xml`],
		["getInvoicePdf", `/v1/invoices/${docId}/pdf`],
		["getReportTotals", "/v1/reports/totals"],
		["getAuthorityStatus", "/v1/authority/status"],
		["listAuthorityCodes", "/v1/authority/codes"],
		["getStatusPage", "/status"],
	] as const) {
		const ask = async () => {
			const whole = await get(service, path, tenant.headers);
			const etag = whole.headers.get("etag") ?? "";
			return { whole, known: await get(service, path, { ...tenant.headers, "if-none-match": etag }) };
		};
		let { whole, known } = await ask();
		// Some of them change while they are asked for: a sign of life of the authority, a document that is decided.
		await until(async () => {
			if (known.status !== 304) ({ whole, known } = await ask());
			return known.status === 304;
		});
		expect([operationId, whole.status, known.status]).toEqual([operationId, 200, 304]);
		expect([operationId, unsent(operationId, whole), unsent(operationId, known)]).toEqual([operationId, [], []]);
	}
});

test("a signed approval declares its file name and 304", async () => {
	const { record } = await receivedBy(tenant);
	const path = `/v1/received-documents/${record.id}/approval`;
	const decided = await post(service, path, { ...tenant.headers, ...key() }, { decision: "approved" });
	const { approvalId } = (await decided.json()) as { approvalId: string };
	const read = (condition = "") =>
		get(service, `/v1/approvals/${approvalId}/xml`, { ...tenant.headers, "if-none-match": condition });
	const early: Response[] = [];
	await until(async () => {
		const answer = await read();
		if (answer.status === 404) early.push(answer);
		return answer.status === 200;
	});
	const whole = await read();
	const known = await read(whole.headers.get("etag") ?? "");
	expect([decided.status, whole.status, known.status]).toEqual([202, 200, 304]);
	expect(unsent("decideApproval", decided)).toEqual([]);
	expect([...early, whole, known].flatMap((answer) => unsent("getApprovalXml", answer))).toEqual([]);
	expect(Object.keys(answersOf(document, document.paths["/v1/approvals/{id}/xml"]?.get)[404]?.headers ?? {})).toContain(
		"Retry-After",
	);
	const operation = document.paths["/v1/approvals/{id}/xml"]?.get;
	expect(Object.keys(operation?.responses ?? {})).toContain("304");
	expect(operation?.parameters?.map(({ name }) => name)).toContain("If-None-Match");
});

test("a running test set declares Retry-After, also with 304", async () => {
	const { _links } = await stallSet(tenant, "submitting");
	const whole = await get(service, _links.self, tenant.headers);
	const known = await get(service, _links.self, {
		...tenant.headers,
		"if-none-match": whole.headers.get("etag") ?? "",
	});
	expect([whole, known].map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([
		[200, "5"],
		[304, "5"],
	]);
	expect([whole, known].flatMap((answer) => unsent("getCheckSetTests", answer))).toEqual([]);
});

test("the proof of a document that is not archived yet declares Retry-After", async () => {
	const held = { ...tenant.headers, ...key(), "x-sandbox-scenario": "silent" };
	const answer = await post(service, "/v1/invoices", held, buildInvoice(tenant));
	const { docId: waiting } = (await answer.json()) as { docId: string };
	for (const [operationId, part] of [
		["getInvoiceProof", "proof"],
		["getInvoiceEvidence", "evidence"],
	] as const) {
		const early = await get(service, `/v1/invoices/${waiting}/${part}`, tenant.headers);
		expect([operationId, early.status, early.headers.get("retry-after")]).toEqual([operationId, 404, "30"]);
		expect([operationId, unsent(operationId, early)]).toEqual([operationId, []]);
	}
});

test("CSV files declare their names, and retries their locations", async () => {
	const csv = await get(service, "/v1/reports/totals?format=csv", tenant.headers);
	const table = await get(service, "/v1/reports/documents.csv", tenant.headers);
	const again = await post(service, `/v1/invoices/${docId}/retry`, tenant.headers, "");
	expect([csv.status, table.status, again.status]).toEqual([200, 200, 200]);
	expect(unsent("getReportTotals", csv)).toEqual([]);
	expect(unsent("getReportDocuments", table)).toEqual([]);
	expect(unsent("retryInvoice", again)).toEqual([]);
});

test("an operation with a path parameter declares 404 for undecodable paths", async () => {
	const number = await fetch(`${service.url}/v1/purchase-orders/%FF`, {
		method: "PUT",
		headers: { ...tenant.headers, "content-type": "application/json" },
		body: "{}",
	});
	const code = await get(service, "/v1/authority/codes/%FF");
	expect([number.status, code.status]).toEqual([404, 404]);
	expect(Object.keys(document.paths["/v1/purchase-orders/{number}"]?.put?.responses ?? {})).toContain("404");
	expect(Object.keys(document.paths["/v1/authority/codes/{code}"]?.get?.responses ?? {})).toContain("404");
});
