/** A poller that knows the document's version gets 304. */
import { beforeAll, expect, test } from "bun:test";
import { buildInvoice, get, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { documentOf } from "../support/documents";
import { tenantA, tenantB } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const ask = (who: Tenant, docId: string, etag?: string) =>
	get(service, `/v1/invoices/${docId}/status`, {
		authorization: `Bearer ${who.token}`,
		...(etag === undefined ? {} : { "if-none-match": etag }),
	});

test.each([
	["alone", (etag: string) => etag],
	["in a list", (etag: string) => `"v0", ${etag}`],
	["marked as weak", (etag: string) => `W/${etag}`],
	["as an asterisk", () => "*"],
])("the tag %s", async (_, send) => {
	const { docId } = await documentOf("accepted");
	const etag = (await ask(tenant, docId)).headers.get("etag") ?? "";
	const answer = await ask(tenant, docId, send(etag));
	expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([304, "", etag]);
	expect(answer.headers.get("retry-after")).toBeNull();
});

test("another version is answered whole", async () => {
	const { docId } = await documentOf("accepted");
	expect((await ask(tenant, docId, '"v1"')).status).toBe(200);
	expect((await ask(tenant, docId, "v4")).status).toBe(200);
});

test("a pending document still says when to ask again, and a verdict ends the waiting", async () => {
	const customer = { rnc: "000000004", name: "SILENCIO" };
	const posted = await postInvoice(service, tenant, buildInvoice(tenant, { customer }));
	const { docId } = (await posted.json()) as { docId: string };
	const [etag, answer] = await askUntilUnchanged(docId);
	expect([answer.status, answer.headers.get("retry-after")]).toEqual([304, "5"]);
	// It has that row once its authority is silent for long.
	const changes = () =>
		service.sql`update open_documents set version = version + 1 where doc_id = ${docId} returning 1`;
	await until(async () => (await changes()).length === 1);
	expect((await ask(tenant, docId, etag)).status).toBe(200);
});

/** The document moves on while it is asked about, so a tag may be old at once. */
async function askUntilUnchanged(docId: string): Promise<[string, Response]> {
	for (;;) {
		const etag = (await ask(tenant, docId)).headers.get("etag") ?? "";
		const answer = await ask(tenant, docId, etag);
		if (answer.status === 304) return [etag, answer];
	}
}

test("a stranger's tag says nothing: 404 as ever", async () => {
	const { docId } = await documentOf("accepted");
	const stranger = await tenantB();
	for (const etag of ["*", '"v4"']) expect((await ask(stranger, docId, etag)).status).toBe(404);
});
