/**
 * A fleet behind PgBouncer in transaction mode, with twenty connections to the server for forty processes: invoices, feeds, an ingest and an
 * erasure.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, startEmbeddedPostgres } from "../../../src/platform/database";
import { startPooler } from "../../../test/support/pooler";
import { findFreePort, runAdmin, startService } from "../../../test/support/processes";
import { openRegistryKeys } from "../../../test/support/registry-keys";
import { until } from "../../../test/support/until";
import { lookUp, numberedText } from "../../scenarios/environment";
import type { Drill } from "../drill";
import { type Fleet, openFleet } from "../fleet";

const SERVER_CONNECTIONS = 20;
/** Of the node that issues, and of one that only looks up. */
const PROCESSES = { all: 4, registry: 36 } as const;
const INVOICES = 500;
const PER_SECOND = 20;
const RECORDS = 1_000;
const CONNECTIONS = 200;
const [WITHIN_MS, LOOK_EVERY_MS] = [60_000, 100];
const CUSTOMER = "131880681";
const BUYER = `${CUSTOMER}|FERRETERIA EL PROGRESO SRL|V0|FERRETERIA| | | | |03/02/2014|ACTIVO|NORMAL`;
const ERASED = "990000777";

export const pooled: Drill = {
	name: "pooled",
	shows:
		"40 processes over 20 connections of PgBouncer in transaction mode: 500 invoices, feeds, an ingest, an erasure",
	packages: ["pgbouncer"],
	isInSmoke: false,
	async run({ folder, isSmoke, violations, atEnd }) {
		const files = join(folder, "database");
		mkdirSync(files);
		const server = await startEmbeddedPostgres(files, { connections: CONNECTIONS });
		atEnd(server.stop);
		const pooler = await startPooler(server.serviceUrl, SERVER_CONNECTIONS);
		atEnd(pooler.stop);
		const source = join(folder, "source.txt");
		writeFileSync(source, numberedText(RECORDS, "V0", [BUYER]));
		const processes = isSmoke ? { all: 2, registry: 2 } : PROCESSES;
		const fleet = await openFleet(folder, {
			...{ databaseUrl: pooler.url, ownerUrl: server.url, nodes: 1, violations },
			settings: {
				...{ DATABASE_POOLED: "on", DATABASE_DIRECT_URL: server.serviceUrl, REGISTRY_SOURCE: source },
				PROCESSES: String(processes.all),
			},
		});
		atEnd(fleet.stop);
		const registry = await startRegistry(folder, fleet, processes.registry);
		atEnd(registry.stop);
		const urls = [fleet.nodes[0]?.url ?? "", registry.url];
		const sql = connect({ url: server.url, name: "fleet drill", connectionsMax: 2 });
		atEnd(() => sql.end({ timeout: 2 }));
		let connectionsMax = 0;
		let isWatching = true;
		const watching = (async () => {
			let before = new Set<number>();
			for (; isWatching; await Bun.sleep(100)) {
				const rows = await sql<{ pid: number }[]>`
					select pid from pg_stat_activity where application_name = 'sello pooled'`;
				// The pooler does not wait for the server to end a connection that it closes, so that one may be seen beside its successor.
				const stayed = rows.filter(({ pid }) => before.has(pid));
				if (rows.length > SERVER_CONNECTIONS)
					console.error(`${rows.length} connections were seen, ${stayed.length} of them twice`);
				connectionsMax = Math.max(connectionsMax, stayed.length);
				before = new Set(rows.map(({ pid }) => pid));
			}
		})();
		const invoices = isSmoke ? 40 : INVOICES;
		const client = fleet.issue(PER_SECOND, () => fleet.acknowledged.count() >= invoices);
		await client.finished;
		const ingestMs = await ingest(fleet, urls, server.serviceUrl, source);
		const erasureMs = await erase(fleet, urls, sql);
		const judged = await fleet.judge();
		isWatching = false;
		await watching;
		if (connectionsMax === 0) violations.push("no connection came from the pooler");
		if (connectionsMax > SERVER_CONNECTIONS) violations.push(`the pooler opened ${connectionsMax} connections`);
		return {
			...{
				"processes of the service": processes.all + processes.registry,
				"connections to the server": connectionsMax,
			},
			...{ requests: client.requests(), "slowest answer ms": client.slowestMs() },
			...{ "events read": await readFeeds(fleet, violations), "ingest until served ms": ingestMs },
			...{ "erasure until gone ms": erasureMs, ...judged },
		};
	},
};

