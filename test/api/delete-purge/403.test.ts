import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { makeKey, postRotation } from "../support/api-keys";
import { takeActiveCompany } from "../support/companies";
import { expectProblem } from "../support/problem";
import { askPurge, createOfficer, purgeAs } from "../support/purges";

let service: TestService;
let officer: Tenant;
let second: string;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
	second = await service.createKey({ scopes: ["admin", "registry:read"] });
});

const purge = (document: string) => purgeAs(service, officer, document);
const ask = (method: string, id: string, headers: Record<string, string>) => askPurge(service, method, id, headers);
const reverse = (id: string, key: string) => ask("DELETE", id, { "x-api-key": key });

test("403 without the scope admin", async () => {
	const { purge_id } = await purge((await takeActiveCompany()).rnc);
	const problem = await expectProblem(reverse(purge_id, officer.apiKey), 403, "insufficient-scope");
	expect(problem.requiredScopes).toEqual(["admin"]);
});

test("403 for keys of the proposer's lineage; a key of another origin confirms", async () => {
	const { rnc } = await takeActiveCompany();
	const { purge_id } = await purge(rnc);
	const scopes = ["admin", "keys:write", "registry:read", "company:write"] as const;
	const admin = await createTenant(service, { scopes });
	const made = await makeKey(service, admin, { scopes: ["admin"] });
	expect((await reverse(purge_id, admin.apiKey)).status).toBe(202);
	await expectProblem(reverse(purge_id, made.key), 403, "forbidden");
	const later = await makeKey(service, admin, { scopes: ["admin"] });
	await expectProblem(reverse(purge_id, later.key), 403, "forbidden");
	const [own] =
		await service.sql`select id from api_keys where id = (select made_by from api_keys where id = ${made.id})`;
	const rotated = (await (await postRotation(service, admin, own?.id)).json()) as { key: string };
	await expectProblem(reverse(purge_id, rotated.key), 403, "forbidden");
	expect((await reverse(purge_id, admin.apiKey)).status).toBe(202);
	expect((await reverse(purge_id, second)).status).toBe(200);
});
