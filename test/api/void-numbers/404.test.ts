import { beforeAll, test } from "bun:test";
import { createTenant, get, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { postVoid } from "../support/sequences";
import { UNKNOWN_ID } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

type Void = { id: string; status: string; attempts: number; messages: { text: string }[]; _links: { self: string } };

test("another tenant's void is as absent as one that never existed", async () => {
	const [tenant, stranger] = await Promise.all([createTenant(service), createTenant(service)]);
	const { id } = (await (await postVoid(service, tenant, [1, 2])).json()) as Void;
	for (const one of [id, UNKNOWN_ID, "x"]) {
		await expectProblem(get(service, `/v1/sequences/voids/${one}`, stranger.headers), 404, "not-found");
	}
});
