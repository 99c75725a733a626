import { beforeAll, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";
import { createOfficer, purgeAs } from "../support/purges";

let service: TestService;
let officer: Tenant;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
});

const purge = (document: string) => purgeAs(service, officer, document);

test("401 without a key", async () => {
	const { _links } = await purge("888888886");
	await expectUnauthorised(get(service, _links.self));
});
