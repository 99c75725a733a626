import { test } from "bun:test";
import { newId } from "../../../src/platform/values";
import { ALL_DAYS, archivedTenant, orderExport } from "../support/archive";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

const UNKNOWN = "0192f0a1-b2c3-7d4e-8f00-112233445566";

test.each([
	[{ from: "2026-01-01", to: "2026-01-02" }, ["/format required"]],
	[{ ...ALL_DAYS, format: "rar" }, ["/format not-in-list"]],
	[{ ...ALL_DAYS, from: "2026-02-30" }, ["/from invalid-date"]],
	[{ ...ALL_DAYS, from: "x", to: "" }, ["/from invalid-date", "/to invalid-date"]],
	[{ ...ALL_DAYS, from: "2026-03-02", to: "2026-03-01" }, ["/to before-from"]],
	[{ format: "zip" }, ["/from required", "/to required"]],
	[{ ...ALL_DAYS, format: "pdf" }, ["/format not-with-days"]],
	[
		{ from: "2026-01-01", docIds: [UNKNOWN], filter: {}, format: "csv" },
		["/filter not-together", "/from not-together"],
	],
	[{ docIds: [UNKNOWN], format: "zip" }, ["/docIds/0 unknown-document"]],
	[{ docIds: [], format: "zip" }, ["/docIds too-few"]],
	[{ filter: { status: "sold" }, format: "csv" }, ["/filter/status invalid-format"]],
	[
		{ filter: { from: "2026-02-30", amount_from: "2", amount_to: "1", customer_rnc: "1" }, format: "csv" },
		["/filter/amount_from after-end", "/filter/customer_rnc invalid-rnc", "/filter/from invalid-date"],
	],
	[{ filter: { colour: "red" }, format: "csv" }, ["/filter/colour unknown-field"]],
	[{ ...ALL_DAYS, tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566" }, ["/tenantId unknown-field"]],
] as const)("%j is refused", async (order, faults) => {
	await expectProblem(orderExport(await tenantA(), order), 400, "validation-error", faults);
});

test("a foreign document is an unknown one", async () => {
	const { docIds } = await archivedTenant();
	const order = { docIds: docIds.slice(0, 1), format: "xml" };
	await expectProblem(orderExport(await tenantA(), order), 400, "validation-error", ["/docIds/0 unknown-document"]);
});

test("501 documents are one too many", async () => {
	const order = { docIds: Array.from({ length: 501 }, newId), format: "csv" };
	await expectProblem(orderExport(await tenantA(), order), 400, "validation-error", ["/docIds too-many"]);
});
