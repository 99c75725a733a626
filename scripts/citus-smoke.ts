/**
 * Tries the service on a Citus cluster, in about a minute: prepares an empty database, issues invoices of several companies, follows them to verdict,
 * file and event, and looks whether tables and rows lie where they belong.
 *
 *     bun scripts/citus-smoke.ts postgres://owner:password@coordinator/empty_database
 *
 * Exit code 2: the database has no Citus. The cluster itself is made by hand; see data/docs/en/database.md.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, DatabaseEngineError, prepareDatabase, readPlacements, type Sql } from "../src/platform/database";
import { runAdmin, startService } from "../test/support/processes";
import { buildInvoice, type HarnessTenant, registerTenant } from "../test/support/tenants";
import { until } from "../test/support/until";
import { postOnce } from "./harness/client";
import { printReport } from "./harness/report";

const TENANTS = 6;
const INVOICES_EACH = 5;
const DECIDED_WITHIN_MS = 30_000;

const violations: string[] = [];
const counts: Record<string, number> = {};

async function main(url: string | undefined): Promise<number> {
	if (url === undefined) {
		console.error("usage: bun scripts/citus-smoke.ts postgres://owner:password@coordinator/empty_database");
		return 1;
	}
	const startedAtMs = performance.now();
	try {
		await prepareDatabase({ url, engine: "citus", isStrict: false });
	} catch (error) {
		if (!(error instanceof DatabaseEngineError)) throw error;
		console.error(error.message);
		return 2;
	}
	counts["prepared in ms"] = Math.round(performance.now() - startedAtMs);
	const folder = mkdtempSync(join(tmpdir(), "sello-citus-smoke-"));
	const sql = connect({ url, name: "sello citus smoke", connectionsMax: 2 });
	try {
		await runLife(url, folder);
		await checkPlaces(sql);
		await checkRows(sql);
	} catch (error) {
		violations.push(String(error));
	} finally {
		await sql.end({ timeout: 2 });
	}
	counts["whole run in ms"] = Math.round(performance.now() - startedAtMs);
	if (violations.length === 0) rmSync(folder, { recursive: true, force: true });
	return printReport({ name: "citus-smoke", counts, violations, folder });
}

async function runLife(databaseUrl: string, folder: string): Promise<void> {
	const settings = {
		...{
			PORT: "0",
			DATA_DIR: join(folder, "data"),
			DATABASE_URL: databaseUrl,
			DATABASE_ENGINE: "citus",
			LOG_LEVEL: "warn",
		},
	};
	const service = startService(settings, join(folder, "service.log"));
	try {
		const url = await service.ready;
		const { key } = (await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "smoke"], settings)) as {
			key: string;
		};
		const tenants: HarnessTenant[] = [];
		for (let n = 1; n <= TENANTS; n++) tenants.push(await registerTenant(url, key, n));
		counts.companies = tenants.length;
		await Promise.all(tenants.map((tenant) => issueAndFollow(url, tenant)));
	} finally {
		service.kill("SIGTERM");
		await service.ended;
	}
}

async function issueAndFollow(url: string, tenant: HarnessTenant): Promise<void> {
	const get = (path: string) => fetch(`${url}/v1${path}`, { headers: tenant.headers });
	const count = (name: string) => {
		counts[name] = (counts[name] ?? 0) + 1;
	};
	const posted = await Promise.all(
		Array.from({ length: INVOICES_EACH }, async (_, n) => {
			const [key, body] = [crypto.randomUUID(), JSON.stringify(buildInvoice(tenant, n + 1))];
			const [first, again] = [await postOnce(url, tenant, key, body), await postOnce(url, tenant, key, body)];
			if (first?.status !== 202) throw new Error(`POST /v1/invoices answered ${first?.status}: ${first?.text}`);
			if (again?.text !== first.text) violations.push(`a repeat got another answer: ${again?.text}`);
			count("documents");
			return (JSON.parse(first.text) as { docId: string }).docId;
		}),
	);
	const statusOf = async (docId: string) =>
		((await (await get(`/invoices/${docId}/status`)).json()) as { status: string }).status;
	const isDecided = async (docId: string) => (await statusOf(docId)) !== "pending";
	for (const docId of posted) {
		await until(() => isDecided(docId), DECIDED_WITHIN_MS);
		if ((await statusOf(docId)) === "accepted") count("accepted");
		else violations.push(`document ${docId} is ${await statusOf(docId)}`);
		await until(async () => (await get(`/invoices/${docId}/proof`)).ok, DECIDED_WITHIN_MS);
		count("archived");
		for (const path of [`/invoices/${docId}`, `/invoices/${docId}/xml`, `/invoices/${docId}/events`])
			if (!(await get(path)).ok) violations.push(`GET ${path} answered ${(await get(path)).status}`);
	}
	for (const path of ["/invoices", "/events", "/archive", "/reports/totals?from=2026-01-01&to=2026-12-31"]) {
		const answer = await get(path);
		if (!answer.ok) violations.push(`GET ${path} answered ${answer.status}: ${await answer.text()}`);
	}
}

/** Compares what Citus knows with `data/placements.json`. */
async function checkPlaces(sql: Sql): Promise<void> {
	const { distributed, reference } = readPlacements();
	const wanted = new Set([...Object.values(distributed).flat(), ...reference]);
	const rows = await sql<{ table: string }[]>`
		select c.relname::text as "table" from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid`;
	const placed = new Set(rows.map(({ table }) => table));
	counts["tables in place"] = [...wanted].filter((table) => placed.has(table)).length;
	for (const table of wanted) if (!placed.has(table)) violations.push(`${table} is not in its place`);
}

/** How the documents lie on the nodes; each tenant's on one. */
async function checkRows(sql: Sql): Promise<void> {
	const [known] = await sql`select from pg_proc where proname = 'get_shard_id_for_distribution_column'`;
	if (!known) return;
	const rows = await sql<{ node: string; documents: number }[]>`
		select s.nodename || ':' || s.nodeport as node, sum(d.documents)::int as documents
		from (select tenant_id, count(*) as documents from documents group by tenant_id) d
		join citus_shards s on s.shardid = get_shard_id_for_distribution_column('documents', d.tenant_id)
		group by 1 order by 1`;
	for (const { node, documents } of rows) counts[`documents on ${node}`] = documents;
}

process.exit(await main(process.argv[2]));
