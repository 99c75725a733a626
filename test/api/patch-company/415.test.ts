import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { sendPatch } from "../support/patches";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("another media type, and a body of more than a mebibyte", async () => {
	const tenant = await createTenant(service);
	const other = sendPatch(service, tenant, "[]", { "content-type": "application/json-patch+json" });
	await expectProblem(other, 415, "unsupported-media-type");
	await expectProblem(sendPatch(service, tenant, `{}${" ".repeat(1024 * 1024)}`), 413, "payload-too-large");
});
