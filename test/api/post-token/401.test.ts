/** Clients that do not prove themselves. */
import { beforeAll, expect, test } from "bun:test";
import { post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_KEY } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const ask = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
	post(service, "/v1/auth/token", headers, { grant_type: "client_credentials", ...body });

test("an unknown client and a wrong secret get the same answer", async () => {
	const texts = await Promise.all(
		[
			{ client_id: "cli_00000000000000000000000000000000", client_secret: tenant.clientSecret },
			{ client_id: tenant.clientId, client_secret: "cs_test_00000000000000000000000000000000" },
			{ client_id: tenant.clientId, client_secret: (await tenantB()).clientSecret },
			{ client_id: "' or 1=1 --", client_secret: "x" },
		].map(async (body) => {
			const problem = await expectProblem(ask(body), 401, "unauthorised");
			return JSON.stringify({ ...problem, requestId: "" });
		}),
	);
	expect(new Set(texts).size).toBe(1);
	expect(JSON.parse(texts[0] ?? "")).toMatchObject({
		error: "invalid_client",
		error_description: "Client authentication failed.",
	});
});

test("HTTP Basic is answered with a challenge of its kind", async () => {
	for (const credentials of ["x:y", "", ":", "no-colon"]) {
		const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
		const answer = await ask({}, { authorization });
		expect(answer.headers.get("www-authenticate")).toBe('Basic realm="token", charset="UTF-8"');
		await expectProblem(answer, 401, "unauthorised");
	}
});

test("a refresh token that is none, or another client's", async () => {
	const answer = await ask({ client_id: tenant.clientId, client_secret: tenant.clientSecret });
	const { refresh_token } = (await answer.json()) as { refresh_token: string };
	const { clientId: client_id, clientSecret: client_secret } = await tenantB();
	for (const body of [
		{ refresh_token: "x" },
		{ refresh_token: `rt_test_${"0".repeat(43)}` },
		{ refresh_token, client_id, client_secret },
	]) {
		const problem = await expectProblem(ask({ grant_type: "refresh_token", ...body }), 401, "unauthorised");
		expect(problem.error).toBe("invalid_grant");
	}
});

test("a key sent along is checked: an unknown one, another owner's", async () => {
	const body = { client_id: tenant.clientId, client_secret: tenant.clientSecret };
	for (const key of [UNKNOWN_KEY, (await tenantB()).apiKey]) {
		const problem = await expectProblem(ask(body, { "x-api-key": key }), 401, "unauthorised");
		expect(problem).toMatchObject({ error: "invalid_client", error_description: problem.detail });
	}
});
