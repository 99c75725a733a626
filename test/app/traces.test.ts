/** Spans of a whole service, as a collector of OpenTelemetry gets them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	get,
	openServiceIn,
	postInvoice,
	type Tenant,
	untilDecided,
} from "../support/service";
import { startCollector } from "../support/trace-collector";
import { until } from "../support/until";

const collector = startCollector();
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };

let service: Awaited<ReturnType<typeof openServiceIn>>;
let tenant: Tenant;
let docId: string;
let problem: Record<string, unknown>;
let lookUp: Response;

beforeAll(async () => {
	service = await openServiceIn("sandbox", { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
	tenant = await createTenant(service, { webhook: true });
	({ docId } = (await (await postInvoice(service, tenant, buildInvoice(tenant), PARENT)).json()) as { docId: string });
	await untilDecided(service, tenant, docId);
	await until(() => service.receiver.received.some(({ body }) => body.includes(docId)));
	problem = (await (await get(service, "/v1/nowhere", PARENT)).json()) as Record<string, unknown>;
	lookUp = await get(service, "/v1/authority/document/131880681", { ...PARENT, "x-api-key": tenant.apiKey });
	await service.stop();
});
afterAll(() => collector.stop());

const traceOfDocument = () => docId.replaceAll("-", "");

test("the span of a request continues the caller's trace", () => {
	const [request] = collector.named("postInvoice");
	expect(request).toMatchObject({ traceId: TRACE_ID, parentSpanId: "00f067aa0ba902b7", kind: 2 });
	expect(request?.attributes).toMatchObject({
		"http.response.status_code": 202,
		"sello.tenant_id": tenant.tenantId,
	});
});

test("signing and statements are spans below the request", () => {
	const [request] = collector.named("postInvoice");
	const below = collector.spans().filter((one) => one.parentSpanId === request?.spanId);
	expect(below.map((one) => one.name)).toContain("sign-invoice");
	expect(below.find((one) => one.name === "statement")?.attributes["db.query.text"]).toBeString();
});

test("a document's own trace has its id, and its request links to it", () => {
	const names = collector.spans().flatMap((one) => (one.traceId === traceOfDocument() ? [one.name] : []));
	expect(names).toContain("invoice.submit");
	expect(names).toContain("authority POST");
	expect(names).toContain("webhook.post");
	expect(collector.named("postInvoice")[0]?.linkedTraces).toEqual([traceOfDocument()]);
});

test("a webhook carries the trace of its document", () => {
	const got = service.receiver.received.find(({ body }) => body.includes(docId));
	const [version, traceId, spanId, flags] = got?.headers.traceparent?.split("-") ?? [];
	expect([version, traceId, flags]).toEqual(["00", traceOfDocument(), "01"]);
	expect(collector.named("webhook.post").map((one) => one.spanId)).toContain(String(spanId));
});

test("a problem document names the trace of its request", () => {
	expect(problem).toMatchObject({ status: 404, traceId: TRACE_ID });
});

test("an answer of the fast path has a span too", () => {
	expect(lookUp.status).toBe(200);
	expect(collector.named("getDocument")[0]).toMatchObject({ traceId: TRACE_ID });
});

test("no span holds a credential or a value of a statement", () => {
	const all = JSON.stringify(collector.spans());
	for (const secret of [tenant.apiKey, tenant.token, tenant.clientSecret, tenant.rnc])
		expect(all).not.toContain(secret);
});
