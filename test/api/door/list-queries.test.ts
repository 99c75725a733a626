/** Every list reports all errors of its query at once; dates in the wrong order are an error, not an empty list. */
import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { declaredOperations } from "../support/declared-operations";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

const DAYS = "from=2026-11-02&to=2026-11-01";
const BAD_DAYS = "from=ayer&to=2026-02-30";
const AFTER_END = ["#/query/from after-end"];
const NO_DAYS = ["#/query/from invalid-date", "#/query/to invalid-date"];
const NO_CURSOR = "#/query/after invalid-cursor";

test.each<[path: string, query: string, faults: readonly string[]]>([
	["/v1/invoices", DAYS, AFTER_END],
	["/v1/invoices", `${BAD_DAYS}&after=x&customer_rnc=1`, [...NO_DAYS, NO_CURSOR, "#/query/customer_rnc invalid-rnc"]],
	["/v1/received-documents", DAYS, AFTER_END],
	[
		"/v1/received-documents",
		`${BAD_DAYS}&after=x&issuer_rnc=1`,
		[...NO_DAYS, NO_CURSOR, "#/query/issuer_rnc invalid-rnc"],
	],
	["/v1/approvals", DAYS, AFTER_END],
	["/v1/approvals", `${BAD_DAYS}&after=x`, [...NO_DAYS, NO_CURSOR]],
	["/v1/archive", DAYS, AFTER_END],
	["/v1/archive", `${BAD_DAYS}&after=LTEgeA`, [...NO_DAYS, NO_CURSOR]],
	["/v1/usage", DAYS, AFTER_END],
	["/v1/usage", "from=2199-01-01", AFTER_END],
	["/v1/usage", `${BAD_DAYS}&after=x&key=mine`, [...NO_DAYS, NO_CURSOR, "#/query/key invalid-id"]],
	["/v1/reports/totals", DAYS, AFTER_END],
	["/v1/reports/totals", "from=2024-01-01&to=2026-01-01", ["#/query/from too-long"]],
	[
		"/v1/reports/totals",
		`${BAD_DAYS}&group_by=x&format=xml`,
		[...NO_DAYS, "#/query/group_by unknown-dimension", "#/query/format unknown-format"],
	],
	["/v1/reports/documents.csv", DAYS, AFTER_END],
	["/v1/reports/documents.csv", BAD_DAYS, NO_DAYS],
	["/v1/overview", DAYS, AFTER_END],
	["/v1/overview", BAD_DAYS, NO_DAYS],
	["/v1/audit", "from=2026-11-20T10:00:01Z&to=2026-11-20T10:00:00.999Z", AFTER_END],
	[
		"/v1/audit",
		"from=2026-13-01T00:00:00Z&to=2026-11-20T25:00:00Z&after=x",
		["#/query/from invalid-time", "#/query/to invalid-time", NO_CURSOR],
	],
	["/v1/company", "after=x&limit=0", [NO_CURSOR, "#/query/limit invalid-format"]],
	["/v1/api-keys", "after=x&limit=0", [NO_CURSOR, "#/query/limit invalid-format"]],
	["/v1/webhooks", "after=x&limit=0", [NO_CURSOR, "#/query/limit invalid-format"]],
	["/v1/sequences", "after=x&limit=0", [NO_CURSOR, "#/query/limit invalid-format"]],
	["/v1/sequences/leases", "after=x&status=x", [NO_CURSOR, "#/query/status invalid-format"]],
	["/v1/sequences/voids", "after=x&limit=0", [NO_CURSOR, "#/query/limit invalid-format"]],
	["/v1/check-set-tests", "after=x&status=x", [NO_CURSOR, "#/query/status invalid-format"]],
	["/v1/webhooks/deliveries", "after=x&event=x", [NO_CURSOR, "#/query/event invalid-format"]],
	["/v1/authority/registry/runs", "after=x&limit=0", [NO_CURSOR, "#/query/limit invalid-format"]],
	[
		"/v1/authority/document:search",
		"q=...&field=name&limit=0",
		["#/query/q too-short", "#/query/limit invalid-format"],
	],
	[
		"/v1/authority/document:search",
		"q=abc&field=document&mode=fuzzy&after=x",
		["#/query/q invalid-format", "#/query/mode not-applicable", "#/query/after not-applicable"],
	],
])("%s?%s", async (path, query, faults) => {
	const { headers } = await tenantA();
	const answer = get(await sharedService(), `${path}?${query}&misspelt=1`, headers);
	await expectProblem(answer, 400, "validation-error", [...faults, "#/query/misspelt unknown-parameter"]);
});

test("every list with dates or times is covered", () => {
	const lists = declaredOperations().filter(({ parameters = [] }) => {
		const names = parameters.flatMap(({ in: place, name }) => (place === "query" ? [name] : []));
		return names.includes("from") && names.includes("to");
	});
	expect(lists.map(({ path }) => path).sort()).toEqual([
		...["/v1/approvals", "/v1/archive", "/v1/archive/proofs/consistency", "/v1/audit", "/v1/invoices"],
		...["/v1/overview", "/v1/received-documents", "/v1/reports/documents.csv", "/v1/reports/totals", "/v1/usage"],
	]);
});

test("a period of one day or instant includes both ends", async () => {
	const [service, { headers }] = [await sharedService(), await tenantA()];
	for (const path of ["/v1/invoices", "/v1/received-documents", "/v1/approvals", "/v1/archive", "/v1/usage"]) {
		const day = await get(service, `${path}?from=2026-11-01&to=2026-11-01`, headers);
		expect([path, day.status]).toEqual([path, 200]);
	}
	const instant = "2026-11-20T10:00:00Z";
	expect((await get(service, `/v1/audit?from=${instant}&to=${instant}`, headers)).status).toBe(200);
});
