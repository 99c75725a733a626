import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { postSequence } from "../support/sequences";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test.each<[string, Record<string, unknown>, readonly string[]]>([
	["no last day for a type that has one", { expiresAt: undefined }, ["/expiresAt required"]],
	["null as last day for a type that has one", { expiresAt: null }, ["/expiresAt required"]],
	["a day that is none", { expiresAt: "2027-02-30" }, ["/expiresAt invalid-date"]],
	["a date that no document can have", { expiresAt: "2100-12-31" }, ["/expiresAt invalid-date"]],
	["a sequence that has expired", { expiresAt: "2020-12-31" }, ["/expiresAt expired"]],
	["numbers of another type", { from: "E320000000001" }, ["/from encf-type-mismatch"]],
	["a range that runs backwards", { from: "E310000000009", to: "E310000000001" }, ["/to range-reversed"]],
	["the number zero", { from: "E310000000000" }, ["/from encf-zero"]],
	["a number of another length", { to: "E3100000001" }, ["/to encf-form"]],
	["an unknown member", { next: "E310000000004" }, ["/next unknown-field"]],
	[
		"several things at once",
		{ to: "E320000000009", expiresAt: "2020-01-01" },
		["/to encf-type-mismatch", "/expiresAt expired"],
	],
])("%s is refused", async (_, over, faults) => {
	await expectProblem(postSequence(service, tenant, [1, 9], over), 400, "validation-error", faults);
});

test("a type that this service does not issue is refused", async () => {
	const problem = await expectProblem(postSequence(service, tenant, [1, 9], { type: "45" }), 400, "validation-error");
	expect(problem.errors?.map(({ pointer }) => pointer)).toContain("/type");
});
