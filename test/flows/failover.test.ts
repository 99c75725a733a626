/** A standby that lacks the last seconds takes over: what was acknowledged in them is stored again, and no number is given twice. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "../../src/platform/database";
import { batchInvoice, postBatch, readBatch } from "../api/support/batches";
import { buildInvoice, createTenant, get, openServiceIn, postInvoice, type Tenant } from "../support/service";
import { type Pair, startPair } from "../support/standby";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy";
import { until } from "../support/until";

const TIMEOUT_MS = 120_000;

let pair: Pair;
let proxy: TcpProxy;
let service: Awaited<ReturnType<typeof openServiceIn>>;
beforeAll(async () => {
	pair = await startPair();
	proxy = await startTcpProxy({ port: Number(new URL(pair.primary.url).port) });
	service = await openServiceIn("sandbox", {}, async () => {
		const url = new URL(pair.primary.url);
		url.port = String(proxy.port);
		const sql = connect({ url: url.href, name: "test failover", connectionsMax: 4 });
		const close = () => sql.end({ timeout: 2 });
		return { sql, url: url.href, owner: sql, ownerUrl: url.href, close };
	});
}, TIMEOUT_MS);
afterAll(async () => {
	await service.stop();
	await proxy.stop();
	await pair.stop();
}, TIMEOUT_MS);

type Issued = { readonly docId: string; readonly encf: string };

async function issue(tenant: Tenant): Promise<Issued> {
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }));
	expect(answer.status).toBe(202);
	return (await answer.json()) as Issued;
}

const read = async (tenant: Tenant, docId: string) =>
	(await (await get(service, `/v1/invoices/${docId}`, tenant.headers)).json()) as Issued & { status: string };

test(
	"what a new primary lacks is stored again before other numbers are given",
	async () => {
		const tenant = await createTenant(service, { company: { settings: { sequenceMode: "service" } } });
		const issued = [await issue(tenant), await issue(tenant)];
		const [{ lsn }] = await pair.primary.sql<[{ lsn: string }]>`select pg_current_wal_flush_lsn()::text as lsn`;
		await until(
			async () =>
				(await pair.primary.sql`select from pg_stat_replication where replay_lsn >= ${lsn}::pg_lsn`).length > 0,
		);
		await pair.cutOff();
		for (let n = 0; n < 5; n++) issued.push(await issue(tenant));
		const invoices = [1, 2].map(() => batchInvoice(tenant, { encf: "auto" }));
		const headers = { "idempotency-key": crypto.randomUUID() };
		const sendBatch = async () => readBatch(postBatch(service, tenant, { invoices }, headers));
		const batch = await sendBatch();
		issued.push(...(batch.results as unknown as Issued[]));

		await pair.failOver();
		const { sql } = pair.standby;
		expect(
			await sql`select from documents where doc_id = any(${issued.map(({ docId }) => docId)}::uuid[])`,
		).toHaveLength(2);
		// Of a process that has not noticed yet.
		await sql`insert into processes (id, node, role, restored_for) values (gen_random_uuid(), 'elsewhere/7/a', 'api', 'before')`;
		await until(async () => (await get(service, "/readyz")).status === 503);
		proxy.setTarget(Number(new URL(pair.standby.url).port));
		await until(async () => (await get(service, "/readyz")).status === 200);
		const refused = await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }));
		expect([refused.status, (await refused.json()) as unknown]).toEqual([
			503,
			expect.objectContaining({ title: "Sequence reconciling", stored: false }),
		]);
		await sql`delete from processes where node = 'elsewhere/7/a'`;

		for (const { docId, encf } of issued) expect(await read(tenant, docId)).toMatchObject({ docId, encf });
		expect(await sendBatch()).toEqual(batch);
		issued.push(await issue(tenant));
		expect(new Set(issued.map(({ encf }) => encf)).size).toBe(issued.length);
		await until(async () => {
			const states = await Promise.all(issued.map(async ({ docId }) => (await read(tenant, docId)).status));
			return states.every((status) => status === "accepted");
		});
	},
	TIMEOUT_MS,
);
