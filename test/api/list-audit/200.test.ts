/** The audit as it is read: every kind of change has left its entry, and owners do not see each other's. */
import { beforeAll, expect, test } from "bun:test";
import { redispatch } from "../../../src/events/webhooks";
import { newId } from "../../../src/platform/values";
import { makePerson, ownerOf, signIn } from "../../identity/sessions/support/browser";
import { createTenant, get, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { addCertificate, changeCertificate } from "../support/certificates";
import { killLetters, listDeliveries, recover, redeliver } from "../support/deliveries";
import { patchCompany, readCompany } from "../support/patches";
import { instant, tenantB, uuid } from "../support/tenants";
import { createWebhook, deleteWebhook, patchWebhook, promoteSecret, rotateSecret } from "../support/webhooks";

type Entry = {
	readonly id: string;
	readonly action: string;
	readonly target: string;
	readonly changed: readonly string[];
	readonly details: Readonly<Record<string, unknown>>;
	readonly [more: string]: unknown;
};
type Page = { readonly items: readonly Entry[]; count: number; partial: boolean; next: string | null };

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { scopes: [...SCOPES_OF_ALL] });
});

const SCOPES_OF_ALL = [
	...(["company:read", "company:write", "webhooks:read", "webhooks:write", "audit:read"] as const),
	...(["registry:read", "registry:purge"] as const),
];

async function list(query = "", headers: Readonly<Record<string, string>> = tenant.headers): Promise<Page> {
	const answer = await get(service, `/v1/audit${query}`, headers);
	expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
	return (await answer.json()) as Page;
}
const latest = async (action: string, target?: string): Promise<Entry | undefined> =>
	(await list(`?action=${action}${target === undefined ? "" : `&target=${target}`}&limit=1`)).items[0];

test("an entry has actor, action, subject, time, address and request", async () => {
	const requestId = crypto.randomUUID();
	await patchCompany(
		service,
		tenant,
		{ tradeName: "Otra", settings: { printFormat: "thermal_58" } },
		{ "x-request-id": requestId },
	);
	const { tenantId, clientId } = tenant;
	expect(await latest("company.patch")).toEqual({
		id: expect.stringMatching(uuid),
		at: expect.stringMatching(instant),
		action: "company.patch",
		...{ target: tenantId, tenantId, requestId },
		actor: { kind: "client", keyId: expect.stringMatching(uuid), clientId, userId: null, address: "127.0.0.1" },
		changed: ["tradeName", "settings.printFormat"],
		details: { version: (await readCompany(service, tenant)).version },
	});
});

test("registering a company and renewing its credentials", async () => {
	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	expect(await latest("company.create", sister.tenantId)).toMatchObject({
		...{ tenantId: sister.tenantId, actor: { kind: "key", clientId: null }, details: { clientId: sister.clientId } },
	});
	const path = `/v1/company/${sister.tenantId}/credentials`;
	const made = (await (await post(service, path, { "x-api-key": tenant.apiKey }, {})).json()) as Record<string, string>;
	const renewed = await latest("company.renew-credentials", sister.tenantId);
	expect(renewed?.details).toEqual({ clientId: made.clientId, previousExpiresAt: made.previousExpiresAt });
	expect(JSON.stringify(await list())).not.toContain(made.clientSecret ?? "?");
});

test("a reused refresh token has an address and no actor", async () => {
	const own = await createTenant(service);
	const { clientId: client_id, clientSecret: client_secret } = own;
	const ask = async (body: object) => {
		const answer = await post(service, "/v1/auth/token", { "x-forwarded-for": "192.0.2.77" }, body);
		return (await answer.json()) as { readonly refresh_token?: string };
	};
	const { refresh_token } = await ask({ grant_type: "client_credentials", client_id, client_secret });
	for (let i = 0; i < 2; i++) await ask({ grant_type: "refresh_token", refresh_token });
	const { items } = await list("?action=token.reuse", own.headers);
	expect(items).toMatchObject([
		{
			actor: { kind: "bearer", keyId: null, clientId: null, userId: null, address: "192.0.2.77" },
			details: { clientId: client_id },
		},
	]);
	expect((await list("?action=token.*&actor=operator", own.headers)).items).toEqual([]);
});

