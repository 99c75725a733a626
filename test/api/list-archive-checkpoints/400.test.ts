import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test.each([
	["limit=0", "#/query/limit"],
	["limit=101", "#/query/limit"],
	["after=x", "#/query/after"],
	["after=-1", "#/query/after"],
	["since=1", "#/query/since"],
])("%s", async (query, pointer) => {
	const service = await sharedService();
	const problem = await expectProblem(get(service, `/v1/archive/checkpoints?${query}`), 400, "validation-error");
	expect(problem.errors?.map((one) => one.pointer)).toEqual([pointer]);
});
