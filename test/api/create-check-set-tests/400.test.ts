import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";
import { act, beginSet, postSet } from "../support/test-sets";

test.each<[string, unknown, readonly string[]]>([
	["an unknown mode", { mode: "pretend" }, ["/mode invalid-value"]],
	["an unknown niche", { niche: "mining" }, ["/niche invalid-value"]],
	["a number of another length", { startNumber: "1" }, ["/startNumber number-form"]],
	["the number zero", { startNumber: "0000000000" }, ["/startNumber number-zero"]],
	["numbers that run out of digits", { startNumber: "9999999999" }, ["/startNumber number-too-large"]],
	["an unknown member", { typos: ["31"] }, ["/typos unknown-field"]],
])("%s is refused", async (_, body, faults) => {
	const problem = await expectProblem(postSet(await tenantA(), body), 400, "validation-error");
	expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(faults.map((fault) => fault.split(" ")[0] ?? ""));
});

test("a type that this service does not issue is refused by its own name", async () => {
	await expectProblem(postSet(await tenantA(), { types: ["31", "45"] }), 400, "unsupported-ecf-type");
});

test("numbers that a set has used are refused, also when none of them was ever sent", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const set = await beginSet(tenant, { types: ["31"] });
	await act(tenant, set._links.self, "cancel");
	await service.sql`
		insert into test_set_cases (set_id, run, ordinal, tenant_id, name, type, encf, doc_id, is_rehearsed, document)
		values (${set.id}, 2, 1, ${tenant.tenantId}, 'E31-01', '31', 'E310000000202', ${set.id}, false, '{}')`;
	const asked = { types: ["31"], mode: "authority", startNumber: "0000000201" };
	await expectProblem(postSet(tenant, asked), 400, "validation-error", ["/startNumber number-used"]);
});
