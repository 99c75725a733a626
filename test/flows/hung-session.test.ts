/** The service as it is started, with the one address of who owns the tables: it ends sessions of its kind that hang. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findServiceUrl } from "../../src/platform/database";
import { openTestDatabase } from "../support/database";
import { hangClient, placeWitness } from "../support/hung-client";
import { startService } from "../support/processes";
import { startTcpProxy } from "../support/tcp-proxy";
import { until } from "../support/until";

test("a worker ends the session of a process that stopped inside a statement", async () => {
	const database = await openTestDatabase();
	await placeWitness(database);
	const folder = mkdtempSync(join(tmpdir(), "sello-hung-"));
	const logPath = join(folder, "worker.log");
	const settings = { ROLE: "worker", DATABASE_URL: database.ownerUrl, DATA_DIR: folder, PORT: "0" };
	const worker = startService(settings, logPath);
	await worker.ready;
	const proxy = await startTcpProxy({ port: Number(new URL(database.url).port) });
	const url = await findServiceUrl(database.ownerUrl);
	expect(url).toContain("role");
	const hung = await hangClient(database, proxy, { url, name: "sello dispatch-1", id: 1 });

	// It waits for the lock, which nothing else releases.
	await database.owner`update witness set value = value + 10 where id = 1`;

	// The line comes a moment after the end.
	await until(() => readFileSync(logPath, "utf8").includes("ended a hung database session"));
	hung.heal();
	expect(await hung.ended).toBeDefined();
	await hung.close();
	await proxy.stop();
	worker.kill("SIGTERM");
	expect(await worker.ended).toBe(0);
	await database.close();
	rmSync(folder, { recursive: true });
}, 60_000);
