/** A service whose embedded database server is gone exits with the reason and works after the next start. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../support/processes";

const END_MAX_MS = 15_000;

test("a service without its embedded server exits with 1 and can start again", async () => {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-lost-server-"));
	const logPath = join(dataDir, "service.log");
	const settings = { PORT: "0", ROLE: "registry", DATA_DIR: dataDir };
	const service = startService(settings, logPath);
	let again: typeof service | undefined;
	try {
		await service.ready;
		process.kill(Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]), "SIGKILL");
		const ending = await Promise.race([service.ended, Bun.sleep(END_MAX_MS).then(() => "late")]);
		expect(ending).toBe(1);
		expect(readFileSync(logPath, "utf8")).toContain(
			"PostgreSQL has ended by itself (by SIGKILL), start the service again",
		);
		again = startService(settings, logPath);
		expect((await fetch(`${await again.ready}/readyz`)).status).toBe(200);
	} finally {
		for (const one of [service, again]) one?.kill("SIGKILL");
		await Promise.all([service.ended, again?.ended]);
		rmSync(dataDir, { recursive: true, force: true });
	}
}, 120_000);
