/**
 * The service behind PgBouncer in transaction mode, with fewer connections to the server than it opens. The tests of any file run like this
 * with `TEST_POOLED=1`.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { findPooler, POOLER_MISSING } from "../support/pooler";
import {
	buildInvoice,
	createTenant,
	openPooledService,
	postInvoice,
	type Tenant,
	type TestService,
	untilDecided,
} from "../support/service";
import { reportSkip } from "../support/skips";
import { until } from "../support/until";
import { webhooksOf } from "./follow";

const TIMEOUT_MS = 60_000;
const CONNECTIONS = 6;
const isThere = findPooler() !== undefined;
if (!isThere) reportSkip(POOLER_MISSING);

let service: TestService & { stop: () => Promise<void> };
let tenant: Tenant;
beforeAll(async () => {
	if (!isThere) return;
	service = await openPooledService();
	tenant = await createTenant(service, { webhook: true });
}, TIMEOUT_MS);
afterAll(async () => service?.stop());

test.skipIf(!isThere)(
	"invoices posted at once are all accepted and notified once",
	async () => {
		const answers = await Promise.all(
			Array.from({ length: 40 }, () => postInvoice(service, tenant, buildInvoice(tenant))),
		);
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
		const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { docId: string }).docId));
		expect(new Set(ids).size).toBe(40);
		for (const id of ids) expect(await untilDecided(service, tenant, id)).toMatchObject({ status: "accepted" });
		await until(() => ids.every((id) => webhooksOf(service, tenant, id).length === 1));
	},
	TIMEOUT_MS,
);

test.skipIf(!isThere)(
	"a revoked key is refused; the server sees only connections of the pooler",
	async () => {
		const key = await service.createKey();
		const ask = async () =>
			(await fetch(`${service.url}/v1/authority/document/990000001`, { headers: { "x-api-key": key } })).status;
		expect(await ask()).not.toBe(401);
		await service.revokeKey(key);
		await until(async () => (await ask()) === 401);
		const rows = await service.owner<{ name: string; count: number }[]>`
			select application_name as name, count(*)::int as count from pg_stat_activity
			where datname = current_database() and application_name like 'sello %' group by 1`;
		expect(rows.map(({ name }) => name)).toEqual(["sello pooled"]);
		expect(rows[0]?.count).toBeLessThanOrEqual(CONNECTIONS);
		const prepared = await service.owner`select 1 from pg_db_role_setting where setconfig @> array['jit=off']`;
		expect(prepared.length).toBeGreaterThan(0);
	},
	TIMEOUT_MS,
);
