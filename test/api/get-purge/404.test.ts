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
const key = () => ({ "x-api-key": officer.apiKey });

test("404 for an unknown erasure", async () => {
	const { _links } = await purge("888888885");
	await expectProblem(get(service, `${_links.self}x`, key()), 404, "not-found");
	for (const id of ["x", "01920000-0000-7000-8000-000000000000"]) {
		await expectProblem(get(service, `/v1/authority/purges/${id}`, key()), 404, "not-found");
	}
});
