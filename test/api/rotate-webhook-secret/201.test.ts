import { beforeAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { instant } from "../support/tenants";
import { createWebhook, getWebhook, promoteSecret, rotateSecret, type Webhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

/** What a test event carries now. */
async function signedHeaders(webhookId: string): Promise<{ headers: Record<string, string>; body: string }> {
	const answer = await post(service, "/v1/webhooks/test", tenant.headers, { webhookId });
	const { deliveries } = (await answer.json()) as {
		deliveries: { request: { headers: Record<string, string>; body: string } }[];
	};
	if (!deliveries[0]) throw new Error("nothing was sent");
	return deliveries[0].request;
}

/** Both forms of a signature, computed as a receiver would. */
function signatures(secret: string, { headers, body }: { headers: Record<string, string>; body: string }) {
	const t = headers["webhook-timestamp"];
	const digest = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex");
	const key = Buffer.from(secret.slice("whsec_".length), "base64");
	const standard = createHmac("sha256", key).update(`${headers["webhook-id"]}.${t}.${body}`).digest("base64");
	return { own: `t=${t},v1=${digest}`, standard: `v1,${standard}` };
}

test("during a rotation the old secret signs the main header, the new the second", async () => {
	const { id, secret: old } = await createWebhook(service, tenant);
	const answer = await rotateSecret(service, tenant, id);
	expect(answer.status).toBe(201);
	const rotated = (await answer.json()) as Webhook & { secret: string };
	const overlapMs = Date.parse(String(rotated.previousSecretExpiresAt)) - Date.parse(String(rotated.updatedAt));
	expect(Math.round(overlapMs / 1_000 / 60)).toBe(24 * 60);
	expect(rotated).toMatchObject({
		...{ secretHint: `${old.slice(0, 10)}…`, nextSecretHint: `${rotated.secret.slice(0, 10)}…`, version: 2 },
		previousSecretExpiresAt: expect.stringMatching(instant),
	});

	const sent = await signedHeaders(id);
	const [before, after] = [signatures(old, sent), signatures(rotated.secret, sent)];
	expect(sent.headers["X-Service-Signature"]).toBe(before.own);
	expect(sent.headers["X-Service-Signature-Next"]).toBe(after.own);
	expect(sent.headers["webhook-signature"]).toBe(`${before.standard} ${after.standard}`);

	const promoted = (await (await promoteSecret(service, tenant, id)).json()) as Webhook;
	expect(promoted.secretHint).toBe(`${rotated.secret.slice(0, 10)}…`);
	expect(promoted).not.toHaveProperty("nextSecretHint");
	const alone = await signedHeaders(id);
	expect(alone.headers["X-Service-Signature"]).toBe(signatures(rotated.secret, alone).own);
	expect(alone.headers).not.toHaveProperty("X-Service-Signature-Next");
	expect(alone.headers["webhook-signature"]).toBe(signatures(rotated.secret, alone).standard);
});

test("without an overlap the old secret ends at once", async () => {
	const { id } = await createWebhook(service, tenant);
	const rotated = (await (await rotateSecret(service, tenant, id, { overlapSeconds: 0 })).json()) as Webhook & {
		secret: string;
	};
	expect(rotated).not.toHaveProperty("nextSecretHint");
	const sent = await signedHeaders(id);
	expect(sent.headers["X-Service-Signature"]).toBe(signatures(rotated.secret, sent).own);
	expect(sent.headers).not.toHaveProperty("X-Service-Signature-Next");
});

test("without a body both secrets sign for a day", async () => {
	const { id } = await createWebhook(service, tenant);
	const path = `${service.url}/v1/webhooks/${id}/rotate-secret`;
	const headers = { ...tenant.headers, "idempotency-key": crypto.randomUUID() };
	const rotate = () => fetch(path, { method: "POST", headers });
	const answer = await rotate();
	expect(answer.status).toBe(201);
	const { secret, ...rotated } = (await answer.json()) as Webhook;
	expect(secret).toStartWith("whsec_");
	const overlapMs = Date.parse(String(rotated.previousSecretExpiresAt)) - Date.parse(String(rotated.updatedAt));
	expect(Math.round(overlapMs / 60_000)).toBe(24 * 60);
	const again = await rotate();
	expect([again.status, await again.json()]).toEqual([200, { ...rotated, secret: null }]);
});

test("a second rotation replaces the first and keeps the main secret", async () => {
	const { id, secret: old } = await createWebhook(service, tenant);
	await rotateSecret(service, tenant, id);
	const second = (await (await rotateSecret(service, tenant, id)).json()) as Webhook & { secret: string };
	const sent = await signedHeaders(id);
	expect(sent.headers["X-Service-Signature"]).toBe(signatures(old, sent).own);
	expect(sent.headers["X-Service-Signature-Next"]).toBe(signatures(second.secret, sent).own);
});

test("a replay rotates nothing and shows no secret; keys apply to one webhook", async () => {
	const [one, other] = [await createWebhook(service, tenant), await createWebhook(service, tenant)];
	const key = { "idempotency-key": crypto.randomUUID() };
	const first = (await (await rotateSecret(service, tenant, one.id, {}, key)).json()) as Webhook;
	const again = await rotateSecret(service, tenant, one.id, {}, key);
	expect(again.status).toBe(200);
	expect(await again.json()).toEqual({ ...first, secret: null });
	expect(await (await getWebhook(service, tenant, one.id)).json()).toMatchObject({ version: 2 });
	expect((await rotateSecret(service, tenant, other.id, {}, key)).status).toBe(201);
});
