import { beforeAll, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
});

const lookUp = (document: string, headers = key) => get(service, `/v1/authority/document/${document}`, headers);

test("404 for an unknown number", async () => {
	for (const document of ["999999999", "99999999999"]) {
		await expectProblem(lookUp(document), 404, "document-not-found");
	}
});