/** A node of the fleet whose processes only look up, so that many fit into the memory of a small machine. */
async function startRegistry(folder: string, { settings }: Fleet, processes: number) {
	const port = String(await findFreePort());
	const own = { ...settings, ROLE: "registry", PORT: port, PROCESSES: String(processes) };
	const program = startService(own, join(folder, "registry.log"));
	await program.ready;
	return {
		url: `http://127.0.0.1:${port}`,
		async stop() {
			program.kill("SIGTERM");
			await program.ended;
		},
	};
}

/** Which process answers is random, so several connections ask. */
async function untilAll(
	{ apiKey }: Fleet,
	urls: readonly string[],
	document: string,
	holds: (found: Awaited<ReturnType<typeof lookUp>>) => boolean,
) {
	const from = performance.now();
	const once = { connection: "close" };
	await until(
		async () => {
			const asked = urls.flatMap((url) => Array.from({ length: 40 }, () => lookUp(url, apiKey, document, once)));
			return (await Promise.all(asked)).every(holds);
		},
		WITHIN_MS,
		LOOK_EVERY_MS,
	);
	return Math.round(performance.now() - from);
}

async function ingest(fleet: Fleet, urls: readonly string[], url: string, source: string): Promise<number> {
	writeFileSync(source, numberedText(RECORDS + 1, "V1", [BUYER]));
	const settings = { DATA_DIR: fleet.settings.DATA_DIR ?? "", DATABASE_URL: url, REGISTRY_SOURCE: source };
	await runAdmin(["registry", "ingest"], settings);
	return untilAll(fleet, urls, ERASED, (found) => typeof found !== "string" && found.entry.trade_name === "V1");
}

async function erase(
	fleet: Fleet,
	urls: readonly string[],
	sql: Parameters<typeof openRegistryKeys>[0]["sql"],
): Promise<number> {
	const [url = ""] = urls;
	const keys = await openRegistryKeys({ sql, kekFile: join(fleet.settings.DATA_DIR ?? "", "kek"), url });
	try {
		const answer = await fetch(`${url}/v1/authority/document/${ERASED}:purge`, {
			method: "POST",
			headers: { ...(await keys.createOfficer()), "content-type": "application/json" },
			body: JSON.stringify({
				...{ legal_basis: "data-error", request_reference: "DRILL", requested_by: "drill", reason: "Drill" },
			}),
		});
		if (answer.status !== 200) throw new Error(`the erasure was answered ${answer.status}: ${await answer.text()}`);
	} finally {
		await keys.close();
	}
	return untilAll(fleet, urls, ERASED, (found) => typeof found === "string" && found.startsWith("404"));
}

/** Reads each company's feed; a gap is a violation. */
async function readFeeds({ nodes, tenants }: Fleet, violations: string[]): Promise<number> {
	let read = 0;
	for (const tenant of tenants) {
		let [last, after] = [0, ""];
		for (let isPartial = true; isPartial; ) {
			const query = `limit=1000${after === "" ? "" : `&after=${after}`}`;
			const answer = await fetch(`${nodes[0]?.url}/v1/events?${query}`, { headers: await tenant.freshHeaders() });
			if (!answer.ok) throw new Error(`the feed was answered ${answer.status}: ${await answer.text()}`);
			const page = (await answer.json()) as { events: { sequence: number }[]; partial: boolean; next: string };
			for (const { sequence } of page.events) {
				read++;
				if (sequence !== last + 1) violations.push(`the feed of ${tenant.rnc} has ${sequence} after ${last}`);
				last = sequence;
			}
			[isPartial, after] = [page.partial, page.next];
		}
	}
	return read;
}
