import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { readProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test("all errors of a query are reported at once", async () => {
	const path = "/v1/received-documents?from=ayer&to=2026-02-30&issuer_rnc=12&after=x";
	const problem = await readProblem(await get(await sharedService(), path, (await tenantA()).headers));
	expect(problem.status).toBe(400);
	expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual([
		...["#/query/after", "#/query/from", "#/query/issuer_rnc", "#/query/to"],
	]);
	const unknown = await get(await sharedService(), "/v1/received-documents?encf=E31", (await tenantA()).headers);
	expect(unknown.status).toBe(400);
});
