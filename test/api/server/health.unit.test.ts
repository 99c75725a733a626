import { describe, expect, test } from "bun:test";
import { type Checks, healthOperations } from "../../../src/api/server/health";
import { makeCall } from "../../platform/operation/support/call";

type Report = {
	status: string;
	version: string;
	commit: string;
	checks: Record<string, string>;
	uptimeSeconds: number;
};

async function ask(
	id: string,
	checks: Checks,
	isDraining = false,
): Promise<{ status: number; report: Report; headers: Headers }> {
	const operations = healthOperations({
		version: "1.2.3",
		commit: "9f3c2d1",
		checks,
		furtherChecks: {},
		isDraining: () => isDraining,
		startedAt: performance.now(),
	});
	const operation = operations.find((one) => one.id === id);
	if (!operation) throw new Error(`no operation ${id}`);
	const response = await operation.handle({ ...makeCall({}), operation });
	return { status: response.status, report: (await response.json()) as Report, headers: response.headers };
}

const well: Checks = { database: () => true, registry: async () => true };

describe("liveness", () => {
	test("checks only the process", async () => {
		const broken: Checks = {
			database: () => {
				throw new Error("must not be asked");
			},
		};
		expect((await ask("livez", broken, true)).status).toBe(200);
	});
});

describe("readiness", () => {
	for (const id of ["readyz", "health"]) {
		test(`${id} is well when every check is`, async () => {
			const { status, report, headers } = await ask(id, well);
			expect(status).toBe(200);
			expect(report).toEqual({
				status: "ok",
				version: "1.2.3",
				commit: "9f3c2d1",
				checks: { database: "ok", registry: "ok" },
				uptimeSeconds: expect.any(Number) as number,
			});
			expect(headers.get("cache-control")).toBe("no-store");
		});

		test(`${id} names the checks that fail, throw, or never answer`, async () => {
			const { status, report } = await ask(id, {
				...well,
				failing: () => false,
				throwing: () => {
					throw new Error("password of the database");
				},
				rejecting: () => Promise.reject(new Error("gone")),
				hanging: () => new Promise<boolean>(() => undefined),
			});
			expect(status).toBe(503);
			expect(report.status).toBe("unavailable");
			expect(report.checks).toEqual({
				database: "ok",
				registry: "ok",
				failing: "unavailable",
				throwing: "unavailable",
				rejecting: "unavailable",
				hanging: "unavailable",
			});
			expect(JSON.stringify(report)).not.toContain("password");
		});

		test(`${id} is not ready while the service drains`, async () => {
			const { status, report } = await ask(id, well, true);
			expect([status, report.status, report.checks.database]).toEqual([503, "draining", "ok"]);
		});
	}

	test("checks run beside one another, not one after another", async () => {
		const gate = Promise.withResolvers<boolean>();
		const checks: Checks = {
			first: () => gate.promise,
			second: () => {
				gate.resolve(true);
				return true;
			},
		};
		expect((await ask("readyz", checks)).report.checks).toEqual({ first: "ok", second: "ok" });
	});

	test("a degraded service is ready and says so", async () => {
		const { status, report } = await ask("readyz", { ...well, migrations: () => "degraded" });
		expect([status, report.status, report.checks.migrations]).toEqual([200, "degraded", "degraded"]);
	});
});
