/** Who may not issue at all. */
import { beforeAll, expect, test } from "bun:test";
import { buildInvoice, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_KEY } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const send = (credentials: Record<string, string>) =>
	postInvoice(service, { ...tenant, headers: credentials }, buildInvoice(tenant));

test("no credentials, a key alone and a token alone", async () => {
	await expectUnauthorised(send({}));
	await expectUnauthorised(send({ "x-api-key": tenant.apiKey }));
	await expectUnauthorised(send({ authorization: `Bearer ${tenant.token}` }));
});

test("an unknown key and a malformed one", async () => {
	for (const key of [UNKNOWN_KEY, "x", `${tenant.apiKey}x`, tenant.apiKey.toUpperCase(), `${tenant.apiKey}, x`]) {
		await expectUnauthorised(send({ ...tenant.headers, "x-api-key": key }));
	}
});

test("a token that is none, has another scheme, or has been touched", async () => {
	const [header = "", payload = "", signature = ""] = tenant.token.split(".");
	const flipped = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
	const forged = [
		...["", "Bearer", "Bearer x", `Basic ${tenant.token}`, tenant.token, `Bearer ${header}.${payload}.`],
		...[`Bearer ${header}.${payload}`, `Bearer ${header}.${payload}.${flipped}`, `Bearer ${tenant.token}=`],
		`Bearer ${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url")}.${payload}.`,
	];
	for (const authorization of forged) await expectUnauthorised(send({ ...tenant.headers, authorization }));
});

test("the scheme's case does not matter", async () => {
	const answer = await send({ ...tenant.headers, authorization: `bearer ${tenant.token}` });
	expect(answer.status).toBe(202);
});

test("a token in the query is no credential", async () => {
	const answer = await fetch(`${service.url}/v1/invoices?access_token=${tenant.token}`, {
		method: "POST",
		headers: { "x-api-key": tenant.apiKey, "content-type": "application/json" },
		body: "{}",
	});
	await expectUnauthorised(answer);
});

test("a token and a key of different owners are refused as a mismatch", async () => {
	const other = await tenantB();
	const count = async () => (await service.sql`select count(*)::int as n from documents`)[0]?.n;
	const before = await count();
	const problem = await expectUnauthorised(send({ ...tenant.headers, "x-api-key": other.apiKey }));
	expect(problem.detail).toMatch(/^Mismatch/);
	expect(await count()).toBe(before);
});
