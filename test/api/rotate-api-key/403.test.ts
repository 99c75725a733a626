/** A key that may do more than the caller is not for the caller to rotate: the answer would hand it over. */
import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { makeKey, postRotation, tryKey, withKey } from "../support/api-keys";
import { expectProblem } from "../support/problem";

test("neither scopes nor time nor addresses are to be had by rotating another key", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const strong = await makeKey(service, tenant, { scopes: ["keys:write", "invoices:write"] });
	const rotateAs = async (over: Record<string, unknown>) => {
		const own = { scopes: ["keys:write", "invoices:write"], ...over };
		return postRotation(service, withKey(tenant, (await makeKey(service, tenant, own)).key), strong.id, {
			graceSeconds: 0,
		});
	};
	const problem = await expectProblem(rotateAs({ scopes: ["keys:write"] }), 403, "insufficient-scope");
	expect(problem.requiredScopes).toEqual(["invoices:write"]);
	await expectProblem(rotateAs({ expiresAt: "2099-01-01T00:00:00Z" }), 403, "forbidden");
	await expectProblem(rotateAs({ ipAllowList: ["127.0.0.1"] }), 403, "forbidden");
	expect(await tryKey(service, strong.key)).toBe(403);
	expect((await rotateAs({})).status).toBe(201);
	expect(await tryKey(service, strong.key)).toBe(401);
});
