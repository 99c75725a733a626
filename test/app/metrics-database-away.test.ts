/** Scraping a service whose database is silent, with Prometheus' time-out. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { findFreePort, startService } from "../support/processes";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy";
import { until } from "../support/until";

const TIMEOUT_MS = 120_000;
/** Prometheus' default. */
const SCRAPE_TIMEOUT_MS = 10_000;
const folder = mkdtempSync(join(tmpdir(), "sello-away-"));

let database: TestDatabase;
let proxy: TcpProxy;
let service: ReturnType<typeof startService>;
let port: number;
beforeAll(async () => {
	database = await openTestDatabase();
	const url = new URL(database.url);
	proxy = await startTcpProxy({ port: Number(url.port) });
	url.hostname = "127.0.0.1";
	url.port = String(proxy.port);
	port = await findFreePort();
	const settings = {
		...{ ROLE: "api", PORT: "0", METRICS_PORT: String(port), SIGN_THREADS: "1" },
		...{ DATABASE_URL: url.href, DATA_DIR: folder, AUTHORITY_URL: "http://127.0.0.1:9" },
	};
	service = startService(settings, join(folder, "service.log"));
	await service.ready;
}, TIMEOUT_MS);
afterAll(async () => {
	proxy.heal();
	service.kill("SIGTERM");
	await service.ended;
	await proxy.stop();
	await database.close();
	rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const scrape = async () =>
	(await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) })).text();

test(
	"metrics without a database are reported, and the others when it is back",
	async () => {
		expect(await scrape()).toContain("sello_dead_letters{");
		proxy.add("downstream", { type: "timeout", timeoutMs: 0 });
		expect(await scrape()).toContain("sello_registry_entries ");
		proxy.heal();
		await until(async () => (await scrape()).includes("sello_dead_letters{"));
	},
	TIMEOUT_MS,
);
