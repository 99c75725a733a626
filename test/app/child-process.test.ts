/** A service of several processes reports once what is true of all of them. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase } from "../support/database";
import { startService } from "../support/processes";

const folder = mkdtempSync(join(tmpdir(), "sello-further-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STOP_MAX_MS = 10_000;

test("only the first process warns of default settings", async () => {
	const database = await openTestDatabase();
	const settings = {
		...{ ENVIRONMENT: "staging", ROLE: "registry", PROCESSES: "2", PORT: "0" },
		...{ DATABASE_URL: database.url, DATA_DIR: folder, AUTHORITY_URL: "http://127.0.0.1:9" },
	};
	const logPath = join(folder, "service.log");
	const service = startService(settings, logPath, ["--allow-trial-defaults"]);
	try {
		await service.ready;
		expect(readFileSync(logPath, "utf8").match(/"config.trial_default".*REGISTRY_SOURCE/g)).toHaveLength(1);
	} finally {
		service.kill("SIGTERM");
		await service.ended;
		await database.close();
	}
}, 120_000);

test("a child process that ignores signals ends with the service", async () => {
	const database = await openTestDatabase();
	const settings = { PORT: "0", ROLE: "registry", PROCESSES: "2", DATABASE_URL: database.url, DATA_DIR: folder };
	const service = startService(settings, join(folder, "deaf.log"));
	let further = 0;
	try {
		await service.ready;
		further = Number(readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, "utf8").trim().split(" ")[0]);
		process.kill(further, "SIGSTOP");
		service.kill("SIGTERM");
		expect(await Promise.race([service.ended, Bun.sleep(STOP_MAX_MS).then(() => "late")])).toBe(0);
		expect(() => process.kill(further, 0)).toThrow();
	} finally {
		service.kill("SIGKILL");
		if (existsSync(`/proc/${further}`)) process.kill(further, "SIGKILL");
		await database.close();
	}
}, 120_000);
