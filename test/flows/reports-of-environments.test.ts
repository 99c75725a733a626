/** A company that tries its invoicing out and goes live in the same month: what it declares its taxes by has nothing of the trial. */
import { beforeAll, expect, test } from "bun:test";
import type { ReportTotals } from "../../src/invoicing/reports";
import { newId } from "../../src/platform/values";
import { patchCompany } from "../api/support/patches";
import { expectProblem } from "../api/support/problem";
import {
	buildInvoice,
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../support/service";

const DAY = "2026-11-19";
const PERIOD = `from=${DAY}&to=${DAY}`;

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 120_000);

async function issue(tenant: Tenant, over: Record<string, unknown> = {}): Promise<string> {
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, { issue_date: DAY, ...over }), {
		prefer: "wait=20",
	});
	const invoice = (await answer.json()) as { docId: string; status: string };
	expect(invoice).toMatchObject({ status: "accepted" });
	return invoice.docId;
}

test("trial and production are two reports, each with its digest and table", async () => {
	const tenant = await createTenant(service);
	const read = async (query = "") => {
		const answer = await get(service, `/v1/reports/totals?${PERIOD}&group_by=type${query}`, tenant.headers);
		expect(answer.status).toBe(200);
		return { etag: answer.headers.get("etag") ?? "", report: (await answer.json()) as ReportTotals };
	};
	const table = async (query = "") => {
		const text = await (await get(service, `/v1/reports/documents.csv?${PERIOD}${query}`, tenant.headers)).text();
		const [head = "", ...lines] = text.trimEnd().split("\r\n");
		expect(head.split(",").at(-1)).toBe("authorityEnvironment");
		return lines.map((line) => [line.split(",")[0], line.split(",").at(-1)]);
	};
	const tried = [await issue(tenant), await issue(tenant, { type: "32", customer: undefined })];
	const trial = await read();
	expect(trial.report).toMatchObject({ authorityEnvironment: "test", totals: { count: 2 } });
	expect(await table()).toEqual(tried.sort().map((docId) => [docId, "test"]));
	const first = await read("&limit=1");

	await service.sql`
		insert into test_sets (id, tenant_id, environment, mode, status, types, niche, buyer, runs_max, expires_at)
		values (${newId()}, ${tenant.tenantId}, 'sandbox', 'authority', 'passed', '["31","32","33","34","41","44"]', 'retail', '{}', 5, now())`;
	await patchCompany(service, tenant, { authorityEnvironment: "production" });
	expect((await read()).report).toMatchObject({ authorityEnvironment: "production", groups: [], totals: { count: 0 } });
	const real = await issue(tenant);

	const live = await read();
	expect(live.report).toMatchObject({
		authorityEnvironment: "production",
		groups: [{ type: "31", count: 1, grand_total: "5310.00" }],
		totals: { count: 1, grand_total: "5310.00" },
	});
	expect(await table()).toEqual([[real, "production"]]);
	expect(await read("&authority_environment=production")).toMatchObject({
		etag: live.etag,
		report: { digest: live.report.digest },
	});
	const again = await read("&authority_environment=test");
	expect(again).toEqual({ etag: trial.etag, report: { ...trial.report, asOf: again.report.asOf } });
	expect((await table("&authority_environment=test")).length).toBe(2);
	expect(live.report.digest).not.toBe(trial.report.digest);
	expect(live.etag).not.toBe(trial.etag);

	const next = `&limit=1&after=${first.report.next}`;
	expect((await read(`${next}&authority_environment=test`)).report.groups).toMatchObject([{ type: "32" }]);
	for (const query of [next, `${next}&authority_environment=production`]) {
		const answer = get(service, `/v1/reports/totals?${PERIOD}&group_by=type${query}`, tenant.headers);
		await expectProblem(answer, 400, "validation-error", ["#/query/after invalid-cursor"]);
	}
}, 60_000);
