/** Metrics of a service of several processes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { findFreePort, startService } from "../../support/processes";
import { until } from "../../support/until";

const folder = mkdtempSync(join(tmpdir(), "sello-shares-"));
let database: TestDatabase;
let service: ReturnType<typeof startService>;
let url: string;
let metricsPort: number;

beforeAll(async () => {
	database = await openTestDatabase();
	metricsPort = await findFreePort();
	const settings = {
		...{ ROLE: "api", PROCESSES: "2", PORT: "0", METRICS_PORT: String(metricsPort) },
		...{ DATABASE_URL: database.url, DATA_DIR: folder, AUTHORITY_URL: "http://127.0.0.1:9" },
	};
	service = startService(settings, join(folder, "service.log"));
	url = await service.ready;
}, 120_000);
afterAll(async () => {
	service.kill("SIGTERM");
	await service.ended;
	await database.close();
	rmSync(folder, { recursive: true, force: true });
}, 60_000);

test("requests are counted whichever process answered them", async () => {
	const ask = () => fetch(`${url}/livez`, { headers: { connection: "close" } });
	expect(new Set((await Promise.all(Array.from({ length: 60 }, ask))).map(({ status }) => status))).toEqual(
		new Set([200]),
	);
	expect(await readMetric('sello_http_requests_total{operation="livez",status="200"}')).toBe(60);
	expect(await readMetric('sello_http_request_seconds_count{operation="livez"}')).toBe(60);
});

test("a gauge that all processes set is reported once", async () => {
	expect(await readMetric("sello_signing_engine")).toBe(1);
});

test("counts do not fall when a process is lost", async () => {
	const ask = () => fetch(`${url}/livez`, { headers: { connection: "close" } });
	await Promise.all(Array.from({ length: 40 }, ask));
	const before = await readMetric('sello_http_requests_total{operation="livez",status="200"}');
	const [further = ""] = readChildren();
	process.kill(Number(further), "SIGKILL");
	await until(async () => !readChildren().includes(further));
	expect(await readMetric('sello_http_requests_total{operation="livez",status="200"}')).toBe(before);
});

function readChildren(): string[] {
	return readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, "utf8").trim().split(" ");
}

/** The value of the first line with that name and those labels. */
async function readMetric(name: string): Promise<number> {
	const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
	return Number(
		text
			.split("\n")
			.find((line) => line.startsWith(name))
			?.split(" ")[1],
	);
}
