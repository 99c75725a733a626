import { beforeAll, expect, test } from "bun:test";
import { sharedService, type TestService } from "../support/service";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
});

test("a host of few letters, as containers have, reaches every operation", async () => {
	const paths = ["/livez", "/v1/authority/registry/status", "/v1/authority/document/12", "/v1/nothing"];
	const askAs = async (host: string) =>
		Promise.all(
			paths.map(async (path) => (await fetch(`${service.url}${path}`, { headers: { ...key, host } })).status),
		);
	for (const host of ["localhost", "db", "api", "x"])
		expect([host, ...(await askAs(host))]).toEqual([host, 200, 200, 400, 404]);
});