test("adding, activating and removing a certificate", async () => {
	const first = await addCertificate(service, tenant);
	const second = await addCertificate(service, tenant);
	await changeCertificate(service, tenant, first.id, "activate");
	await changeCertificate(service, tenant, second.id, "remove");
	const { items } = await list("?action=certificate.*&limit=4");
	expect(items.map(({ action, target, details }) => [action, target, details.thumbprint])).toEqual([
		["certificate.remove", second.id, second.thumbprint],
		["certificate.activate", first.id, first.thumbprint],
		["certificate.add", second.id, second.thumbprint],
		["certificate.add", first.id, first.thumbprint],
	]);
});

test("changes of webhooks are recorded without secrets", async () => {
	const own = await createWebhook(service, tenant);
	await patchWebhook(service, tenant, own.id, { events: ["*"], description: "Caja" });
	const rotated = (await (await rotateSecret(service, tenant, own.id)).json()) as { secret: string };
	await promoteSecret(service, tenant, own.id);
	await promoteSecret(service, tenant, own.id);
	await deleteWebhook(service, tenant, own.id);
	const ofOwn = (await list(`?target=${own.id}`)).items;
	expect(ofOwn.map(({ action, changed }) => [action, ...changed])).toEqual([
		["webhook.delete"],
		["webhook.promote-secret"],
		["webhook.rotate-secret"],
		["webhook.patch", "events", "description"],
		["webhook.create"],
	]);
	const url = `http://${service.receiver.host}/audit`;
	const [added] = (await patchCompany(service, tenant, { webhookUrl: url })).webhooks;
	await patchCompany(service, tenant, { webhooks: [{ url, events: ["*"] }] });
	await patchCompany(service, tenant, { webhooks: null });
	const ofAdded = (await list(`?target=${added?.id}`)).items.map(({ action }) => action);
	expect(ofAdded).toEqual(["webhook.delete", "webhook.patch", "webhook.create"]);
	expect((await latest("company.patch"))?.changed).toEqual(["webhooks"]);
	const all = JSON.stringify(await list("?limit=100"));
	for (const secret of [own.secret, rotated.secret, added?.secret ?? "?", url]) expect(all).not.toContain(secret);
});

test("an erasure's entry holds no taxpayer number", async () => {
	const document = "999888777";
	const request = {
		...{
			legal_basis: "arco-cancellation",
			request_reference: "ARCO-7",
			requested_by: "dpo@e.example",
			reason: "Asked",
		},
	};
	const answer = await post(service, `/v1/authority/document/${document}:purge`, tenant.headers, request);
	expect(answer.status).toBe(200);
	const { purge_id } = (await answer.json()) as { purge_id: string };
	const entry = await latest("registry.purge", purge_id);
	expect(entry).toMatchObject({ details: request, actor: { kind: "client", clientId: tenant.clientId } });
	const rows = await service.sql`select a::text as row from audit a where subject = ${purge_id}`;
	for (const text of [JSON.stringify(entry), JSON.stringify(rows)]) expect(text).not.toContain(document);
});

test("what changes nothing, and what is refused, leaves none", async () => {
	const before = (await list("?limit=1")).items[0]?.id;
	await patchCompany(service, tenant, {});
	await post(service, "/v1/webhooks", tenant.headers, { url: "https://10.0.0.1/x" });
	await post(service, "/v1/company", { "x-api-key": tenant.apiKey }, { rnc: tenant.rnc });
	expect((await list("?limit=1")).items[0]?.id).toBe(before);
});

test("sending deliveries again, by their owner and by the operator", async () => {
	const own = await createTenant(service);
	const { id } = await killLetters(service, own, 3);
	const [first, second] = (await listDeliveries(service, own, `?webhookId=${id}&status=dead`)).items;
	await redeliver(service, own, first?.deliveryId ?? "");
	expect(await redispatch(service.sql, second?.deliveryId ?? "")).toBe(1);
	const since = "2026-01-01T00:00:00.000Z";
	await recover(service, own, id, { since });
	const { items } = await list("?limit=3", own.headers);
	expect(items.map(({ action, target, actor }) => [action, target, (actor as { kind: string }).kind])).toEqual([
		["webhook.recover", id, "client"],
		["delivery.redispatch", second?.deliveryId ?? "", "operator"],
		["delivery.redeliver", first?.deliveryId ?? "", "client"],
	]);
	expect(items[0]?.details).toEqual({ since, queued: 1 });
	expect(items[2]?.details).toMatchObject({ webhookId: id, event: "invoice.accepted" });
});

