import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { postWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test.each([
	["http://127.0.0.1:8080/hook", "private-address"],
	["https://169.254.169.254/latest", "private-address"],
	["ftp://erp.example/hook", "scheme-not-allowed"],
	["https://user:secret@erp.example/hook", "userinfo-not-allowed"],
	["https://erp.example:22/hook", "port-not-allowed"],
	["erp.example/hook", "malformed-url"],
])("%s may not be called: %s", async (url, code) => {
	await expectProblem(postWebhook(service, tenant, { url }), 422, "webhook-url-not-allowed", [`/url ${code}`]);
});
