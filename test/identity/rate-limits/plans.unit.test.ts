import { describe, expect, test } from "bun:test";
import { countedPolicyOf, limitClassOf, ratePolicyOf } from "../../../src/identity/rate-limits/policy";
import { NEEDS_KEY, PLANS, PUBLIC } from "../../../src/platform/operation";
import { declaredOperations } from "../../api/support/declared-operations";
import { makeOperation } from "../../platform/operation/support/call";

describe("the plans", () => {
	test("have a name, a burst and the window in which the burst comes back", () => {
		const reported = (...[plan, limit]: Parameters<typeof ratePolicyOf>) => {
			const { name, quota, windowSeconds } = ratePolicyOf(plan, limit) ?? {};
			return [name, quota, windowSeconds];
		};
		expect(reported("free", "issue")).toEqual(["issue", 10, 2]);
		expect(reported("free", "lookup")).toEqual(["lookup", 50, 5]);
		expect(reported("free", "search")).toEqual(["search", 10, 4]);
		expect(reported("enterprise", "lookup")).toEqual(["lookup", 5_000, 5]);
		expect(reported("demo", "lookup")).toEqual(["demo-lookup", 60, 60]);
		expect(reported("demo", "search")).toEqual(["demo-search", 20, 60]);
		expect(reported("demo", "issue")).toEqual(["demo-issue", 10, 60]);
		expect(reported("demo", "token")).toEqual(["demo-token", 10, 60]);
		expect(reported("unlimited", "lookup")).toEqual([undefined, undefined, undefined]);
	});

	test("poll 120, 1,200, 12,000 and 120,000 times an hour; the operator's is not counted", () => {
		const polls = PLANS.map((plan) => countedPolicyOf(plan, "poll")?.quota);
		expect(polls).toEqual([120, 120, 1_200, 12_000, 120_000, undefined]);
	});

	test("of the demo key also hold for a day", () => {
		expect(countedPolicyOf("demo", "issue")).toMatchObject({
			...{ name: "demo-issue-day", quota: 200, windowSeconds: 86_400 },
		});
		expect(countedPolicyOf("demo", "company")).toMatchObject({ quota: 5, windowSeconds: 86_400 });
		expect(countedPolicyOf("free", "issue")).toBeUndefined();
	});
});

describe("an operation", () => {
	test("that says nothing is a read or a write, and one for everybody is nothing", () => {
		const of = (method: "GET" | "PATCH", credentials = NEEDS_KEY) =>
			limitClassOf(makeOperation({ method, path: "/", credentials }));
		expect(of("GET")).toBe("read");
		expect(of("PATCH")).toBe("write");
		expect(of("GET", PUBLIC)).toBeUndefined();
	});

	test("is counted as what it does", () => {
		const byId = new Map(declaredOperations().map((operation) => [operation.id, limitClassOf(operation)]));
		const reported = (ids: readonly string[]) => ids.map((id) => byId.get(id));
		expect(reported(["postInvoice", "batchInvoices"])).toEqual(["issue", "issue"]);
		expect(reported(["getDocument", "batchDocuments"])).toEqual(["lookup", "lookup"]);
		expect(reported(["searchDocuments", "matchDocuments"])).toEqual(["search", "search"]);
		expect(reported(["getInvoiceStatus", "getInvoiceStatuses", "listEvents"])).toEqual(["poll", "poll", "poll"]);
		expect(reported(["postToken", "createCompany", "testWebhook"])).toEqual(["token", "company", "webhook-test"]);
		expect(reported(["readyz", "getOpenApi", "getUsage"])).toEqual([undefined, undefined, "read"]);
	});
});
