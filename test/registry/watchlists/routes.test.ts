import { expect, test } from "bun:test";
import { buildInvoice, createTenant, get, post, postInvoice, sharedService, untilDecided } from "../../support/service";
import { until } from "../../support/until";

const service = await sharedService();
const keyOf = async (plan: "free" | "demo" = "free") => ({ "x-api-key": await service.createKey({ plan }) });

type List = { id: string; count: number; _links: { self: string; documents: string; changes: string } };

async function createList(headers: Record<string, string>, settings = {}): Promise<List> {
	const answer = await post(service, "/v1/watchlists", headers, { name: "Proveedores", ...settings });
	expect(answer.status).toBe(201);
	return (await answer.json()) as List;
}

function put(list: List, headers: Record<string, string>, body: string, type = "text/csv"): Promise<Response> {
	const init = { method: "PUT", headers: { ...headers, "content-type": type }, body };
	return fetch(`${service.url}${list._links.documents}`, init);
}

test("an owner keeps a list of numbers with references", async () => {
	const headers = await keyOf();
	const list = await createList(headers);
	expect((await put(list, headers, "document,reference\n131-88068-1,SUP-1\n101000023\n")).status).toBe(200);
	const added = { documents: [{ document: "990000001", reference: "SUP-3" }] };
	expect(await (await post(service, `${list._links.documents}:add`, headers, added)).json()).toMatchObject({
		count: 3,
	});
	const removed = { documents: [{ document: "101000023" }] };
	await post(service, `${list._links.documents}:remove`, headers, removed);
	const items = [
		{ document: "131880681", reference: "SUP-1" },
		{ document: "990000001", reference: "SUP-3" },
	];
	expect(await (await get(service, list._links.documents, headers)).json()).toMatchObject({ items, count: 2 });
	expect(await (await get(service, list._links.changes, headers)).json()).toMatchObject({
		changes: [],
		partial: false,
	});
	const foreign = await keyOf();
	expect((await get(service, list._links.self, foreign)).status).toBe(404);
	expect((await get(service, list._links.self, headers)).status).toBe(200);
	const deleted = await fetch(`${service.url}${list._links.self}`, { method: "DELETE", headers });
	expect(deleted.status).toBe(204);
});

test("a file with a bad number is refused with its row and column", async () => {
	const headers = await keyOf();
	const list = await createList(headers);
	const answer = await put(list, headers, '{"document":"131880681"}\n{"document":"12"}\n', "application/x-ndjson");
	expect(answer.status).toBe(422);
	expect(await answer.json()).toMatchObject({ errors: [{ row: 2, column: "document", found: '"12"' }] });
});

test("the plan limits lists and numbers", async () => {
	const headers = await keyOf();
	const list = await createList(headers);
	const second = await post(service, "/v1/watchlists", headers, { name: "Clientes" });
	expect([second.status, await second.json()]).toMatchObject([422, { maximum: 1 }]);
	const lines = Array.from({ length: 101 }, (_, i) => String(990_000_000 + i)).join("\n");
	const tooMany = await put(list, headers, lines);
	expect([tooMany.status, await tooMany.json()]).toMatchObject([422, { maximum: 100 }]);
});

test("an owner without a company has webhooks and events", async () => {
	const headers = await keyOf();
	const url = `http://${service.receiver.host}/registry`;
	const created = await post(service, "/v1/authority/webhooks", headers, { url });
	expect(created.status).toBe(201);
	const { events, _links } = (await created.json()) as { events: string[]; _links: { self: string } };
	expect(events).toEqual(["registry.*", "webhook.*"]);
	expect(created.headers.get("location")).toBe(_links.self);
	expect((await get(service, _links.self, headers)).status).toBe(200);
	expect(await (await get(service, "/v1/authority/events", headers)).json()).toMatchObject({ events: [] });
	const ofInvoices = await post(service, "/v1/authority/webhooks", headers, { url, events: ["invoice.*"] });
	expect(ofInvoices.status).toBe(400);
	expect((await get(service, _links.self, await keyOf())).status).toBe(404);
});

test("an address stops the digests by the link of a mail, without a login", async () => {
	const headers = await keyOf();
	const emails = [`Ap-${Date.now()}@cliente.do`];
	const list = await createList(headers, { emails, digest: "weekly", locale: "en" });
	expect(list).toMatchObject({ emails, emails_stopped: [], digest: "weekly", locale: "en" });
	const secret = String(Date.now()).padStart(32, "s");
	await service.sql`insert into digest_addresses values (${emails[0]?.toLowerCase() ?? ""}, ${secret})`;
	const link = `${service.url}/v1/watchlist-mails/${secret}`;
	for (const other of ["%00", secret.slice(1)]) {
		expect((await fetch(`${service.url}/v1/watchlist-mails/${other}`, { method: "POST" })).status).toBe(404);
	}
	expect(await (await fetch(link)).text()).toContain(`<form action="/v1/watchlist-mails/${secret}" method="post">`);
	const shown = async () =>
		(await (await get(service, list._links.self, headers)).json()) as { emails_stopped: string[] };
	expect((await shown()).emails_stopped).toEqual([]);
	const init = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
	expect(await (await fetch(`${link}?lang=en`, init)).text()).toContain("Get them again");
	expect((await shown()).emails_stopped).toEqual([emails[0]?.toLowerCase() ?? ""]);
	expect((await fetch(`${link}/resume`, { method: "POST" })).status).toBe(200);
	expect((await shown()).emails_stopped).toEqual([]);
	expect((await fetch(`${link}x`, init)).status).toBe(404);
	const patched = await fetch(`${service.url}${list._links.self}`, {
		...{ method: "PATCH", headers: { ...headers, "content-type": "application/json" } },
		body: JSON.stringify({ digest: null, emails: [] }),
	});
	expect(await patched.json()).toMatchObject({ digest: null, emails: [], locale: "en" });
});

test("a list is filled with the customers of its company, and takes no other numbers", async () => {
	const tenant = await createTenant(service);
	const customer = { rnc: "131-88068-1", name: "FERRETERIA EL PROGRESO SRL" };
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, { customer }));
	const { docId } = (await answer.json()) as { docId: string };
	await untilDecided(service, tenant, docId);
	const list = await createList(tenant.headers, { source: "customers" });
	expect(list).toMatchObject({ source: "customers", source_filled_at: null, source_omitted: 0 });
	const documents = async () => (await get(service, list._links.documents, tenant.headers)).json();
	await until(async () => ((await documents()) as { count: number }).count > 0, 15_000);
	expect(await documents()).toMatchObject({ items: [{ document: "131880681" }] });
	const refused = await put(list, tenant.headers, "101000023");
	expect([refused.status, await refused.json()]).toMatchObject([409, { source: "customers" }]);
	const keyOnly = await post(service, "/v1/watchlists", await keyOf(), { name: "Clientes", source: "customers" });
	expect([keyOnly.status, await keyOnly.json()]).toMatchObject([400, { errors: [{ code: "company-required" }] }]);
});
