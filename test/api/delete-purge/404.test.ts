import { beforeAll, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectProblem } from "../support/problem";
import { askPurge, createOfficer, purgeAs } from "../support/purges";
import { UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let officer: Tenant;
let first: string;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
	first = await service.createKey({ scopes: ["admin"] });
});

const purge = (document: string) => purgeAs(service, officer, document);
const ask = (method: string, id: string, headers: Record<string, string>) => askPurge(service, method, id, headers);
const reverse = (id: string, key: string) => ask("DELETE", id, { "x-api-key": key });

test("404 for an unknown erasure", async () => {
	const { purge_id } = await purge((await takeActiveCompany()).rnc);
	for (const id of ["x", UNKNOWN_ID, `${purge_id}x`]) await expectProblem(reverse(id, first), 404, "not-found");
});
