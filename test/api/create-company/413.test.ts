import { beforeAll, expect, test } from "bun:test";
import { post, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let apiKey: string;
beforeAll(async () => {
	service = await sharedService();
	apiKey = await service.createKey();
});

const send = (body: unknown, headers: Record<string, string> = {}) =>
	post(service, "/v1/company", { "x-api-key": apiKey, ...headers }, body);
const valid = { rnc: "990000001" };

test("a body of more than a mebibyte", async () => {
	const problem = await expectProblem(send(JSON.stringify(valid) + " ".repeat(1024 * 1024)), 413, "payload-too-large");
	expect(problem.limitBytes).toBe(1024 * 1024);
});
