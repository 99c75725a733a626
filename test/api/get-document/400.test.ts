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

test("400 for a malformed number, not cacheable", async () => {
	for (const document of ["1", "12345678", "1234567890", "123456789012", "abc", "131.880.681", "131880681;x=1"]) {
		await expectProblem(lookUp(document), 400, "invalid-document-format");
	}
});

test("400 for a number with invalid percent-encoding", async () => {
	for (const document of ["%", "%zz", "%FF", "131880681%", "%C3"]) {
		await expectProblem(lookUp(document), 400, "invalid-document-format");
	}
});
