/** What the operator does to companies, as an operator types it, against a service that runs. */
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { readCompany, sendPatch } from "../api/support/patches";
import { expectProblem } from "../api/support/problem";
import { UNKNOWN_ID } from "../api/support/tenants";
import {
	buildInvoice,
	createTenant,
	get,
	getToken,
	post,
	postInvoice,
	sharedService,
	type TestService,
} from "../support/service";
import { until } from "../support/until";

const ROOT = join(import.meta.dir, "../..");
let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

async function admin(...words: string[]) {
	const running = Bun.spawn([process.execPath, "scripts/admin.ts", "tenants", ...words, "--json"], {
		cwd: ROOT,
		env: { ...process.env, DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir },
		...{ stdout: "pipe", stderr: "pipe" },
	});
	const [stdout, stderr] = await Promise.all([
		new Response(running.stdout as ReadableStream).text(),
		new Response(running.stderr as ReadableStream).text(),
	]);
	return { exitCode: await running.exited, data: stdout === "" ? undefined : (JSON.parse(stdout) as unknown), stderr };
}

test("a suspended company reads but cannot issue until it is resumed", async () => {
	const tenant = await createTenant(service);
	const { tenantId } = tenant;
	const issued = (await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string };
	expect(await admin("suspend", tenantId)).toMatchObject({
		exitCode: 0,
		data: { tenantId, status: "suspended", hasChanged: true },
	});
	const refused = await expectProblem(postInvoice(service, tenant, buildInvoice(tenant)), 422, "tenant-config-missing");
	expect(refused.missing).toEqual(["active"]);
	expect(refused.detail).toBe("The company is not active; it cannot issue until it is resumed.");
	expect(await readCompany(service, tenant)).toMatchObject({ status: "suspended", version: 2 });
	expect((await get(service, `/v1/invoices/${issued.docId}`, tenant.headers)).status).toBe(200);
	expect((await sendPatch(service, tenant, { metadata: { a: "b" } })).status).toBe(200);
	const lease = () => post(service, "/v1/sequences/leases", tenant.headers, { type: "31", count: 1, ttl: 60 });
	await expectProblem(lease(), 422, "tenant-config-missing");
	const webhook = { url: `http://${service.receiver.host}/suspended` };
	await expectProblem(post(service, "/v1/webhooks", tenant.headers, webhook), 403, "forbidden");
	await expectProblem(sendPatch(service, tenant, { webhooks: [webhook] }), 403, "forbidden");
	const renewed = post(service, `/v1/company/${tenantId}/credentials`, { "x-api-key": tenant.apiKey }, {});
	await expectProblem(renewed, 403, "forbidden");
	expect((await get(service, "/v1/sequences", tenant.headers)).status).toBe(200);
	expect(await admin("suspend", tenantId)).toMatchObject({ exitCode: 1, data: { hasChanged: false } });
	expect(await admin("resume", tenantId)).toMatchObject({ exitCode: 0, data: { status: "active" } });
	expect((await postInvoice(service, tenant, buildInvoice(tenant))).status).toBe(202);
});

test("closing ends credentials and tokens; resuming gives new ones", async () => {
	const tenant = await createTenant(service);
	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	const { tenantId } = tenant;
	const path = `/v1/company/${tenantId}`;
	expect(await admin("close", tenantId)).toMatchObject({ exitCode: 0, data: { status: "closed" } });
	await until(async () => (await get(service, path, tenant.headers)).status === 401, 120_000);
	await expect(getToken(service, tenant.clientId, tenant.clientSecret)).rejects.toThrow("401");
	const listed = (await (await get(service, "/v1/company", sister.headers)).json()) as { items: unknown[] };
	expect(listed.items).toContainEqual(expect.objectContaining({ tenantId, status: "closed" }));
	const renew = () => post(service, `${path}/credentials`, { "x-api-key": tenant.apiKey }, {});
	await expectProblem(renew(), 403, "forbidden");
	expect(await admin("suspend", tenantId)).toMatchObject({ exitCode: 1, data: { status: "closed" } });
	expect(await admin("resume", tenantId)).toMatchObject({ exitCode: 0, data: { status: "active" } });
	const { clientId, clientSecret } = (await (await renew()).json()) as { clientId: string; clientSecret: string };
	const authorization = `Bearer ${await getToken(service, clientId, clientSecret)}`;
	expect((await get(service, path, { "x-api-key": tenant.apiKey, authorization })).status).toBe(200);
	const audit = (await (await get(service, `/v1/audit?target=${tenantId}&actor=operator`, sister.headers)).json()) as {
		items: { action: string; actor: unknown; changed: string[]; details: unknown }[];
	};
	expect(audit.items.map(({ action }) => action)).toEqual(["company.resume", "company.close"]);
	expect(audit.items[1]).toMatchObject({
		actor: { kind: "operator", keyId: null, clientId: null, userId: null, address: null },
		...{ changed: ["status"], details: { before: "active", status: "closed" } },
	});
});

test("an unknown company is reported", async () => {
	expect(await admin("close", UNKNOWN_ID)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(UNKNOWN_ID) });
	expect(await admin("close", "x")).toMatchObject({ exitCode: 2 });
});
