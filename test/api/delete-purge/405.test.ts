import { beforeAll, expect, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectProblem } from "../support/problem";
import { askPurge, createOfficer, purgeAs } from "../support/purges";

let service: TestService;
let officer: Tenant;
let first: string;
let second: string;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
	first = await service.createKey({ scopes: ["admin"] });
	second = await service.createKey({ scopes: ["admin", "registry:read"] });
});

const purge = (document: string) => purgeAs(service, officer, document);
const ask = (method: string, id: string, headers: Record<string, string>) => askPurge(service, method, id, headers);

test("405 for other methods", async () => {
	const { purge_id } = await purge((await takeActiveCompany()).rnc);
	await expectProblem(ask("PUT", purge_id, { "x-api-key": first }), 405, "method-not-allowed");
	expect((await ask("GET", purge_id, { "x-api-key": second })).status).toBe(200);
});
