/** The basis of an operator's alerts: a failed ingest is an error in the log and shows in the metrics. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { deriveKey, readKek } from "../../../src/platform/secrets";
import { systemClock } from "../../../src/platform/values";
import { runIngest } from "../../../src/registry";
import { captureLog } from "../../api/support/log";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { findFreePort } from "../../support/processes";
import { type RegistryService, startRegistryService } from "../../support/registry-service";
import { until } from "../../support/until";
import { entries, openOn, silentLog, temporaryFolder, toText } from "../build";

const folder = temporaryFolder();
let database: TestDatabase;
let service: RegistryService;
let metricsUrl: string;
beforeAll(async () => {
	database = await openTestDatabase();
	const port = await findFreePort();
	metricsUrl = `http://127.0.0.1:${port}/metrics`;
	service = await startRegistryService(folder.write("good.txt", toText(entries(40))), { METRICS_PORT: String(port) });
}, 120_000);
afterAll(async () => {
	await service?.stop();
	await database.close();
	folder.remove();
}, 120_000);

test.each([
	["is refused", toText(entries(3)), "refused", /expected 90 to 150 % of the 40 entries/],
	["cannot be read", Buffer.from("<html>not today</html>"), "refused", /.{10,}/],
] as const)(
	"a source that %s is reported in one line at level error, with the run and the reason",
	async (_, bytes, result, reason) => {
		const { log, lines } = captureLog();
		const path = folder.write("source.txt", toText(entries(40)));
		const registry = await openOn(database.sql, path, { log });
		expect(lines.filter(({ level }) => level === "error")).toEqual([]);
		const run = await registry.ingest({ source: folder.write("bad.txt", bytes) });
		const errors = lines.filter(({ level }) => level === "error");
		expect(errors).toEqual([
			expect.objectContaining({ msg: "registry ingest did not succeed", runId: run.runId, result, reason: run.reason }),
		]);
		expect(run.reason).toMatch(reason);
		await registry.close();
	},
);

test("the reason of a failed download is reported", async () => {
	const { log, lines } = captureLog();
	const registry = await openOn(database.sql, folder.write("source.txt", toText(entries(40))), { log });
	const port = await findFreePort();
	const { reason } = await registry.ingest({ source: `http://127.0.0.1:${port}/rnc.zip` });
	expect(reason).toMatch(/^the source cannot be downloaded: .{10,}/);
	expect(lines.filter(({ level }) => level === "error").map((line) => line.reason)).toEqual([reason]);
	await registry.close();
});

/** The registry's metrics. */
async function scrape(): Promise<Record<string, number>> {
	const text = await (await fetch(metricsUrl)).text();
	const lines = [...text.matchAll(/^(sello_registry_\S+) (\S+)$/gm)];
	return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
}

test("metrics show age, size and latest outcome, and a failure while serving goes on", async () => {
	const before = await scrape();
	expect(before).toMatchObject({
		sello_registry_age_seconds: expect.any(Number),
		sello_registry_entries: 40,
		'sello_registry_last_ingest{result="ok"}': 1,
		'sello_registry_last_ingest{result="failed"}': 0,
		'sello_registry_last_ingest{result="refused"}': 0,
	} as never);
	const run = await runIngest(
		{
			...{ sql: service.sql, directory: join(service.dataDir, "registry"), clock: systemClock, log: silentLog },
			pepper: deriveKey(readKek(join(service.dataDir, "kek")), "registry-tombstones"),
		},
		{ source: folder.write("short.txt", toText(entries(3))) },
	);
	expect(run.result).toBe("refused");
	await until(async () => (await scrape())['sello_registry_last_ingest{result="refused"}'] === 1);
	expect(await scrape()).toMatchObject({
		sello_registry_entries: 40,
		'sello_registry_last_ingest{result="ok"}': 0,
	} as never);
});
