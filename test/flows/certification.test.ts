/** Certification test sets on a whole service: one that passes in one run, one that is rejected and passes in the next, one that is rehearsed. */
import { beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { standings } from "../support/documents";
import { findJudge } from "../support/judges";
import { createTenant, get, post, sharedService, type Tenant, type TestService } from "../support/service";
import { until } from "../support/until";
import { nextWebhook, type Reception, webhooksOf } from "./follow";

type Case = {
	readonly case: string;
	readonly encf: string;
	readonly status: string;
	readonly docId: string | null;
	readonly dependsOn: string | null;
};
type TestSet = {
	readonly id: string;
	readonly status: string;
	readonly run: number;
	readonly cases: readonly Case[];
	readonly progress: Readonly<Record<string, number>>;
	readonly failure: { readonly case: string; readonly code: string; readonly detail: string } | null;
	readonly completedAt: string | null;
	readonly _links: { readonly self: string; readonly evidence: string };
};

const FINAL = ["passed", "failed", "expired", "cancelled"];
const COUNTS = { "31": 4, "32": 6, "33": 1, "34": 2, "41": 2, "44": 2 };
const SEND_ORDER = [
	...["E31-01", "E31-02", "E31-03", "E31-04", "E32-05", "E32-06", "E41-14", "E41-15", "E44-16", "E44-17"],
	...["E33-11", "E34-12", "E34-13", "E32-07", "E32-08", "E32-09", "E32-10"],
];

let service: TestService;
/** What the set that passed at once has left. */
let evidenceOfPassed: Readonly<Record<string, Uint8Array>> = {};
beforeAll(async () => {
	service = await sharedService();
}, 120_000);

async function begin(tenant: Tenant, body: unknown): Promise<TestSet> {
	const answer = await post(service, "/v1/check-set-tests", tenant.headers, body);
	const text = await answer.text();
	expect({ status: answer.status, text }).toMatchObject({ status: 202 });
	return JSON.parse(text) as TestSet;
}

async function read(tenant: Tenant, { _links }: Pick<TestSet, "_links">): Promise<TestSet> {
	return (await (await get(service, _links.self, tenant.headers)).json()) as TestSet;
}

async function untilFinal(tenant: Tenant, set: TestSet): Promise<TestSet> {
	let now = set;
	await until(async () => {
		now = await read(tenant, set);
		return FINAL.includes(now.status);
	}, 200_000);
	return now;
}

/** What the authority has received of a tenant, oldest first. */
async function receivedOf(tenant: Tenant): Promise<(Reception & { readonly environment: string })[]> {
	const all = (await (await fetch(`${service.simulatorUrl}/_simulator/receptions`)).json()) as (Reception & {
		environment: string;
	})[];
	return all.filter(({ rnc }) => rnc === tenant.rnc);
}

async function evidenceOf(tenant: Tenant, set: TestSet): Promise<Readonly<Record<string, Uint8Array>>> {
	const answer = await get(service, set._links.evidence, tenant.headers);
	expect(answer.headers.get("content-type")).toBe("application/zip");
	return unzipSync(await answer.bytes());
}

test("a set passes in one run, is reported, listed apart and kept as evidence", async () => {
	const tenant = await createTenant(service, {
		company: {
			webhooks: [{ url: `http://${service.receiver.host}/certified`, events: ["*", "certification.completed"] }],
		},
	});
	const set = await untilFinal(tenant, await begin(tenant, { mode: "authority" }));
	expect({ status: set.status, failure: set.failure }).toEqual({ status: "passed", failure: null });
	expect(set.cases.map((one) => one.case)).toEqual(SEND_ORDER);
	expect(set.progress).toEqual({ total: 17, generated: 17, submitted: 17, accepted: 17, rejected: 0, pending: 0 });

	const received = await receivedOf(tenant);
	expect(received.map(({ encf }) => encf)).toEqual(set.cases.map(({ encf }) => encf));
	expect(new Set(received.map(({ environment }) => environment))).toEqual(new Set(["certecf"]));
	expect(received.filter(({ host }) => host === "fc")).toHaveLength(4);
	const byType = Map.groupBy(received, ({ encf }) => encf.slice(1, 3));
	expect(Object.fromEntries([...byType].map(([type, all]) => [type, all.length]))).toEqual(COUNTS);
	const verdicts = await service.sql`
		select count(*)::int as all, count(*) filter (where code = '1')::int as unconditional from ${standings(service.sql)} i
		where test_set_id = ${set.id}`;
	expect([...verdicts]).toEqual([{ all: 17, unconditional: 17 }]);

	const webhook = await nextWebhook(service, tenant, set.id);
	expect(webhook).toMatchObject({
		...{ event: "certification.completed", status: "passed", verified: true },
		certification: { mode: "authority", run: 1 },
	});
	const docIds = set.cases.flatMap(({ docId }) => (docId === null ? [] : [docId]));
	expect(docIds.flatMap((docId) => webhooksOf(service, tenant, docId))).toEqual([]);

	const list = async (query: string) =>
		((await (await get(service, `/v1/invoices${query}`, tenant.headers)).json()) as { items: { testSetId?: string }[] })
			.items;
	expect(await list("")).toEqual([]);
	expect((await list("?test_sets=include&limit=100")).map(({ testSetId }) => testSetId)).toEqual(
		set.cases.map(() => set.id),
	);

	const evidence = await evidenceOf(tenant, set);
	expect(Object.keys(evidence)).toContain("run-1/E32-07/summary.xml");
	expect(new TextDecoder().decode(evidence["README.txt"])).toContain("Printed representations (PDF) are not included");
	expect(Object.keys(evidence).filter((name) => name.includes("/answers/")).length).toBeGreaterThanOrEqual(17);
	evidenceOfPassed = evidence;
}, 300_000);

const validate = findJudge("validate-ecf");
const verify = findJudge("verify-signature");
test.skipIf(!validate || !verify)(
	"its documents fit the authority's schema, and xmlsec1 accepts the signatures",
	async () => {
		const folder = mkdtempSync(join(tmpdir(), "sello-test-set-"));
		const files = Object.entries(evidenceOfPassed)
			.filter(([name]) => name.endsWith("/ecf.xml") || name.endsWith("/summary.xml"))
			.map(([name, bytes]) => {
				const path = join(folder, name.replaceAll("/", "-"));
				writeFileSync(path, bytes);
				return path;
			});
		expect(files).toHaveLength(21);
		expect([await validate?.(...files), await verify?.(...files)]).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
		rmSync(folder, { recursive: true });
	},
);

test("a rejection stops the rest of the set, and the next run uses new numbers", async () => {
	const tenant = await createTenant(service);
	const allow = (first: number, last: number) =>
		fetch(`${service.simulatorUrl}/_simulator/ranges`, {
			method: "POST",
			body: JSON.stringify({
				environment: "certecf",
				rnc: tenant.rnc,
				type: "41",
				first,
				last,
				expiresOn: "31-12-2028",
			}),
		});
	// The authority knows numbers of type 41 for this company, and these are others.
	expect((await allow(900, 999)).status).toBe(204);
	const failed = await untilFinal(
		tenant,
		await begin(tenant, { mode: "authority", types: ["34", "41"], startNumber: "0000000101" }),
	);
	expect(failed).toMatchObject({ status: "failed", run: 1, failure: { case: "E41-14", code: "135" } });
	expect(failed.cases.map((one) => [one.case, one.encf.slice(3), one.status])).toEqual([
		["E31-04", "0000000104", "accepted"],
		["E41-14", "0000000114", "rejected"],
		["E41-15", "0000000115", "withdrawn"],
		["E34-12", "0000000112", "withdrawn"],
		["E34-13", "0000000113", "withdrawn"],
	]);
	const before = await receivedOf(tenant);
	expect(before.map(({ encf }) => encf)).toEqual(["E310000000104", "E410000000114"]);

	expect((await allow(1, 899)).status).toBe(204);
	const retried = await post(service, `${failed._links.self}/retry`, tenant.headers, "");
	expect(retried.status).toBe(202);
	expect(await retried.json()).toMatchObject({ status: "generating", run: 2, failure: null, cases: [] });
	const passed = await untilFinal(tenant, failed);
	expect(passed).toMatchObject({ status: "passed", run: 2, failure: null });
	const spent = new Set(failed.cases.map(({ encf }) => encf.slice(3)));
	expect(passed.cases.filter(({ encf }) => spent.has(encf.slice(3)))).toEqual([]);
	const after = await receivedOf(tenant);
	expect(after.slice(before.length).map(({ encf }) => encf)).toEqual(passed.cases.map(({ encf }) => encf));
	const evidence = Object.keys(await evidenceOf(tenant, passed));
	expect(evidence.filter((name) => name.startsWith("run-1/E41-15/answers"))).toEqual([]);
	expect(evidence).toEqual(expect.arrayContaining(["run-1/E41-14/ecf.xml", "run-2/E41-14/ecf.xml"]));
}, 300_000);

test("a rehearsal passes without the authority, without invoices and without numbers", async () => {
	const tenant = await createTenant(service);
	const asked = { types: ["34"], niche: "services", startNumber: "0000000001" };
	const set = await untilFinal(tenant, await begin(tenant, asked));
	expect(set).toMatchObject({ status: "passed", mode: "simulate", failure: null });
	expect(set.cases.map((one) => [one.case, one.status, one.docId])).toEqual(
		["E31-04", "E41-14", "E34-12", "E34-13"].map((name) => [name, "accepted", null]),
	);
	expect(await receivedOf(tenant)).toEqual([]);
	const rows = await service.sql`select 1 from documents where tenant_id = ${tenant.tenantId}`;
	expect(rows).toHaveLength(0);
	const evidence = Object.keys(await evidenceOf(tenant, set));
	expect(evidence.filter((name) => name.startsWith("run-1/E34-13/answers/")).length).toBeGreaterThan(1);
	// The same numbers may be asked for again, and for good.
	const { _links } = await begin(tenant, { ...asked, mode: "authority" });
	expect((await post(service, `${_links.self}/cancel`, tenant.headers, "")).status).toBe(200);
}, 300_000);
