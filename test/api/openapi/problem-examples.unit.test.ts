import { expect, test } from "bun:test";
import { exampleProblem } from "../../../src/api/openapi/problem-examples";
import { countedPolicyOf, ratePolicyOf } from "../../../src/identity/rate-limits/policy";

test("the examples of exceeded limits have the texts of the limits", () => {
	const detailOf = (slug: Parameters<typeof exampleProblem>[0]) => exampleProblem(slug, "https://api.example").detail;
	expect(detailOf("rate-limit-exceeded")).toBe(ratePolicyOf("demo", "search")?.detail.toString() ?? "");
	expect(detailOf("polling-limit-exceeded")).toBe(countedPolicyOf("free", "poll")?.detail.toString() ?? "");
});
