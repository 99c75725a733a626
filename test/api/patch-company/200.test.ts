/** Companies as they are changed: what is absent stays, null clears, arrays are replaced. */
import { beforeAll, describe, expect, test } from "bun:test";
import { waitForDocuments } from "../../../src/companies";
import { createBatchedQueries } from "../../../src/invoicing/invoices/issue";
import { LOCKS } from "../../../src/platform/database";
import { createWake } from "../../../src/platform/outbox";
import { newId, systemClock, toLocalIsoDate } from "../../../src/platform/values";
import { LOGO } from "../../ecf/printing/support/logo";
import { buildInvoice, createTenant, get, postInvoice, sharedService, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { batchInvoice, postBatch } from "../support/batches";
import { listStatuses } from "../support/certificates";
import { makePkcs12 } from "../support/companies";
import { killLetters, listDeliveries } from "../support/deliveries";
import { type CompanyAnswer, patchCompany, readCompany, sendPatch } from "../support/patches";
import { beginSet } from "../support/test-sets";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

const PNG = Buffer.from(LOGO).toString("base64");

const FULL = {
	...{ tradeName: "Propio", email: "facturas@propio.example", phone: "809-555-0101", economicActivity: "Ventas" },
	address: { street: "Av. Duarte 100", municipalityCode: "010100", provinceCode: "010000" },
	...{ pdfLogo: PNG, contactEmails: ["it@propio.example"], metadata: { erp: "001", shop: "7" } },
	settings: { printFormat: "thermal_80", outagePolicy: "reject" },
};

test("absent members stay, sent ones are merged, and the version increases", async () => {
	const tenant = await createTenant(service, { company: FULL });
	const before = await readCompany(service, tenant);
	const answer = await sendPatch(service, tenant, {
		...{ name: "OTRO NOMBRE SRL", address: { street: "Calle 2" }, settings: { strictValidation: true } },
		...{ metadata: { erp: null, till: "9" }, contactEmails: ["a@b.example", "c@d.example"] },
	});
	expect([answer.status, answer.headers.get("etag")]).toEqual([200, '"2"']);
	const after = (await answer.json()) as CompanyAnswer;
	expect(after).toEqual({
		...before,
		...{ name: "OTRO NOMBRE SRL", version: 2, updatedAt: expect.any(String) },
		address: { street: "Calle 2", municipalityCode: "010100", provinceCode: "010000" },
		settings: { ...before.settings, strictValidation: true },
		...{ metadata: { shop: "7", till: "9" }, contactEmails: ["a@b.example", "c@d.example"] },
	});
	expect(await readCompany(service, tenant)).toEqual(after);
});

test("a name of metadata has at most 40 characters of any kind", async () => {
	const name = "\u{1f600}".repeat(40);
	const tenant = await createTenant(service, { company: { metadata: { [name]: "1" } } });
	expect(await patchCompany(service, tenant, { metadata: { [name]: "2" } })).toMatchObject({
		metadata: { [name]: "2" },
	});
	expect((await sendPatch(service, tenant, { metadata: { [`${name}x`]: "3" } })).status).toBe(400);
	expect(await patchCompany(service, tenant, { metadata: { [name]: null } })).toMatchObject({ metadata: {} });
});

test("null clears members, resets settings and brings back a warning", async () => {
	const tenant = await createTenant(service, { company: FULL });
	expect((await readCompany(service, tenant)).warnings).toEqual([]);
	const members = ["tradeName", "email", "phone", "address", "economicActivity", "pdfLogo"];
	const cleared = await patchCompany(service, tenant, {
		...Object.fromEntries(members.map((name) => [name, null])),
		...{ contactEmails: null, metadata: null, webhooks: null, settings: { printFormat: null } },
	});
	expect(cleared).toMatchObject({
		...{ tradeName: null, email: null, phone: null, address: null, economicActivity: null, contactEmails: [] },
		...{ pdfLogo: { present: false }, metadata: {}, webhooks: [] },
		...{ settings: { printFormat: "a4", outagePolicy: "reject" }, warnings: [{ code: "address-missing" }] },
	});
	const again = await patchCompany(service, tenant, { settings: null, address: { street: "x" }, pdfLogo: PNG });
	expect(again).toMatchObject({ settings: { outagePolicy: "queue" }, warnings: [], pdfLogo: { present: true } });
});

test("plain JSON is a merge patch too, and one without effect creates no version", async () => {
	const tenant = await createTenant(service, { company: FULL, webhook: true });
	const { name, webhooks } = await readCompany(service, tenant);
	const url = webhooks[0]?.url ?? "";
	const plain = { "content-type": "application/json" };
	for (const body of [{}, { name, settings: {}, pdfLogo: PNG, metadata: { shop: "7" } }, { webhookUrl: url }]) {
		expect(await patchCompany(service, tenant, body, plain)).toMatchObject({ version: 1, webhooks });
	}
});

test("a member named like a property of every object is data", async () => {
	const tenant = await createTenant(service);
	const odd = '{"metadata":{"constructor":"a","__proto__":"b","toString":"c"}}';
	const { metadata } = await patchCompany(service, tenant, odd);
	expect(Object.entries(metadata).sort()).toEqual([
		["__proto__", "b"],
		["constructor", "a"],
		["toString", "c"],
	]);
	const left = await patchCompany(
		service,
		tenant,
		'{"metadata":{"constructor":null,"__proto__":null,"toString":null}}',
	);
	expect(left.metadata).toEqual({});
});

describe("webhooks", () => {
	test("webhooks are matched by URL; new ones show their secret once", async () => {
		const tenant = await createTenant(service);
		const at = (path: string) => `http://${service.receiver.host}/${tenant.rnc}/${path}`;
		const first = await patchCompany(service, tenant, {
			webhooks: [{ url: at("a"), events: ["invoice.rejected"], description: "ERP" }, at("b")],
			webhookUrl: at("c"),
		});
		expect(first.webhooks.map(({ secret }) => typeof secret)).toEqual(["string", "string", "string"]);
		const [a, b] = first.webhooks;
		const second = await patchCompany(service, tenant, {
			webhooks: [{ url: at("b"), events: ["*"] }, { url: at("d") }],
			webhookUrls: [at("a")],
		});
		const { secret: _, ...keptA } = a ?? { secret: null };
		expect(second.webhooks.map(({ url }) => url).sort()).toEqual([at("a"), at("b"), at("d")]);
		expect(second.webhooks.find(({ url }) => url === at("a"))).toEqual(keptA as (typeof second.webhooks)[number]);
		expect(second.webhooks.find(({ url }) => url === at("b"))).toMatchObject({ id: b?.id, events: ["*"] });
		const found = second.webhooks.filter((webhook) => "secret" in webhook);
		expect(found.map(({ url }) => url)).toEqual([at("d")]);
		expect(JSON.stringify(await readCompany(service, tenant))).not.toContain(found[0]?.secret ?? "?");
		const secrets = await service.sql<{ id: string; hint: string }[]>`
			select id, secret_hint as hint from webhook_endpoints where tenant_id = ${tenant.tenantId} and id = ${b?.id ?? ""}`;
		expect(secrets[0]?.hint).toBe(b?.secretHint ?? "?");
		expect((await patchCompany(service, tenant, { webhookUrl: null })).webhooks).toEqual([]);
	});

	test("an endpoint reset to automatic recovery has its dead letters retried", async () => {
		const tenant = await createTenant(service);
		const { id, url } = await killLetters(service, tenant, 1);
		for (const recovery of ["manual", "automatic"]) {
			expect((await patchCompany(service, tenant, { webhooks: [{ url, recovery }] })).webhooks).toMatchObject([{ id }]);
		}
		await service.sql`update outbox set available_at = now() where kind = 'webhook.probe' and subject = ${id}`;
		createWake(service.sql)();
		await until(async () => (await listDeliveries(service, tenant, `?webhookId=${id}&status=delivered`)).count === 1);
	});

	test("a change of webhooks elsewhere creates a company version", async () => {
		const tenant = await createTenant(service, { webhook: true });
		const { webhooks, version } = await readCompany(service, tenant);
		const path = `${service.url}/v1/webhooks/${webhooks[0]?.id}`;
		await fetch(path, { method: "DELETE", headers: tenant.headers });
		expect(await readCompany(service, tenant)).toMatchObject({ version: version + 1, webhooks: [] });
	});
});

test("a new certificate signs from now on, and the previous one is retired", async () => {
	const tenant = await createTenant(service);
	const [before = ""] = Object.keys(await listStatuses(service, tenant));
	const { privateKey: _, ...certificate } = await makePkcs12("contra-4711");
	const changed = await patchCompany(service, tenant, { certificate });
	expect(changed.certificate).toMatchObject({ status: "active", ephemeral: false });
	const { id = "" } = changed.certificate as { id?: string };
	expect(await listStatuses(service, tenant)).toEqual({ [id]: "active", [before]: "retired" });
	expect((await patchCompany(service, tenant, { certificate })).version).toBe(changed.version);
});

test("a company that has passed the test set moves to production and issues there", async () => {
	const tenant = await createTenant(service);
	await service.sql`
		insert into test_sets (id, tenant_id, environment, mode, status, types, niche, buyer, runs_max, expires_at)
		values (${newId()}, ${tenant.tenantId}, 'sandbox', 'authority', 'passed', '["31","32","33","34","41","44"]', 'retail', '{}', 5, now())`;
	const { authorityEnvironment } = await patchCompany(service, tenant, { authorityEnvironment: "production" });
	expect(authorityEnvironment).toBe("production");
	const issued = await postInvoice(service, tenant, buildInvoice(tenant));
	const { print } = (await issued.json()) as { print: { qrUrl: string } };
	expect(new URL(print.qrUrl).pathname).toStartWith("/ecf/");
});

test("twenty concurrent changes lose nothing, and each creates a version", async () => {
	const tenant = await createTenant(service);
	const names = Array.from({ length: 20 }, (_, i) => `k${i}`);
	const answers = await Promise.all(names.map((name) => sendPatch(service, tenant, { metadata: { [name]: name } })));
	expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
	const { metadata, version } = await readCompany(service, tenant);
	expect(metadata).toEqual(Object.fromEntries(names.map((name) => [name, name])));
	expect(version).toBe(21);
});

test("concurrent changes of company, webhooks and certificate are all kept", async () => {
	const tenant = await createTenant(service, { webhook: true });
	const { webhooks } = await readCompany(service, tenant);
	const id = webhooks[0]?.id ?? "";
	const { privateKey: _, ...certificate } = await makePkcs12("contra-4711");
	const send = (method: string, path: string, body: unknown) =>
		fetch(`${service.url}${path}`, {
			...{ method, body: JSON.stringify(body) },
			headers: { ...tenant.headers, "content-type": "application/json" },
		});
	const work = Array.from({ length: 6 }, (_, i) => [
		sendPatch(service, tenant, { metadata: { [`k${i}`]: "x" }, webhookUrl: webhooks[0]?.url }),
		send("PATCH", `/v1/webhooks/${id}`, { description: `n${i}` }),
		send("POST", `/v1/webhooks/${id}/rotate-secret`, { overlapSeconds: 0 }),
		...(i === 0 ? [send("PUT", `/v1/company/${tenant.tenantId}/certificate`, certificate)] : []),
	]).flat();
	const statuses = (await Promise.all(work)).map(({ status }) => status);
	expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
	const after = await readCompany(service, tenant);
	expect(Object.keys(after.metadata)).toHaveLength(6);
	expect(after.certificate).toMatchObject({ ephemeral: false });
});

test("the next invoice uses the change, even in a process with a cached company", async () => {
	const tenant = await createTenant(service, { company: FULL });
	const elsewhere = createBatchedQueries({ sql: service.sql, clock: systemClock });
	const nameElsewhere = async () => {
		const place = { scopeId: tenant.tenantId, operation: "POST /v1/invoices", key: crypto.randomUUID() };
		const { issuerVersion } = await elsewhere.preflight({ place });
		return (await elsewhere.issuers.get(tenant.tenantId, issuerVersion))?.company.tradeName;
	};
	expect(await nameElsewhere()).toBe("Propio");
	expect((await postInvoice(service, tenant, buildInvoice(tenant))).status).toBe(202);
	await patchCompany(service, tenant, { tradeName: "Recién cambiado" });
	expect(await nameElsewhere()).toBe("Recién cambiado");
	const issued = await postInvoice(service, tenant, buildInvoice(tenant));
	const { docId } = (await issued.json()) as { docId: string };
	const xml = await get(service, `/v1/invoices/${docId}/xml`, { ...tenant.headers, accept: "application/xml" });
	expect(await xml.text()).toContain("<NombreComercial>Recién cambiado</NombreComercial>");
});

test("documents that are stored while their company changes are signed again", async () => {
	const tenant = await createTenant(service, { company: FULL });
	const waiting = () => service.sql`
		select from pg_locks where locktype = 'advisory' and classid = ${LOCKS.storingDocuments} and not granted
			and objid = hashtext(${tenant.tenantId})::bit(32)::bigint`;
	const sent = await service.sql.begin(async (tx) => {
		await waitForDocuments(tx, tenant.tenantId);
		const [one, two] = [buildInvoice(tenant), batchInvoice(tenant)];
		const answers = Promise.all([postInvoice(service, tenant, one), postBatch(service, tenant, { invoices: [two] })]);
		await until(async () => (await waiting()).length === 2);
		await tx`update companies set trade_name = 'A tiempo' where tenant_id = ${tenant.tenantId}`;
		return { answers };
	});
	const statuses = (await sent.answers).map(({ status }) => status);
	expect(statuses.every((status) => status < 300)).toBe(true);
	const listed = await get(service, "/v1/invoices", tenant.headers);
	const { items } = (await listed.json()) as { items: { docId: string }[] };
	expect(items).toHaveLength(2);
	for (const { docId } of items) {
		const xml = await get(service, `/v1/invoices/${docId}/xml`, { ...tenant.headers, accept: "application/xml" });
		expect(await xml.text()).toContain("<NombreComercial>A tiempo</NombreComercial>");
	}
});

describe("a repeat of the key", () => {
	test("answers the same without the secret, and changes nothing", async () => {
		const tenant = await createTenant(service);
		const headers = { "idempotency-key": crypto.randomUUID() };
		const body = { webhookUrl: `http://${service.receiver.host}/${tenant.rnc}` };
		const first = await patchCompany(service, tenant, body, headers);
		await patchCompany(service, tenant, { webhooks: [] });
		const again = await sendPatch(service, tenant, body, headers);
		expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
		expect(await again.json()).toEqual({ ...first, webhooks: first.webhooks.map((one) => ({ ...one, secret: null })) });
		expect((await readCompany(service, tenant)).webhooks).toEqual([]);
	});
});

test("today is accepted as the last day, and so is the stored day", async () => {
	const tenant = await createTenant(service);
	const today = toLocalIsoDate(systemClock.now());
	const settings = (sequenceExpiresOn: string | null) =>
		sendPatch(service, tenant, { settings: { sequenceExpiresOn } });
	expect((await settings(today)).status).toBe(200);
	const over = "2026-01-31";
	await service.sql`
		update companies set settings = (settings::jsonb || jsonb_build_object('sequenceExpiresOn', ${over}::text))::json
		where tenant_id = ${tenant.tenantId}`;
	for (const day of [over, null]) {
		const answer = await settings(day);
		expect([answer.status, await answer.json()]).toMatchObject([200, { settings: { sequenceExpiresOn: day } }]);
	}
});

test("numbers of test sets are used in the certification environment only", async () => {
	const tenant = await createTenant(service, { company: { settings: { sequenceMode: "service" } } });
	const { id } = await beginSet(tenant, { mode: "authority", types: ["31"] });
	await until(async () => {
		const [set] = await service.sql<{ status: string }[]>`select status from test_sets where id = ${id}`;
		return set?.status === "passed";
	}, 60_000);
	const spent = await service.sql<
		{ encf: string }[]
	>`select encf from test_set_cases where set_id = ${id} order by encf`;
	const issue = async () => {
		const answer = await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }), { prefer: "wait=20" });
		return (await answer.json()) as { encf: string; status: string };
	};
	const first = spent.at(0)?.encf;
	const next = `E31${String(Number(spent.at(-1)?.encf.slice(3)) + 1).padStart(10, "0")}`;
	await patchCompany(service, tenant, { authorityEnvironment: "certification" });
	expect(await issue()).toMatchObject({ encf: next, status: "accepted" });
	await patchCompany(service, tenant, { authorityEnvironment: "test" });
	expect(await issue()).toMatchObject({ encf: first, status: "accepted" });
	await patchCompany(service, tenant, { authorityEnvironment: "certification" });
	const [{ count } = { count: 0 }] = await service.sql<{ count: number }[]>`
		select count(*)::int as count from documents d join names n using (tenant_id, doc_id) where d.test_set_id = ${id} and n.kind = 'c'`;
	expect(count).toBe(spent.length);
}, 90_000);
