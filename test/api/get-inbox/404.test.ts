import { beforeAll, expect, test } from "bun:test";
import { inboxOperations } from "../../../src/api/pages/invoicing";
import { ENVIRONMENTS } from "../../../src/platform/values";
import { get, sharedService, type TestService } from "../../support/service";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 120_000);

test("outside the public sandbox the page does not exist and is not linked", async () => {
	for (const path of ["/inbox", "/nothing"]) {
		const answer = await get(service, path);
		expect([path, answer.status]).toEqual([path, 404]);
		expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
		expect(await answer.json()).toMatchObject({ type: `${service.url}/errors/not-found`, instance: path });
	}
	expect(await (await get(service, "/docs/en")).text()).not.toContain("/inbox");
	expect(await (await get(service, "/openapi.json")).text()).not.toContain('"/inbox"');
});

test("it is declared in one environment alone", () => {
	const withInbox = ENVIRONMENTS.filter((environment) => inboxOperations({ environment }).length > 0);
	expect(withInbox).toEqual(["public-sandbox"]);
});
