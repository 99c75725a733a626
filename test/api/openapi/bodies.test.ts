/** Whether a body that is made as the document says is taken, in each media type that the document offers. */
import { beforeAll, expect, test } from "bun:test";
import { createOpenApi, type OpenApiDocument } from "../../../src/api/openapi";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { BASE_URL, declaredOperations } from "../support/declared-operations";

let document: OpenApiDocument;
let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	document = await createOpenApi(declaredOperations(), { baseUrl: BASE_URL });
	service = await sharedService();
	tenant = await createTenant(service);
}, 120_000);

const bodyOf = (path: string, mediaType: string) => document.paths[path]?.post?.requestBody?.content[mediaType];

test("a batch in lines is declared as text with a valid example", async () => {
	const { schema, example } = bodyOf("/v1/invoices:batch", "application/x-ndjson") ?? {};
	expect(schema).toEqual({ type: "string" });
	const answer = await fetch(`${service.url}/v1/invoices:batch`, {
		method: "POST",
		headers: { ...tenant.headers, "content-type": "application/x-ndjson" },
		body: String(example),
	});
	const { results } = (await answer.json()) as { results: { status: number; problem?: { type: string } }[] };
	// The example's company is not the caller's, which is judged after the form.
	expect(results.map(({ status, problem }) => `${status} ${problem?.type}`)).toEqual([
		`422 ${service.url}/errors/company-rnc-mismatch`,
	]);
});

test("a mail server's report is declared as text", () => {
	const { schema, example } = bodyOf("/v1/mail/bounces", "message/rfc822") ?? {};
	expect(schema).toEqual({ type: "string" });
	expect(String(example)).toContain("Content-Type: message/delivery-status");
});

test("a certificate's form is declared with its members", () => {
	const { content } = document.paths["/v1/company/{id}/certificate"]?.put?.requestBody ?? {};
	expect(content?.["multipart/form-data"]?.schema).toMatchObject({
		required: ["password"],
		properties: { file: { type: "string", format: "binary" }, pkcs12: { type: "string" } },
	});
	expect(content?.["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/PutCertificateRequest" });
});

test("JSON bodies are limited to 256 KiB, except those of some operations", () => {
	const others = declaredOperations().flatMap(({ id, body }) =>
		body?.mediaTypes.some((type) => type.endsWith("json")) && body.limitBytes !== 262_144
			? [[id, body.limitBytes]]
			: [],
	);
	const MIB = 1024 * 1024;
	expect(Object.fromEntries(others)).toEqual({
		...{ postInvoice: 2 * MIB, batchInvoices: 16 * MIB, convertLegacyInvoice: 2 * MIB },
		...{ addWatchlistDocuments: 2 * MIB, removeWatchlistDocuments: 2 * MIB, putWatchlistDocuments: 8 * MIB },
		...{ createCompany: MIB, patchCompany: MIB, postMcp: MIB, postToken: 8_192, postRevoke: 8_192 },
	});
});
