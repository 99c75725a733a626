/** Questions that ask for nothing, for too much, or for something else. */
import { beforeAll, expect, test } from "bun:test";
import type { Plan } from "../../../src/platform/operation";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const ask = (who: Tenant, body: unknown) => post(service, "/v1/invoices:status", who.headers, body);

test.each<[unknown, string[]]>([
	[{}, [" too-few"]],
	[{ docIds: [] }, [" too-few"]],
	[{ docIds: "x" }, ["/docIds wrong-type"]],
	[{ docIds: [1], encfs: [null] }, ["/docIds/0 wrong-type", "/encfs/0 wrong-type"]],
	[{ docIds: ["x".repeat(65)] }, ["/docIds/0 too-long"]],
	[{ docids: ["x"] }, ["/docids unknown-field"]],
	[{ docIds: Array(501).fill("x") }, ["/docIds too-many"]],
	[[], [" wrong-type"]],
])("%j", async (body, faults) => {
	await expectProblem(ask(tenant, body), 400, "validation-error", faults);
});

test("a text that is beyond the bound of all texts too is refused once, for its own", async () => {
	const body = { docIds: ["x".repeat(4_001)] };
	const { errors } = await expectProblem(ask(tenant, body), 400, "validation-error", ["/docIds/0 too-long"]);
	expect(errors).toMatchObject([{ maximum: 64 }]);
});

test.each<[Plan, number]>([
	["demo", 10],
	["free", 100],
	["starter", 250],
	["business", 500],
])("the plan %s asks for at most %i at once, all names together", async (plan, maximum) => {
	const own = await createTenant(service, { plan });
	const half = maximum / 2;
	const question = { docIds: Array(half).fill("x"), encfs: Array(half).fill("x"), client_request_ids: ["x"] };
	const problem = await expectProblem(ask(own, question), 400, "validation-error", [" too-many"]);
	expect(problem.errors).toMatchObject([{ maximum }]);
});
