import { beforeAll, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectUnauthorised } from "../support/problem";
import { askPurge, createOfficer, purgeAs } from "../support/purges";

let service: TestService;
let officer: Tenant;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
});

const purge = (document: string) => purgeAs(service, officer, document);
const ask = (method: string, id: string, headers: Record<string, string>) => askPurge(service, method, id, headers);

test("401 without a key", async () => {
	const { purge_id } = await purge((await takeActiveCompany()).rnc);
	await expectUnauthorised(ask("DELETE", purge_id, {}));
	await expectUnauthorised(ask("DELETE", purge_id, { authorization: `Bearer ${officer.token}` }));
});
