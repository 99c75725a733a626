import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { readCompany, sendPatch } from "../support/patches";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test.each(['"2"', 'W/"1"', "1", '"0", "2"', '"1', '"0", *', '"0,1"'])(
	"If-Match %s is not the first version, and nothing is changed",
	async (tag) => {
		const change = sendPatch(service, tenant, { name: "OTRO" }, { "if-match": tag });
		await expectProblem(change, 412, "precondition-failed");
		expect(await readCompany(service, tenant)).toMatchObject({ name: tenant.name, version: 1 });
	},
);

test("an ETag without quotes is explained", async () => {
	const problem = await expectProblem(
		sendPatch(service, tenant, { name: "OTRO" }, { "if-match": "1" }),
		412,
		"precondition-failed",
	);
	expect(problem.detail).toContain("with its quotes");
});

test("of five concurrent changes of one version one succeeds", async () => {
	const own = await createTenant(service);
	const answers = await Promise.all(
		[1, 2, 3, 4, 5].map((n) => sendPatch(service, own, { metadata: { n: `${n}` } }, { "if-match": '"1"' })),
	);
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
	expect((await sendPatch(service, own, { name: "OTRO" }, { "if-match": "*" })).status).toBe(200);
});
