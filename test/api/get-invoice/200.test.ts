/** The full invoice, under its own address and under its company's. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { documentOf } from "../support/documents";
import { instant, tenantA, uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const read = async (path: string) => {
	const answer = await get(service, path, tenant.headers);
	expect(answer.status).toBe(200);
	return { headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
};

test("an accepted, archived invoice: request, print, verdict and archive", async () => {
	const { docId, trackId, request, acknowledgement } = await documentOf("accepted");
	const path = `/v1/invoices/${docId}`;
	await until(async () => (await read(path)).body.archive !== null);
	const { body, headers } = await read(path);
	expect(body).toEqual({
		...{ docId, trackId, tenantId: tenant.tenantId, environment: "sandbox", type: "31", encf: request.encf },
		status: "accepted",
		issueDate: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
		request,
		print: acknowledgement.print,
		warnings: [],
		authority: {
			...{ code: "1", trackId: expect.stringMatching(uuid), warnings: [], sequenceConsumed: true },
			approvedAt: expect.stringMatching(instant),
		},
		...{ approval: null, replacedBy: null },
		archive: {
			sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
			bytes: expect.any(Number),
			retainUntil: expect.stringMatching(instant),
			leafIndex: expect.any(Number),
			chainHash: expect.stringMatching(/^[0-9a-f]{64}$/),
		},
		createdAt: acknowledgement.receivedAt,
		updatedAt: expect.stringMatching(instant),
		version: expect.any(Number),
		_links: {
			self: path,
			status: `${path}/status`,
			events: `${path}/events`,
			xml: `${path}/xml`,
			pdf: `${path}/pdf`,
			evidence: `${path}/evidence`,
			proof: `${path}/proof`,
			draft: `${path}/draft`,
		},
	});
	expect(headers.get("cache-control")).toBe("private, no-store");
});

test("the archive is kept for ten years from the verdict", async () => {
	const { docId, status } = await documentOf("accepted");
	const path = `/v1/invoices/${docId}`;
	await until(async () => (await read(path)).body.archive !== null);
	const { archive } = (await read(path)).body as { archive: { retainUntil: string } };
	const approved = new Date((status.authority as { approvedAt: string }).approvedAt);
	const years = new Date(archive.retainUntil).getUTCFullYear() - approved.getUTCFullYear();
	expect(years).toBe(10);
});

test("a rejected invoice and a failed one are archived too", async () => {
	for (const state of ["rejected", "failed"] as const) {
		const { docId } = await documentOf(state);
		await until(async () => (await read(`/v1/invoices/${docId}`)).body.archive !== null);
	}
});

test("the record under the company's address is the same", async () => {
	const { docId } = await documentOf("accepted");
	await until(async () => (await read(`/v1/invoices/${docId}`)).body.archive !== null);
	const own = await read(`/v1/invoices/${docId}`);
	const byCompany = await read(`/v1/invoices/${docId}/idCompany/${tenant.tenantId}`);
	expect(byCompany.body).toEqual(own.body);
	expect(byCompany.headers.get("etag")).toBe(own.headers.get("etag"));
});
