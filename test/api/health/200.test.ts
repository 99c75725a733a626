/** What the service says of itself to anybody. */
import { beforeAll, expect, test } from "bun:test";
import { findCommit } from "../../../src/app/version";
import { catalogue } from "../../../src/platform/problem";
import { get, sharedService, type TestService } from "../../support/service";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("it is alive", async () => {
	const answer = await get(service, "/livez");
	expect([answer.status, await answer.text(), answer.headers.get("cache-control")]).toEqual([
		...[200, '{"status":"ok"}', "no-store"],
	]);
});

test.each(["/readyz", "/health"])("%s names its checks", async (path) => {
	const answer = await get(service, path);
	expect(answer.status).toBe(200);
	const body = (await answer.json()) as { checks: Record<string, string> };
	expect(body).toEqual({
		status: "ok",
		version: expect.any(String),
		commit: findCommit(),
		checks: expect.objectContaining({ database: "ok", clocks: "ok", migrations: "ok", registry: "ok", signer: "ok" }),
		uptimeSeconds: expect.any(Number),
	} as never);
	expect(new Set(Object.values(body.checks))).toEqual(new Set(["ok"]));
});

test("health needs no credentials and looks at none", async () => {
	const answer = await get(service, "/readyz", { "x-api-key": "x", authorization: "Bearer x" });
	expect(answer.status).toBe(200);
});

test("every problem's type is the address of a page, and of JSON for tools", async () => {
	for (const [slug, { status, title }] of Object.entries(catalogue)) {
		const page = await get(service, `/errors/${slug}`, { accept: "text/html" });
		expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
		const json = await get(service, `/errors/${slug}`, { accept: "application/json" });
		expect(await json.json()).toMatchObject({ slug, type: `${service.url}/errors/${slug}`, status, title });
	}
});

test("metrics are not on the public listener", async () => {
	expect((await get(service, "/metrics")).status).toBe(404);
});
