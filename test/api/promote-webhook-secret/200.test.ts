import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { createWebhook, getWebhook, promoteSecret, rotateSecret } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("without a rotation under way nothing changes, however often it is asked", async () => {
	const { id } = await createWebhook(service, tenant);
	const before = await (await getWebhook(service, tenant, id)).json();
	for (let n = 0; n < 2; n++) {
		const answer = await promoteSecret(service, tenant, id);
		expect(answer.status).toBe(200);
		expect(await answer.json()).toEqual(before);
	}
});

test("a replay returns the first answer and does not end a later rotation", async () => {
	const { id } = await createWebhook(service, tenant);
	await rotateSecret(service, tenant, id);
	const headers = { "idempotency-key": crypto.randomUUID() };
	const first = await promoteSecret(service, tenant, id, headers);
	expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([200, null]);
	await rotateSecret(service, tenant, id);
	const before = await (await getWebhook(service, tenant, id)).json();
	const repeat = await promoteSecret(service, tenant, id, headers);
	expect([repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
	expect(repeat.headers.get("etag")).toBe(first.headers.get("etag"));
	expect(await repeat.text()).toBe(await first.text());
	expect(await (await getWebhook(service, tenant, id)).json()).toEqual(before);
});
