/** A request with two violations gets the earlier one: one test for each adjacent pair, in the promised order. */
import { beforeAll, expect, test } from "bun:test";
import type { ProblemSlug } from "../../../src/platform/problem";
import { buildInvoice, createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
/** May read and not issue. */
let reader: Tenant;
/** Has no valid certificate any more. */
let bare: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
	reader = await createTenant(service, { scopes: ["company:write", "invoices:read"] });
	bare = await createTenant(service);
	await service.sql`update signing_certificates set not_after = now() where tenant_id = ${bare.tenantId}`;
});

const OVERSIZE = " ".repeat(2 * 1024 * 1024 + 1);
const JSON_TYPE = { "content-type": "application/json" };
const freshKey = () => ({ "idempotency-key": crypto.randomUUID() });
const badMaths = { totals: { subtotal: "4500.00", tax: "810.00", grand_total: "1.00" } };
const foreignRnc = { company: { rnc: "999999999", name: "X" } };

const send = (headers: Record<string, string>, body: string) =>
	fetch(`${service.url}/v1/invoices`, { method: "POST", headers, body });
const expectFirst = (answer: Promise<Response>, status: number, slug: ProblemSlug) =>
	expectProblem(answer, status, slug);
const text = (over: Record<string, unknown> = {}, who = tenant) => JSON.stringify(buildInvoice(who, over));

test("credentials before scope", () =>
	expectFirst(send({ authorization: reader.headers.authorization ?? "" }, "{}"), 401, "unauthorised"));

test("scope before what can be accepted", () =>
	expectFirst(send({ ...reader.headers, accept: "image/png" }, "{}"), 403, "insufficient-scope"));

test("scope before size", () =>
	expectFirst(send({ ...reader.headers, ...JSON_TYPE }, OVERSIZE), 403, "insufficient-scope"));

test("a body that is read in no form before the form of the key", () =>
	expectFirst(
		send({ ...tenant.headers, "content-type": "text/plain", "idempotency-key": "x" }, "x"),
		415,
		"unsupported-media-type",
	));

test("size before the form of the key", () =>
	expectFirst(send({ ...tenant.headers, ...JSON_TYPE, "idempotency-key": "x" }, OVERSIZE), 413, "payload-too-large"));

test("size before the media type", () =>
	expectFirst(send({ ...tenant.headers, "content-type": "text/plain" }, OVERSIZE), 413, "payload-too-large"));

test("the form of the key before the body's form", () =>
	expectFirst(send({ ...tenant.headers, ...JSON_TYPE, "idempotency-key": "x" }, "{"), 400, "validation-error"));

test("a replay before everything that is in the body", async () => {
	const key = freshKey();
	const body = text();
	expect((await send({ ...tenant.headers, ...JSON_TYPE, ...key }, body)).status).toBe(202);
	// The same bytes are answered although the number is taken by now.
	expect((await send({ ...tenant.headers, ...JSON_TYPE, ...key }, body)).status).toBe(200);
});

test("a key that is used differently before the type", async () => {
	const key = freshKey();
	expect((await send({ ...tenant.headers, ...JSON_TYPE, ...key }, text())).status).toBe(202);
	const answer = send({ ...tenant.headers, ...JSON_TYPE, ...key }, text({ type: "45" }));
	await expectFirst(answer, 422, "idempotency-key-reused");
});

test("malformed JSON before the type that it seems to say", () =>
	expectFirst(send({ ...tenant.headers, ...JSON_TYPE, ...freshKey() }, '{"type":"45",}'), 400, "malformed-json"));

test("the type before the members", () =>
	expectFirst(
		send({ ...tenant.headers, ...JSON_TYPE, ...freshKey() }, '{"type":"45","surprise":1}'),
		400,
		"unsupported-ecf-type",
	));

test("the members before the arithmetic", () =>
	expectFirst(
		send({ ...tenant.headers, ...JSON_TYPE, ...freshKey() }, text({ ...badMaths, surprise: 1 })),
		400,
		"validation-error",
	));

test("the arithmetic before the tenant's configuration", () =>
	expectFirst(
		send({ ...bare.headers, ...JSON_TYPE, ...freshKey() }, text(badMaths, bare)),
		422,
		"mathematical-discrepancy",
	));

test("the tenant's configuration before whose RNC it is", () =>
	expectFirst(
		send({ ...bare.headers, ...JSON_TYPE, ...freshKey() }, text(foreignRnc, bare)),
		422,
		"tenant-config-missing",
	));

test("whose RNC it is before collisions", async () => {
	const invoice = buildInvoice(tenant, { client_request_id: `crid-${crypto.randomUUID()}` });
	const headers = { ...tenant.headers, ...JSON_TYPE };
	expect((await send({ ...headers, ...freshKey() }, JSON.stringify(invoice))).status).toBe(202);
	const foreign = JSON.stringify({ ...invoice, ...foreignRnc });
	await expectFirst(send({ ...headers, ...freshKey() }, foreign), 422, "company-rnc-mismatch");
});

test("the client's own id before the number", async () => {
	const invoice = buildInvoice(tenant, { client_request_id: `crid-${crypto.randomUUID()}` });
	const headers = { ...tenant.headers, ...JSON_TYPE };
	expect((await send({ ...headers, ...freshKey() }, JSON.stringify(invoice))).status).toBe(202);
	const changed = JSON.stringify({ ...invoice, notes: "other" });
	await expectFirst(send({ ...headers, ...freshKey() }, changed), 422, "client-request-id-conflict");
});
