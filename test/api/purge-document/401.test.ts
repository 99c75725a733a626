import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectUnauthorised } from "../support/problem";
import { createOfficer, orderPurge, PURGE_REQUEST } from "../support/purges";

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

test("401 without both credentials; the entry stays", async () => {
	const { rnc } = await takeActiveCompany();
	await expectUnauthorised(purge(rnc, PURGE_REQUEST, {}));
	await expectUnauthorised(purge(rnc, PURGE_REQUEST, { "x-api-key": officer.apiKey }));
	await expectUnauthorised(purge(rnc, PURGE_REQUEST, { authorization: `Bearer ${officer.token}` }));
	expect((await lookUp(rnc)).status).toBe(200);
});
