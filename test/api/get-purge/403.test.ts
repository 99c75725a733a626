import { beforeAll, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createOfficer, purgeAs } from "../support/purges";

let service: TestService;
let officer: Tenant;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
});

const purge = (document: string) => purgeAs(service, officer, document);

test("403 without the scope", async () => {
	const { _links } = await purge("888888887");
	const other = await service.createKey({ scopes: ["company:read"] });
	await expectProblem(get(service, _links.self, { "x-api-key": other }), 403, "insufficient-scope");
});
