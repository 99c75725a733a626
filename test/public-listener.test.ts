/** What the public port answers while the service starts. */
import { afterAll, expect, test } from "bun:test";
import { takePort } from "../src/public-listener";

const { server, url } = takePort({ port: 0, host: "127.0.0.1", reusePort: false, baseUrl: undefined });
afterAll(() => server.stop(true));

test("an operation is refused with a problem document and may be repeated", async () => {
	const answer = await fetch(`${url}/v1/invoices`, { method: "POST", body: "{}" });
	expect(answer.status).toBe(503);
	expect(answer.headers.get("retry-after")).toBe("1");
	expect(answer.headers.get("content-type")).toStartWith("application/problem+json");
	expect(await answer.json()).toMatchObject({
		type: `${url}/errors/service-unavailable`,
		status: 503,
		instance: "/v1/invoices",
		requestId: answer.headers.get("x-request-id"),
	});
});

test("health is not there yet", async () => {
	const answer = await fetch(`${url}/health`);
	expect([answer.status, await answer.json()]).toEqual([503, { status: "starting" }]);
});
