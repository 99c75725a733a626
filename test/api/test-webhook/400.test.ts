import { beforeAll, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { webhook: true });
});

const bearer = (who = tenant) => ({ authorization: `Bearer ${who.token}` });

test("400 for an unknown event, an unknown member, and no JSON", async () => {
	const send = (body: unknown) => post(service, "/v1/webhooks/test", bearer(), body);
	await expectProblem(send({ event: "invoice.eaten" }), 400, "validation-error", ["/event not-in-list"]);
	await expectProblem(send({ url: "https://example.com" }), 400, "validation-error", ["/url unknown-field"]);
	await expectProblem(send("{"), 400, "malformed-json");
});
