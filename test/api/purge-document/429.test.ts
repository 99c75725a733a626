/** The hourly limit of erasures and of reversals, as a caller meets it. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, post, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

const request = {
	...{ legal_basis: "arco-opposition", request_reference: "ARCO-3" },
	...{ requested_by: "dpo@example.do", reason: "Data subject request" },
};
const createOfficer = () =>
	createTenant(service, { plan: "enterprise", scopes: ["registry:purge", "registry:read", "company:write", "admin"] });

test("the 61st in an hour is refused with Retry-After; refusals do not count", async () => {
	const officer = await createOfficer();
	const purge = (document: number | string, body: unknown = request) =>
		post(service, `/v1/authority/document/${document}:purge`, officer.headers, body);
	for (let i = 0; i < 5; i++) {
		expect((await purge("12")).status).toBe(400);
		expect((await purge(888_000_000, {})).status).toBe(400);
	}
	const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => purge(888_000_000 + i)));
	expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
	const [record] = await Promise.all(answers.map((answer) => answer.json() as Promise<{ purge_id: string }>));
	const refused = await purge(888_000_100);
	const seconds = Number(refused.headers.get("retry-after"));
	expect(seconds).toBeWithin(3_400, 3_601);
	expect(refused.headers.get("ratelimit-policy")).toBe('"purge";q=60;w=3600');
	expect(refused.headers.get("ratelimit")).toBe(`"purge";r=0;t=${seconds}`);
	const problem = await expectProblem(refused, 429, "rate-limit-exceeded");
	expect(problem).toMatchObject({ limit: 60, windowSeconds: 3600 });
	const [row] = await service.sql`
		select count(*)::int as n from audit where tenant_id = ${officer.tenantId} and action = 'registry.purge'`;
	expect(row?.n).toBe(60);
	// Reversals are counted separately, and reads are not counted.
	const path = `/v1/authority/purges/${record?.purge_id}`;
	expect((await fetch(`${service.url}${path}`, { method: "DELETE", headers: officer.headers })).status).toBe(202);
	expect((await get(service, path, officer.headers)).status).toBe(200);
	const other = await createOfficer();
	expect((await post(service, "/v1/authority/document/888000101:purge", other.headers, request)).status).toBe(200);
});

test("sixty proposals an hour, and no more", async () => {
	const officer = await createOfficer();
	const unlimited = await createTenant(service, { scopes: ["registry:purge", "company:write"] });
	const statuses: number[] = [];
	for (let i = 0; i < 61; i++) {
		const document = 888_001_000 + i;
		const purged = await post(service, `/v1/authority/document/${document}:purge`, unlimited.headers, request);
		const { purge_id } = (await purged.json()) as { purge_id: string };
		const answer = await fetch(`${service.url}/v1/authority/purges/${purge_id}`, {
			method: "DELETE",
			headers: { "x-api-key": officer.apiKey },
		});
		statuses.push(answer.status);
		if (i === 60) await expectProblem(answer, 429, "rate-limit-exceeded");
	}
	expect(statuses).toEqual([...Array.from({ length: 60 }, () => 202), 429]);
});
