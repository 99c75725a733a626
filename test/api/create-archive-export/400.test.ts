import { test } from "bun:test";
import { ALL_DAYS, orderExport } from "../support/archive";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test.each([
	[{ from: "2026-01-01", to: "2026-01-02" }, ["/format required"]],
	[{ ...ALL_DAYS, format: "rar" }, ["/format not-in-list"]],
	[{ ...ALL_DAYS, from: "2026-02-30" }, ["/from invalid-date"]],
	[{ ...ALL_DAYS, from: "x", to: "" }, ["/from invalid-date", "/to invalid-date"]],
	[{ ...ALL_DAYS, from: "2026-03-02", to: "2026-03-01" }, ["/to before-from"]],
	[{ ...ALL_DAYS, tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566" }, ["/tenantId unknown-field"]],
] as const)("%j is refused", async (order, faults) => {
	await expectProblem(orderExport(await tenantA(), order), 400, "validation-error", faults);
});
