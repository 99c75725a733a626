/** A process is killed with the database server that it wrote to: an operator finds its documents, and no number is given twice. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../src/platform/database";
import { findFreePort, type Program, runAdmin, startService } from "../support/processes";
import { buildInvoice, createTenant, get, openServiceIn, postInvoice, type Tenant } from "../support/service";
import { type Pair, startPair } from "../support/standby";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy";
import { until } from "../support/until";

const TIMEOUT_MS = 120_000;
/** Numbers that are skipped behind the last known one. */
const SKIP = 4;

const folder = mkdtempSync(join(tmpdir(), "sello-test-reconcile-"));
let pair: Pair;
let proxy: TcpProxy;
let service: Awaited<ReturnType<typeof openServiceIn>>;
/** Of the same deployment; issues what is lost. */
let other: Program;
let otherUrl: string;
let settings: Record<string, string>;
beforeAll(async () => {
	pair = await startPair();
	proxy = await startTcpProxy({ port: Number(new URL(pair.primary.url).port) });
	const url = new URL(pair.primary.url);
	url.port = String(proxy.port);
	const port = await findFreePort();
	const BASE_URL = `http://127.0.0.1:${port}`;
	service = await openServiceIn("sandbox", { BASE_URL, PORT: String(port) }, async () => {
		const sql = connect({ url: url.href, name: "test reconcile", connectionsMax: 4 });
		const close = () => sql.end({ timeout: 2 });
		return { sql, url: url.href, owner: sql, ownerUrl: url.href, close };
	});
	settings = {
		...{ BASE_URL, DATABASE_URL: url.href, AUTHORITY_URL: service.simulatorUrl, LOG_LEVEL: "warn" },
		...{ DATA_DIR: service.dataDir, SHARD_LEASE_SECONDS: "3", AUTHORITY_PROBE_SECONDS: "60" },
	};
	const otherPort = String(await findFreePort());
	other = startService({ ...settings, PROCESSES: "1", PORT: otherPort }, join(folder, "service.log"));
	await other.ready;
	otherUrl = `http://127.0.0.1:${otherPort}`;
}, TIMEOUT_MS);
afterAll(async () => {
	other.kill("SIGKILL");
	await other.ended;
	await service.stop();
	await proxy.stop();
	await pair.stop();
	rmSync(folder, { recursive: true });
}, TIMEOUT_MS);

type Issued = { readonly docId: string; readonly encf: string };

async function issue(tenant: Tenant, url = service.url): Promise<Issued> {
	const answer = await postInvoice({ ...service, url }, tenant, buildInvoice(tenant, { encf: "auto" }));
	expect(answer.status).toBe(202);
	return (await answer.json()) as Issued;
}

async function expectRefusal(tenant: Tenant): Promise<void> {
	const refused = await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }));
	expect([refused.status, (await refused.json()) as unknown]).toEqual([
		503,
		expect.objectContaining({ title: "Sequence reconciling", stored: false }),
	]);
}

const reconcile = () => runAdmin(["fleet", "reconcile", "--skip", String(SKIP)], settings);

test(
	"numbers of documents that went with their process are not given again",
	async () => {
		const tenant = await createTenant(service, { company: { settings: { sequenceMode: "service" } } });
		const idle = await createTenant(service, { company: { settings: { sequenceMode: "service" } } });
		const kept = [await issue(tenant), await issue(tenant)];
		const primary = pair.primary.sql;
		const [{ lsn }] = await primary<[{ lsn: string }]>`select pg_current_wal_flush_lsn()::text as lsn`;
		await until(
			async () => (await primary`select from pg_stat_replication where replay_lsn >= ${lsn}::pg_lsn`).length > 0,
		);
		await pair.cutOff();
		const lost: Issued[] = [];
		for (let n = 0; n < 5; n++) lost.push(await issue(tenant, otherUrl));
		await until(async () => (await primary`select from seals where tenant_id = ${tenant.tenantId}`).length === 7);

		other.kill("SIGKILL");
		await other.ended;
		await pair.failOver();
		proxy.setTarget(Number(new URL(pair.standby.url).port));
		const { sql } = pair.standby;
		await until(async () => (await get(service, "/readyz")).status === 200);
		await expectRefusal(tenant);
		// As long after that heartbeats are too old.
		await sql`update processes set seen_at = seen_at - interval '2 minutes' where restored_for <> (select server_identity())`;
		await expectRefusal(tenant);

		expect(await reconcile()).toMatchObject({
			archive: { faults: [] },
			beyond: { documents: 5 },
			companies: expect.arrayContaining([
				{ tenantId: tenant.tenantId, known: lost.map(({ encf }) => encf), skipped: SKIP },
				{ tenantId: idle.tenantId, known: [], skipped: 0 },
			]),
		});
		const last = Number(lost.at(-1)?.encf.slice(3));
		const next = await issue(tenant);
		expect(Number(next.encf.slice(3))).toBe(last + SKIP + 1);
		const all = [...kept, ...lost, next].map(({ encf }) => encf);
		expect(new Set(all).size).toBe(all.length);
		await issue(idle);

		// As after an acknowledged document that cannot be stored again.
		await sql`insert into sequences_unreconciled (tenant_id, since) values (${idle.tenantId}, now())`;
		await expectRefusal(idle);
		await issue(tenant);
		expect(await reconcile()).toMatchObject({ companies: [{ tenantId: idle.tenantId }] });
		await issue(idle);
	},
	TIMEOUT_MS,
);
