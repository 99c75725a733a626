/** Moving to the authority's production requires a passed test set and an active company. */
import { expect, test } from "bun:test";
import { checkChange } from "../../src/companies/change-company";
import type { CompanyDeps } from "../../src/companies/register-company";
import { msg, Problem } from "../../src/platform/problem";
import { systemClock } from "../../src/platform/values";
import type { RegistryEntry } from "../../src/registry";
import { companyRow } from "./support/row";

const PATCH = { authorityEnvironment: "production" } as const;

/** The dependencies of the check. Using any other one fails. */
function check(facts: { hasPassed?: boolean; isLoaded?: boolean; status?: string }, company = companyRow()) {
	const { hasPassed = true, isLoaded = true, status = "ACTIVO" } = facts;
	const deps = {
		egress: { environment: "production", allow: new Set<string>() },
		clock: systemClock,
		hasPassedTestSet: async (tenantId: string) => hasPassed && tenantId === company.tenantId,
		registry: { isLoaded: () => isLoaded, lookup: () => ({ status }) as RegistryEntry, runId: () => "run" },
	};
	return checkChange(deps as unknown as CompanyDeps, company, PATCH);
}

async function refusal(work: Promise<unknown>): Promise<Problem> {
	const error = await work.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof Problem)) throw new Error(`expected a problem, got ${error}`);
	return error;
}

test("an active company that has passed may move to production", async () => {
	expect(await check({})).toMatchObject({ patch: PATCH });
});

test("without a passed test set the answer is 422, before anything else", async () => {
	const { slug, extensions } = await refusal(check({ hasPassed: false, isLoaded: false, status: "SUSPENDIDO" }));
	expect([slug, extensions]).toEqual([
		"tenant-config-missing",
		{ missing: ["certification"], fix: "/v1/check-set-tests" },
	]);
});

test("while the registry is not loaded the answer is unavailable", async () => {
	expect((await refusal(check({ isLoaded: false }))).slug).toBe("registry-unavailable");
});

test("an inactive company may not move to production", async () => {
	const { slug, faults } = await refusal(check({ status: "SUSPENDIDO" }));
	expect(slug).toBe("validation-error");
	expect(faults).toEqual([
		{
			...{ pointer: "/authorityEnvironment", code: "rnc-inactive", reason: "not-active", registryStatus: "SUSPENDIDO" },
			detail: msg`The registry lists RNC ${"131880681"} as ${"SUSPENDIDO"}.`,
		},
	]);
});

test("a company already in production is not checked again", async () => {
	expect(await check({ hasPassed: false }, companyRow({ authorityEnvironment: "production" }))).toMatchObject({
		patch: PATCH,
	});
});
