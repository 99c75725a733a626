import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectProblem } from "../support/problem";
import { createOfficer, orderPurge, PURGE_REQUEST } from "../support/purges";
import { tenantA } from "../support/tenants";

let service: TestService;
/** A key that may erase. */
let officer: Tenant;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
});

const purge = (document: string, body?: unknown, headers?: Readonly<Record<string, string>>) =>
	orderPurge(service, officer, document, body, headers);
const lookUp = (document: string) =>
	get(service, `/v1/authority/document/${document}`, { "x-api-key": officer.apiKey });

test("403 without the scope, which no key has by default; the entry stays", async () => {
	const { rnc } = await takeActiveCompany();
	const problem = await expectProblem(purge(rnc, PURGE_REQUEST, (await tenantA()).headers), 403, "insufficient-scope");
	expect(problem.requiredScopes).toEqual(["registry:purge"]);
	expect((await lookUp(rnc)).status).toBe(200);
});