test("pages follow one another, newest first, and filters hold together", async () => {
	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	const whole = (await list("?limit=100")).items;
	const paged: Entry[] = [];
	for (let after = ""; ; ) {
		const page = await list(`?limit=3${after}`);
		paged.push(...page.items);
		if (page.next === null) break;
		after = `&after=${page.next}`;
	}
	expect(paged.slice(0, 100)).toEqual([...whole]);
	expect(whole.map(({ id }) => id)).toEqual(
		whole
			.map(({ id }) => id)
			.toSorted()
			.toReversed(),
	);
	const { actor, at } = (await latest("company.create", sister.tenantId)) as unknown as {
		readonly actor: { readonly keyId: string };
		readonly at: string;
	};
	const since = (await list(`?action=company.*&actor=${actor.keyId}&from=${at}`)).items;
	expect(since.map(({ action, target }) => [action, target])).toEqual([["company.create", sister.tenantId]]);
	expect((await list(`?action=company.create&to=${at}&target=${tenant.tenantId}`)).count).toBe(1);
	expect((await list(`?action=company.create&from=${at}&target=${tenant.tenantId}`)).count).toBe(0);
	expect((await list(`?actor=${tenant.clientId}&action=company.create`)).items).toEqual([]);
	// The operator has made the owner's key, and that alone.
	expect((await list("?actor=operator")).items.map(({ action }) => action)).toEqual(["key.create"]);
});

test("an owner reads of all its companies, a stranger of none", async () => {
	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	expect((await list("?limit=100", sister.headers)).items).toEqual([...(await list("?limit=100")).items]);
	const stranger = await tenantB();
	for (const query of ["?limit=100", `?target=${tenant.tenantId}`, `?actor=${tenant.clientId}`]) {
		expect(JSON.stringify(await list(query, stranger.headers))).not.toContain(tenant.tenantId);
	}
});

test("a company of the demo key reads of itself alone", async () => {
	const demo = "ak_demo_public0000000000000000";
	const [one, other] = [await createTenant(service, { apiKey: demo }), await createTenant(service, { apiKey: demo })];
	const { items } = await list("", one.headers);
	expect(items.map(({ action, target }) => [action, target])).toEqual([["company.create", one.tenantId]]);
	expect((await list("", other.headers)).items.map(({ target }) => target)).toEqual([other.tenantId]);
});

test.each([
	["an owner", undefined],
	["the demo key", "ak_demo_public0000000000000000"],
])("an invitation to the team of %s is in a company's log for who sees all", async (_, apiKey) => {
	const one = await createTenant(service, apiKey === undefined ? {} : { apiKey });
	const ownerId = apiKey === undefined ? await ownerOf(service, one) : null;
	const owner = await signIn(service, await makePerson(service, { ownerId, role: "owner" }));
	const body = { email: `${crypto.randomUUID()}@example.do`, role: "viewer" };
	const invited = await owner.send("POST", `/v1/team/invitations?owner=${ownerId ?? "demo"}`, { body });
	const { id } = (await invited.json()) as { readonly id: string };
	const [operators] = await service.sql<{ subject: string }[]>`
		insert into audit (id, at, address, action, subject, details)
		values (${newId()}, now(), 'test', 'team.invite', gen_random_uuid(), '{"role": "operator"}') returning subject`;
	const bound = await makePerson(service, { ownerId, role: "owner", tenantIds: [one.tenantId] });
	const seen = async (browser: typeof owner) => {
		const answer = await browser.send("GET", "/v1/audit?action=team.*&limit=100", { company: one.tenantId });
		return ((await answer.json()) as Page).items.map(({ target }) => target);
	};
	expect(await seen(owner)).toContain(id);
	expect(await seen(owner)).not.toContain(operators?.subject);
	expect(await seen(await signIn(service, bound))).toEqual([]);
	expect((await list(`?target=${id}`, one.headers)).count).toBe(apiKey === undefined ? 1 : 0);
});
