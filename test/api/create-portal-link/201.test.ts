/** A link to the portal, and what it opens: once, for its company, with less than its maker may do, and no longer than its maker. */
import { beforeAll, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	get,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { until } from "../../support/until";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { instant, UNKNOWN_ID } from "../support/tenants";

type Session = {
	readonly accessToken: string;
	readonly scopes: readonly string[];
	readonly company: { readonly name: string };
};

let service: TestService;
let tenant: Tenant;
let docId: string;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { webhook: true });
	await open(tenant);
	docId = ((await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string }).docId;
}, 120_000);

async function open({ headers }: Tenant): Promise<void> {
	const answer = await fetch(`${service.url}/v1/portal-settings`, {
		...{ method: "PUT", body: '{"origins":[]}', headers: { ...headers, "content-type": "application/json" } },
	});
	expect(answer.status).toBe(200);
}

async function makeLink(of: Tenant, terms: Record<string, unknown> = {}): Promise<{ portalId: string; token: string }> {
	const answer = await post(service, "/v1/portal-links", of.headers, { pages: ["invoices", "deliveries"], ...terms });
	expect(answer.status).toBe(201);
	const { url, expiresAt } = (await answer.json()) as { url: string; expiresAt: string };
	expect(expiresAt).toMatch(instant);
	const [, portalId = "", token = ""] = /\/portal\/([^#]+)#(.+)$/.exec(url) ?? [];
	return { portalId, token };
}

const redeem = (link: { portalId: string; token: string }) => post(service, "/v1/portal-sessions", {}, link);
async function enter(
	of: Tenant,
	terms: Record<string, unknown> = {},
): Promise<Session & { headers: Record<string, string> }> {
	const answer = await redeem(await makeLink(of, terms));
	expect(answer.status).toBe(201);
	const session = (await answer.json()) as Session;
	return { ...session, headers: { authorization: `Bearer ${session.accessToken}` } };
}

test("it reads its company's documents and deliveries, and nothing of others", async () => {
	const { headers, scopes, company } = await enter(tenant);
	expect([company.name, scopes.toSorted()]).toEqual([tenant.name, ["events:read", "invoices:read", "webhooks:read"]]);
	const { items } = (await (await get(service, "/v1/invoices", headers)).json()) as { items: { docId: string }[] };
	expect(items.map((one) => one.docId)).toEqual([docId]);
	expect((await get(service, "/v1/webhooks/deliveries", headers)).status).toBe(200);
	const foreign = await documentOf("accepted");
	await expectProblem(get(service, `/v1/invoices/${foreign.docId}`, headers), 404, "not-found");
	for (const path of [`/v1/company/${tenant.tenantId}`, "/v1/api-keys", "/v1/portal-settings", "/v1/audit"])
		expect([path, (await get(service, path, headers)).status]).toEqual([path, 403]);
});

test("it changes nothing, and sends deliveries again only where its link allows it", async () => {
	const [reads, sends] = [await enter(tenant), await enter(tenant, { redeliver: true })];
	const again = `/v1/webhooks/deliveries/${UNKNOWN_ID}/redeliver`;
	await expectProblem(
		post(service, again, { ...reads.headers, "idempotency-key": crypto.randomUUID() }, {}),
		403,
		"insufficient-scope",
	);
	await expectProblem(
		post(service, again, { ...sends.headers, "idempotency-key": crypto.randomUUID() }, ""),
		404,
		"not-found",
	);
	for (const path of ["/v1/invoices", "/v1/webhooks", "/v1/links", "/v1/portal-links", "/v1/webhooks/test"])
		await expectProblem(post(service, path, sends.headers, {}), 403, "forbidden");
});

test("a link of one page opens that page alone", async () => {
	const invoices = await enter(tenant, { pages: ["invoices"] });
	await expectProblem(get(service, "/v1/webhooks", invoices.headers), 403, "insufficient-scope");
	const deliveries = await enter(tenant, { pages: ["deliveries"] });
	await expectProblem(get(service, "/v1/invoices", deliveries.headers), 403, "insufficient-scope");
});

test("a link opens once, only under its own portal's address, and not after its time", async () => {
	const link = await makeLink(tenant);
	const other = await createTenant(service);
	await open(other);
	const { portalId } = await makeLink(other);
	await expectProblem(redeem({ ...link, portalId }), 410, "link-expired");
	await expectProblem(redeem({ ...link, portalId: "x" }), 410, "link-expired");
	const answers = await Promise.all([redeem(link), redeem(link), redeem(link)]);
	expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 410, 410]);
	const late = await makeLink(tenant, { expiresIn: 1 });
	await service.sql`update portal_links set expires_at = now() - interval '1 second' where tenant_id = ${tenant.tenantId}`;
	await expectProblem(redeem(late), 410, "link-expired");
});

test("a token that was changed, or sent with a key, is refused", async () => {
	const { accessToken } = await enter(tenant);
	const [payload = "", mac = ""] = accessToken.split(".");
	const claims = JSON.parse(Buffer.from(payload.slice(3), "base64url").toString()) as Record<string, unknown>;
	const forged = Buffer.from(JSON.stringify({ ...claims, redeliver: true })).toString("base64url");
	for (const token of [
		`pt_${forged}.${mac}`,
		`pt_${payload.slice(3)}`,
		"pt_",
		`pt_.${mac}`,
		`pt_${"a".repeat(2_000)}.${mac}`,
	]) {
		const answer = await expectProblem(
			get(service, "/v1/invoices", { authorization: `Bearer ${token}` }),
			401,
			"unauthorised",
		);
		expect(answer.detail).toContain("portal");
	}
	const both = { authorization: `Bearer ${accessToken}`, "x-api-key": tenant.apiKey };
	await expectProblem(get(service, "/v1/invoices", both), 401, "unauthorised");
});

test("what it opened ends with the key that made the link", async () => {
	const owner = await createTenant(service);
	await open(owner);
	const { headers } = await enter(owner);
	expect((await get(service, "/v1/invoices", headers)).status).toBe(200);
	await service.sql`update api_keys set revoked_at = now() where owner_id = (select owner_id from companies where tenant_id = ${owner.tenantId})`;
	await until(async () => (await get(service, "/v1/invoices", headers)).status === 401);
});

test("a link needs settings, and the scopes of what it opens", async () => {
	const bare = await createTenant(service);
	const body = { pages: ["invoices"] };
	await expectProblem(post(service, "/v1/portal-links", bare.headers, body), 404, "not-found");
	for (const wrong of [{}, { pages: [] }, { pages: ["keys"] }, { ...body, expiresIn: 3_601 }, { ...body, more: 1 }])
		await expectProblem(post(service, "/v1/portal-links", tenant.headers, wrong), 400, "validation-error");
});
