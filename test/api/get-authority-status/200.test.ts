import { beforeAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { AuthorityStatusRecord } from "../../../src/authority/status";
import {
	buildInvoice,
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { until } from "../../support/until";
import { tenantB } from "../support/tenants";

const WAIT_MS = 120_000;
let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
}, WAIT_MS);

async function read(of: Tenant): Promise<AuthorityStatusRecord> {
	const answer = await get(service, "/v1/authority/status", of.headers);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("cache-control")).toBe("private, max-age=1");
	return (await answer.json()) as AuthorityStatusRecord;
}

test(
	"the status has every specified member and all measured services",
	async () => {
		const { docId } = (await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string };
		await untilDecided(service, tenant, docId, WAIT_MS);
		await until(
			async () => (await read(tenant)).services.some(({ name, p50Ms }) => name === "reception" && p50Ms),
			WAIT_MS,
		);
		const record = await read(tenant);
		expect([...Value.Errors(AuthorityStatusRecord, record)]).toEqual([]);
		expect(Object.keys(record)).toEqual([
			...["environment", "authorityEnvironment", "status", "since", "breaker", "services", "declared"],
			...["maintenanceWindows", "queue", "verdictLatency", "contingency", "updatedAt"],
		]);
		expect(record).toMatchObject({ environment: "sandbox", authorityEnvironment: "test" });
		expect(record.services.map(({ name }) => name).slice(0, 3)).toEqual(["authentication", "reception", "result"]);
		// No key is set here: what the authority declares is not known, and that is no outage.
		await until(async () => (await read(tenant)).declared.checkedAt !== null, WAIT_MS);
		expect((await read(tenant)).declared.status).toBe("unknown");
	},
	WAIT_MS,
);

test(
	"queue and latency cover only the caller's documents",
	async () => {
		const silent = buildInvoice(tenant, { customer: { rnc: "000000004", name: "CLIENTE SRL" } });
		expect((await postInvoice(service, tenant, silent)).status).toBe(202);
		const other = await createTenant(service);
		const [own, others] = [await read(tenant), await read(other)];
		expect(own.queue.pending).toBe(1);
		expect(own.verdictLatency.p50Seconds).not.toBeNull();
		expect(others.queue).toEqual({ pending: 0, oldestSeconds: 0 });
		expect(others.verdictLatency).toEqual({ p50Seconds: null, p99Seconds: null });
	},
	WAIT_MS,
);

test("a caller with the current ETag gets 304", async () => {
	const { headers } = await tenantB();
	await until(async () => {
		const first = await get(service, "/v1/authority/status", headers);
		const again = await get(service, "/v1/authority/status", {
			...headers,
			"if-none-match": first.headers.get("etag") ?? "",
		});
		// Between the two it may have changed.
		if (again.status !== 304) return false;
		expect(await again.text()).toBe("");
		return again.headers.get("etag") === first.headers.get("etag");
	}, WAIT_MS);
});
