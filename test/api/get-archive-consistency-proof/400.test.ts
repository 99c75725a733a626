import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test.each([
	["", ["#/query/from", "#/query/to"]],
	["from=1", ["#/query/to"]],
	["from=x&to=0x10", ["#/query/from", "#/query/to"]],
	["from=1&to=0", ["#/query/from"]],
	["from=0&to=999999999999", ["#/query/to"]],
	["from=0&to=0&of=1", ["#/query/of"]],
])("%p", async (query, pointers) => {
	const service = await sharedService();
	const problem = await expectProblem(get(service, `/v1/archive/proofs/consistency?${query}`), 400, "validation-error");
	expect(problem.errors?.map((one) => one.pointer).sort()).toEqual(pointers);
});
