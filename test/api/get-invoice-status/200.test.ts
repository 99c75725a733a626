/** The status of a document in each of its states, as pollers see it. */
import { beforeAll, expect, test } from "bun:test";
import { buildInvoice, get, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { freeTenant, instant, tenantA, uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const ask = (docId: string, headers: Record<string, string> = { authorization: `Bearer ${tenant.token}` }) =>
	get(service, `/v1/invoices/${docId}/status`, headers);

const common = (docId: string, trackId: string, encf: unknown) => ({
	...{ docId, trackId, encf, client_request_id: null, phase: "decided", holdReason: null, nextAttemptAt: null },
	...{ attempts: expect.any(Number), version: expect.any(Number), updatedAt: expect.stringMatching(instant) },
	_links: { self: `/v1/invoices/${docId}` },
});

test("an accepted document", async () => {
	const { docId, trackId, request } = await documentOf("accepted");
	const answer = await ask(docId);
	const body = (await answer.json()) as Record<string, unknown>;
	expect(body).toEqual({
		...common(docId, trackId, request.encf),
		status: "accepted",
		attempts: 1,
		authority: {
			approvedAt: expect.stringMatching(instant),
			trackId: expect.stringMatching(uuid),
			code: "1",
			warnings: [],
			sequenceConsumed: true,
		},
	});
	expect(answer.headers.get("etag")).toBe(`"v${body.version}"`);
	expect(answer.headers.get("cache-control")).toBe("private, no-store");
	expect(answer.headers.get("retry-after")).toBeNull();
});

test("a rejected document names the authority's code and what to do next", async () => {
	const { docId, trackId, request } = await documentOf("rejected");
	expect(await (await ask(docId)).json()).toEqual({
		...common(docId, trackId, request.encf),
		status: "rejected",
		authority: {
			trackId: expect.stringMatching(uuid),
			code: "1920",
			title: "Taxed total invalid",
			messages: [
				{
					code: "1920",
					text: "El campo MontoGravadoTotal del área Totales de la sección Encabezado no es válido.",
				},
			],
			sequenceConsumed: true,
		},
		reissue: { allowed: true, encf: "new" },
		advice: ["/totals/subtotal", "/lines"].map((pointer) => ({
			...{ pointer, detail: expect.any(String), detailEs: expect.any(String) },
		})),
	} as never);
});

test("a conditional acceptance is accepted, with the authority's warnings", async () => {
	const { docId } = await documentOf("conditional");
	const body = (await (await ask(docId)).json()) as { status: string; authority: Record<string, unknown> };
	expect(body).toMatchObject({ status: "accepted", authority: { code: "4", sequenceConsumed: true } });
	expect(body.authority.warnings).toEqual([{ code: "1385", text: expect.any(String) }]);
});

test("a document that failed on our side has the reason and how to retry", async () => {
	const { docId, trackId, request } = await documentOf("failed");
	expect(await (await ask(docId)).json()).toEqual({
		...common(docId, trackId, request.encf),
		status: "failed",
		authority: {},
		failure: {
			code: "internal-failure",
			detail: "The document could not be submitted because of an internal failure.",
			failedAt: expect.stringMatching(instant),
			retryable: true,
		},
		_links: { self: `/v1/invoices/${docId}`, retry: `/v1/invoices/${docId}/retry` },
	});
});

test("a pending document has Retry-After: 5 seconds at first, 30 on the free plan", async () => {
	const free = await freeTenant();
	for (const [who, seconds] of [
		[tenant, "5"],
		[free, "30"],
	] as const) {
		// The buyer whose verdict the authority keeps back.
		const client_request_id = `crid-${crypto.randomUUID()}`;
		const customer = { rnc: "000000004", name: "SILENCIO" };
		const posted = await postInvoice(service, who, buildInvoice(who, { client_request_id, customer }));
		const { docId, encf } = (await posted.json()) as { docId: string; encf: string };
		const answer = await ask(docId, { authorization: `Bearer ${who.token}` });
		expect(answer.status).toBe(200);
		expect(answer.headers.get("retry-after")).toBe(seconds);
		expect(await answer.json()).toMatchObject({ status: "pending", encf, client_request_id, authority: {} });
	}
});

test("the key may come along, when it is the owner's", async () => {
	const { docId } = await documentOf("accepted");
	expect((await ask(docId, tenant.headers)).status).toBe(200);
});
